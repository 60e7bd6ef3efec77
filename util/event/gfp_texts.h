/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gfp_texts: the texts that a kernel printed for masks of gfp flags, such as
 * "GFP_KERNEL|__GFP_ZERO" for 0xdc0, for sources that have these texts but not the kernel's
 * version.
 */
#ifndef EVENT_GFP_TEXTS_H
#define EVENT_GFP_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/table.h"

/* Limit of texts. Kernels use about fifty; a hostile file may have any number. */
#define GFP_TEXTS_MAX	  4096
#define GFP_TEXTS_LEN_MAX 512

struct gfp_texts {
	struct table masks; /* u64 mask -> char * */
};

void gfp_texts_init(struct gfp_texts *t);
void gfp_texts_deinit(struct gfp_texts *t);

/* Add a text. The first one for a mask is kept. A text that is not made of names of flags is
 * ignored, as is one without memory. */
void gfp_texts_add(struct gfp_texts *t, uint64_t mask, const char *text, size_t len);

/* Names separated by '|', or NULL. */
const char *gfp_texts_find(const struct gfp_texts *t, uint64_t mask);

#endif
