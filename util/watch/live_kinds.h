/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has to be captured for the accounts that are wanted: which kinds of events, and how deep
 * their callchains.
 *
 * As for `perf kmem record`, the accounts say it (struct account_record); but of callchains only as
 * much is captured as a key or a filter looks at: none, as many frames as lead to a call site, or
 * whole stacks.
 */
#ifndef WATCH_LIVE_KINDS_H
#define WATCH_LIVE_KINDS_H

#include "util/bpf/capture.h"
#include "util/kmem/options.h"

/* Fills in kinds, max_stack and cgroup_ids. Errors: an account wants an event that has no program.
 */
int live_kinds_choose(const struct kmem_options *options, struct bpf_capture_options *capture,
		      struct error *err);

/* What the kernel can count by: bits of keys. */
#define LIVE_COUNTED_KEYS (1u << KEY_CALLSITE | 1u << KEY_MODULE | 1u << KEY_CACHE)

/* Can the kernel count what is wanted by itself? Errors: what it cannot, in words. */
int live_kinds_check_counted(const struct kmem_options *options, struct error *err);

#endif
