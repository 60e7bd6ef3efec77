/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gfp_masks: the gfp flags that decide from where memory comes, as bits of the recording.
 *
 * By the names of the recording's own print fmt, else by the kernel's version (gfp_bits.h); 0: the
 * kernel has no such flag.  A kernel without memory cgroups ignores __GFP_ACCOUNT, and the print
 * fmt of kmalloc says so: "(0 && (REC->gfp_flags & ..." (include/trace/events/kmem.h since 6.2,
 * IS_ENABLED(CONFIG_MEMCG)).
 */
#ifndef TRACEPOINT_GFP_MASKS_H
#define TRACEPOINT_GFP_MASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/tracepoint/gfp_bits.h"
#include "util/tracepoint/print_flags.h"

struct gfp_masks {
	uint32_t account;
	uint32_t dma;
	uint32_t reclaimable;
};

void gfp_masks_init(struct gfp_masks *m, const struct flag_names *names, const struct gfp_era *era);

/* Does the format of an event say that no allocation is accounted? */
bool gfp_nothing_is_accounted(const char *text, size_t len);

#endif
