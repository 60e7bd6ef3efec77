/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gfp_texts: what a kernel printed for masks of gfp flags, "GFP_KERNEL|__GFP_ZERO" for
 * 0xdc0, where a source tells that for each mask but not which kernel it was.
 */
#ifndef EVENT_GFP_TEXTS_H
#define EVENT_GFP_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/table.h"

/* Kernels use some fifty; those beyond are not kept, so that a made-up file does not fill memory.
 */
#define GFP_TEXTS_MAX	  4096
#define GFP_TEXTS_LEN_MAX 512

struct gfp_texts {
	struct table masks; /* u64 mask -> char * */
};

void gfp_texts_init(struct gfp_texts *t);
void gfp_texts_deinit(struct gfp_texts *t);

/* The first one counts. What is not made of names of flags, or for which memory is short, is not
 * kept. */
void gfp_texts_add(struct gfp_texts *t, uint64_t mask, const char *text, size_t len);

/* Names separated by '|'; NULL: not told. */
const char *gfp_texts_find(const struct gfp_texts *t, uint64_t mask);

#endif
