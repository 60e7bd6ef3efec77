/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gfp: the gfp flags of the recorded kernel, and the bits that decide where memory comes
 * from.
 *
 * A flag has a name, and a short code in the page tables. The names come from the recording's own
 * print fmt, combined masks before their bits, as the kernel prints them; without one, from the
 * kernel's version (gfp_bits.h). Bits without a name are printed in hex. Each code is unique.
 *
 * struct gfp_texts: the texts that a kernel printed for masks, such as "GFP_KERNEL|__GFP_ZERO" for
 * 0xdc0. They take precedence. Some sources have these texts, but not the kernel's version.
 */
#ifndef EVENT_GFP_H
#define EVENT_GFP_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/tracepoint/print_flags.h"
#include "util/tracepoint/tracing_data.h"

/* 0: the kernel does not have the flag, or (account) ignores it. */
struct gfp_masks {
	uint32_t account;
	uint32_t dma;
	uint32_t reclaimable;
};

/* Limit of texts. Kernels use about fifty; a hostile file may have any number. */
#define GFP_TEXTS_MAX	  4096
#define GFP_TEXTS_LEN_MAX 512

struct gfp_texts {
	struct table masks; /* u64 mask -> char * */
};

struct gfp {
	struct flag_names names;
	struct gfp_masks masks;
	const struct gfp_texts *texts; /* the source's texts; may be NULL */
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

void gfp_texts_init(struct gfp_texts *t);
void gfp_texts_deinit(struct gfp_texts *t);

/* Add a text. The first one for a mask is kept. A text that is not made of names of flags is
 * ignored, as is one without memory. */
void gfp_texts_add(struct gfp_texts *t, uint64_t mask, const char *text, size_t len);

/* Names separated by '|', or NULL. */
const char *gfp_texts_find(const struct gfp_texts *t, uint64_t mask);

#endif
