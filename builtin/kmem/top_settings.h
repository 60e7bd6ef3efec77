/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings of top's screen in the configuration file, which the key W writes.
 *
 * They are kmem.top-sort, kmem.top-by, kmem.top-total and kmem.top-filter.
 */
#ifndef BUILTIN_KMEM_TOP_SETTINGS_H
#define BUILTIN_KMEM_TOP_SETTINGS_H

#include "builtin/kmem-config.h"
#include "util/top/grouping.h"
#include "util/top/view.h"

/* The index of the grouping with this name. `g->first` if it is NULL or there is none. */
unsigned int top_settings_grouping(const struct kmem_top_settings *s,
				   const struct top_groupings *g);

/* Apply the sort column, the sums and the filter. has_sort: the command line sets the column. The
 * view must know whether live figures are known. */
void top_settings_apply(const struct kmem_top_settings *s, struct top_view *v, bool has_sort);

/* Write the view's settings to the user's configuration file. Returns the file's name for a
 * message in *ret_path, which the caller deinits in any case. */
int top_settings_keep(const struct top_view *v, struct strbuf *ret_path, struct error *err);

#endif
