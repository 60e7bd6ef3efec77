/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgetting names that came with events: commands and callchains that no row of a table, no thread
 * and no filter's tally has any more, and the names of threads that have ended.
 *
 * Names that are remembered elsewhere, by a cache or a call site, were added to be kept.
 */
#ifndef KMEM_NAMES_SWEEP_H
#define KMEM_NAMES_SWEEP_H

#include "util/kmem/decoding.h"

/* No event may be on its way to the accounts. Errors: -ENOMEM. */
int names_sweep(struct kmem_decoding *d, const struct kmem_accounts *a);

#endif
