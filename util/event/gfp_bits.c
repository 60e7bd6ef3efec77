// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/gfp_bits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/tracepoint/print_flags.h"

#define BITS 28

struct gfp_era {
	unsigned int major, minor; /* the first version */
	const char *bits[BITS];	   /* without "__GFP_"; NULL if unnamed */
	bool nowait_is_quiet;	   /* GFP_NOWAIT contains NOWARN */
};

/* All eras have the zones; the newest era is last. */
#define ZONES "DMA", "HIGHMEM", "DMA32", "MOVABLE"
#define LOW   ZONES, "RECLAIMABLE", "HIGH", "IO", "FS"

#define SINCE_6_3                                                                                  \
	LOW, "ZERO", NULL, "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "WRITE", "NOWARN", "RETRY_MAYFAIL", \
		"NOFAIL", "NORETRY", "MEMALLOC", "COMP", "NOMEMALLOC", "HARDWALL", "THISNODE",     \
		"ACCOUNT", "ZEROTAGS"

static const struct gfp_era eras[] = {
	{2, 6, {ZONES,	   "WAIT",	 "HIGH",       "IO",	   "FS",	  "COLD",
		"NOWARN",  "REPEAT",	 "NOFAIL",     "NORETRY",  "MEMALLOC",	  "COMP",
		"ZERO",	   "NOMEMALLOC", "HARDWALL",   "THISNODE", "RECLAIMABLE", NULL,
		"NOTRACK", "NO_KSWAPD",	 "OTHER_NODE", "WRITE"}},
	{4,
	 4,
	 {LOW, "COLD", "NOWARN", "REPEAT", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "ZERO",
	  "NOMEMALLOC", "HARDWALL", "THISNODE", "ATOMIC", "ACCOUNT", "NOTRACK", "DIRECT_RECLAIM",
	  "OTHER_NODE", "WRITE", "KSWAPD_RECLAIM"}},
	{4,
	 10,
	 {LOW, "COLD", "NOWARN", "REPEAT", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "ZERO",
	  "NOMEMALLOC", "HARDWALL", "THISNODE", "ATOMIC", "ACCOUNT", "NOTRACK", "DIRECT_RECLAIM",
	  "WRITE", "KSWAPD_RECLAIM"}},
	{4,
	 13,
	 {LOW, "COLD", "NOWARN", "RETRY_MAYFAIL", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "ZERO",
	  "NOMEMALLOC", "HARDWALL", "THISNODE", "ATOMIC", "ACCOUNT", "NOTRACK", "DIRECT_RECLAIM",
	  "WRITE", "KSWAPD_RECLAIM"}},
	{4,
	 17,
	 {LOW, "WRITE", "NOWARN", "RETRY_MAYFAIL", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "ZERO",
	  "NOMEMALLOC", "HARDWALL", "THISNODE", "ATOMIC", "ACCOUNT", "DIRECT_RECLAIM",
	  "KSWAPD_RECLAIM"}},
	{5,
	 1,
	 {LOW, "ZERO", "ATOMIC", "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "WRITE", "NOWARN",
	  "RETRY_MAYFAIL", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "NOMEMALLOC", "HARDWALL",
	  "THISNODE", "ACCOUNT"}},
	{5,
	 14,
	 {LOW, "ZERO", "ATOMIC", "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "WRITE", "NOWARN",
	  "RETRY_MAYFAIL", "NOFAIL", "NORETRY", "MEMALLOC", "COMP", "NOMEMALLOC", "HARDWALL",
	  "THISNODE", "ACCOUNT", "ZEROTAGS"}},
	{6, 3, {SINCE_6_3}},
	{6,
	 8,
	 {SINCE_6_3},
	 .nowait_is_quiet = true}, /* "gfp: Include __GFP_NOWARN in GFP_NOWAIT" */
};

#define NR_ERAS (sizeof(eras) / sizeof(eras[0]))

/*
 * Combined masks, larger ones first. A mask does not exist in an era that lacks one of its bits, or
 * that has the bit in `unless`. RECLAIM stands for both reclaim bits, or for WAIT before 4.4.
 */
