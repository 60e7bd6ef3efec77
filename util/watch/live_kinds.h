/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Determines what to capture for the wanted accounts: the kinds of events, and the depth of
 * callchains.
 *
 * Accounts declare their events (struct account_record), as for `perf kmem record`. Callchains are
 * only captured as deep as a key or a filter needs: not at all, up to the call site, or whole.
 */
#ifndef WATCH_LIVE_KINDS_H
#define WATCH_LIVE_KINDS_H

#include "util/bpf/capture.h"
#include "util/kmem/options.h"

/* Sets kinds, max_stack, max_user_stack and cgroup_ids. Errors: an account wants an event that has
 * no program. */
int live_kinds_choose(const struct kmem_options *options, struct bpf_capture_options *capture,
		      struct error *err);

/* Add the probes (util/bpf/probes.h) that add to the chosen kinds, with the callchains of those,
 * and find the caches of kmalloc and kfree. */
void live_kinds_add_probes(struct bpf_capture_options *capture);

/* The allocations that the kernel can count, and bits of the keys that it can count them by. */
#define LIVE_COUNTED_KIND KMEM_SLAB_ALLOC
#define LIVE_COUNTED_KEYS (KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_MODULE) | KEY_BIT(KEY_CACHE))

/* Check whether the kernel can count what is requested. Errors: the part that it cannot count. */
int live_kinds_check_counted(const struct kmem_options *options, struct error *err);

#endif
