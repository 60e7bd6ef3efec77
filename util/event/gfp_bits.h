/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gfp flags by kernel version, for recordings without them.
 *
 * A print fmt has the names of the flags with their values, and takes precedence. These tables are
 * used if it is missing or uses enum names (___GFP_IO_BIT) whose values the kernel does not export
 * (6.10 to about 6.17). The numbers changed at the versions in the table, according to
 * include/linux/gfp.h and gfp_types.h of those kernels and the masks in their logs. Bits that
 * depend on the kernel's configuration have no name here and print in hex.
 */
#ifndef EVENT_GFP_BITS_H
#define EVENT_GFP_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flag_names;

/* The flags of a range of versions. */
struct gfp_era;

/* release: "6.1.0-13-amd64"; NULL, or one that does not parse, stands for the newest. */
const struct gfp_era *gfp_era_of(const char *release);

/* The value of an identifier such as ___GFP_IO_BIT (len bytes). Returns false if it is unknown. */
bool gfp_era_bit(const struct gfp_era *era, const char *identifier, size_t len, uint64_t *ret_bit);

/* All names of the era, combined masks before their bits. Returns 0, or -ENOMEM. */
int gfp_era_names(const struct gfp_era *era, struct flag_names *names);

#endif
