/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gfp flags by kernel version, for recordings that do not tell them.
 *
 * A print fmt names the flags with their values, and that is what counts; these tables
 * serve where it is missing or written with enum names (___GFP_IO_BIT) whose values the kernel
 * did not export (6.10 to about 6.17).  The numbers changed at the versions of the table, as
 * include/linux/gfp.h and gfp_types.h of those kernels and the masks in their logs have them.
 * Bits that depend on the kernel's configuration have no name here and print in hex.
 */
#ifndef KMEM_GFP_BITS_H
#define KMEM_GFP_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flag_names;

/* The flags of one span of versions. */
struct gfp_era;

/* release: "6.1.0-13-amd64"; what cannot be read, or NULL, is taken for the newest. */
const struct gfp_era *gfp_era_of(const char *release);

/* The value of an identifier such as ___GFP_IO_BIT (len bytes); false: not known. */
bool gfp_era_bit(const struct gfp_era *era, const char *identifier, size_t len, uint64_t *ret_bit);

/* All names of the era, composed masks before their bits. Returns 0 or -ENOMEM. */
int gfp_era_names(const struct gfp_era *era, struct flag_names *names);

#endif
