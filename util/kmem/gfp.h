/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gfp flags: a mask to names, and to the short codes of the page tables.
 *
 * Names are those of the recording's own print fmt, composed masks before their bits, as the
 * kernel prints them.  Bits without a name are given in hex.  Each code is unique.
 */
#ifndef KMEM_GFP_H
#define KMEM_GFP_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/tracepoint/print_flags.h"

/* Call fn for each name of the mask; bits left over come once, as "0x...". Nothing for 0. */
void gfp_for_each(const struct flag_names *names, uint64_t mask,
		  void (*fn)(void *ctx, const char *name), void *ctx);

/* "GFP_KERNEL|__GFP_ZERO"; "none" for 0. */
void gfp_format(struct strbuf *sb, const struct flag_names *names, uint64_t mask);

/* "K|Z"; "none" for 0. */
void gfp_format_compact(struct strbuf *sb, const struct flag_names *names, uint64_t mask);

#endif
