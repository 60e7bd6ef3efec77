/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats of kmem events, for a source that hands over none.
 *
 * One whose events need none tells the size of its pages (facts->page_size).  For others they come
 * from a tracefs: one that the user names, a copy of the recorded kernel's, or the running
 * kernel's, where that is the one that was recorded.
 */
#ifndef DECODE_FORMATS_H
#define DECODE_FORMATS_H

#include "util/base/error.h"
#include "util/source/facts.h"
#include "util/tracepoint/tracing_data.h"

/*
 * The caller deinits what is found. tracefs_dir: NULL when none was named. Errors: why there are
 * none, in words; -ENOMEM.
 */
int formats_find(struct tracing_data *ret_formats, const struct source_facts *facts,
		 const char *tracefs_dir, struct error *err);

#endif
