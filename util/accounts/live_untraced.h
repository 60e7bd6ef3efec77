/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live objects that may have been freed without an event: those of call sites whose frees are
 * mostly not traced (leak_is_untraced() of leak_evidence.h).
 *
 * They are counted as live until their memory is reused.  The accounts of struct
 * kmem_options.live_sites have one more table, by call site and cache, of which this judges the
 * rows at the end.
 */
#ifndef ACCOUNTS_LIVE_UNTRACED_H
#define ACCOUNTS_LIVE_UNTRACED_H

#include "util/kmem/slab_accounts.h"

/*
 * Set live_untraced of all tables, and the summary's figures.  sites: the table by call site and
 * cache.  If memory runs out, nothing is set.
 */
void live_untraced_find(struct slab_accounts *s, unsigned int sites);

#endif
