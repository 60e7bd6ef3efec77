/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gfp: the gfp flags of the recorded kernel: their names, their short codes in the page
 * tables, and the bits that decide where memory comes from.
 *
 * The names come from the recording's own print fmt, combined masks before their bits, as the
 * kernel prints them; without one, from the kernel's version (gfp_bits.h). Bits without a name are
 * printed in hex. The text that the kernel itself printed for a mask takes precedence. Each code is
 * unique.
 */
#ifndef EVENT_GFP_H
#define EVENT_GFP_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/tracepoint/print_flags.h"
#include "util/tracepoint/tracing_data.h"

/* 0: the kernel does not have the flag, or (account) ignores it. */
struct gfp_masks {
	uint32_t account;
	uint32_t dma;
	uint32_t reclaimable;
};

struct gfp_texts;

struct gfp {
	struct flag_names names;
	struct gfp_masks masks;
	const struct gfp_texts *told; /* the source's texts; may be NULL */
};

/* release: of the recorded kernel; NULL if unknown. Errors: -ENOMEM. */
int gfp_init(struct gfp *g, const struct tracing_data *formats, const char *release);
void gfp_deinit(struct gfp *g);

/* Call fn for each name in the mask; the remaining bits come last, as one "0x...". Not called for
 * 0. */
void gfp_for_each(const struct gfp *g, uint64_t mask, void (*fn)(void *ctx, const char *name),
		  void *ctx);

/* "GFP_KERNEL|__GFP_ZERO"; "none" for 0. */
void gfp_format(struct strbuf *sb, const struct gfp *g, uint64_t mask);

/* "K|Z"; "none" for 0. */
void gfp_format_compact(struct strbuf *sb, const struct gfp *g, uint64_t mask);

#endif