static const struct {
	const char *name;
	const char *bits;
	const char *unless; /* NULL: in every era */
} composed[] = {
	{"GFP_TRANSHUGE", "DIRECT_RECLAIM IO FS HARDWALL HIGHMEM MOVABLE COMP NOMEMALLOC NOWARN"},
	{"GFP_TRANSHUGE_LIGHT", "IO FS HARDWALL HIGHMEM MOVABLE COMP NOMEMALLOC NOWARN"},
	{"GFP_HIGHUSER_MOVABLE", "RECLAIM IO FS HARDWALL HIGHMEM MOVABLE"},
	{"GFP_HIGHUSER", "RECLAIM IO FS HARDWALL HIGHMEM"},
	{"GFP_USER", "RECLAIM IO FS HARDWALL"},
	{"GFP_KERNEL_ACCOUNT", "RECLAIM IO FS ACCOUNT"},
	{"GFP_KERNEL", "RECLAIM IO FS"},
	{"GFP_NOFS", "RECLAIM IO"},
	{"GFP_ATOMIC", "HIGH ATOMIC KSWAPD_RECLAIM"},
	/* since 6.3, "mm: discard __GFP_ATOMIC" */
	{"GFP_ATOMIC", "HIGH KSWAPD_RECLAIM", "ATOMIC"},
	{"GFP_NOIO", "RECLAIM"},
	{"GFP_NOWAIT", NULL}, /* see nowait_is_quiet */
	{"__GFP_RECLAIM", "DIRECT_RECLAIM KSWAPD_RECLAIM"},
};

const struct gfp_era *gfp_era_of(const char *release)
{
	unsigned int major, minor;

	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2)
		return &eras[NR_ERAS - 1];
	for (size_t i = NR_ERAS; i-- > 1;)
		if (major > eras[i].major || (major == eras[i].major && minor >= eras[i].minor))
			return &eras[i];
	return &eras[0];
}

static uint64_t mask_of(const struct gfp_era *era, const char *name, size_t len)
{
	for (int i = 0; i < BITS; i++)
		if (era->bits[i] && strlen(era->bits[i]) == len && !memcmp(era->bits[i], name, len))
			return 1ull << i;
	return 0;
}

bool gfp_era_bit(const struct gfp_era *era, const char *identifier, size_t len, uint64_t *ret_bit)
{
	static const char prefix[] = "___GFP_", suffix[] = "_BIT";
	const size_t around = sizeof(prefix) - 1 + sizeof(suffix) - 1;
	uint64_t mask;

	if (len <= around || memcmp(identifier, prefix, sizeof(prefix) - 1) != 0 ||
	    memcmp(identifier + len - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1) != 0)
		return false;
	mask = mask_of(era, identifier + sizeof(prefix) - 1, len - around);
	if (!mask)
		return false;
	*ret_bit = (uint64_t)__builtin_ctzll(mask);
	return true;
}

/* 0 if the era lacks one of the bits. */
static uint64_t composed_mask(const struct gfp_era *era, const char *bits)
{
	uint64_t all = 0;

	while (*bits) {
		size_t len = strcspn(bits, " ");
		uint64_t mask = mask_of(era, bits, len);

		if (!mask && len == 7 && !memcmp(bits, "RECLAIM", 7)) {
			mask = mask_of(era, "WAIT", 4);
			if (!mask)
				mask = mask_of(era, "DIRECT_RECLAIM", 14) |
				       mask_of(era, "KSWAPD_RECLAIM", 14);
		}
		if (!mask)
			return 0;
		all |= mask;
		bits += len;
		bits += strspn(bits, " ");
	}
	return all;
}

int gfp_era_names(const struct gfp_era *era, struct flag_names *names)
{
	const char *nowait = era->nowait_is_quiet ? "KSWAPD_RECLAIM NOWARN" : "KSWAPD_RECLAIM";
	char name[64];

	for (size_t i = 0; i < sizeof(composed) / sizeof(composed[0]); i++) {
		const char *unless = composed[i].unless;
		uint64_t mask = composed_mask(era, composed[i].bits ? composed[i].bits : nowait);

		if (unless && mask_of(era, unless, strlen(unless)))
			continue;
		if (mask && flag_names_add(names, mask, composed[i].name, strlen(composed[i].name)))
			return -ENOMEM;
	}
	for (int i = 0; i < BITS; i++) {
		if (!era->bits[i])
			continue;
		snprintf(name, sizeof(name), "__GFP_%s", era->bits[i]);
		if (flag_names_add(names, 1ull << i, name, strlen(name)))
			return -ENOMEM;
	}
	return 0;
}
