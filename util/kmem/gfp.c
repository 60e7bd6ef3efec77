// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/gfp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Codes people know from the stock tool, but unique: there NF was also __GFP_NOFAIL and R
 * both __GFP_RETRY_MAYFAIL and __GFP_RECLAIM.  A new flag is one line here.
 */
static const struct {
	const char *name;
	const char *code;
} codes[] = {
	{"GFP_TRANSHUGE", "THP"},
	{"GFP_TRANSHUGE_LIGHT", "THL"},
	{"GFP_HIGHUSER_MOVABLE", "HUM"},
	{"GFP_HIGHUSER", "HU"},
	{"GFP_USER", "U"},
	{"GFP_KERNEL_ACCOUNT", "KAC"},
	{"GFP_KERNEL", "K"},
	{"GFP_TEMPORARY", "TMP"},
	{"GFP_NOFS", "NF"},
	{"GFP_ATOMIC", "A"},
	{"GFP_NOIO", "NI"},
	{"GFP_NOWAIT", "NW"},
	{"GFP_DMA", "D"},
	{"GFP_DMA32", "D32"},
	{"__GFP_DMA", "_D"},
	{"__GFP_DMA32", "_D32"},
	{"__GFP_HIGHMEM", "HM"},
	{"__GFP_HIGH", "H"},
	{"__GFP_ATOMIC", "_A"},
	{"__GFP_IO", "I"},
	{"__GFP_FS", "F"},
	{"__GFP_WAIT", "W"},
	{"__GFP_COLD", "CO"},
	{"__GFP_NOWARN", "NWR"},
	{"__GFP_REPEAT", "RP"},
	{"__GFP_RETRY_MAYFAIL", "RMF"},
	{"__GFP_NOFAIL", "NFL"},
	{"__GFP_NORETRY", "NR"},
	{"__GFP_COMP", "C"},
	{"__GFP_ZERO", "Z"},
	{"__GFP_NOMEMALLOC", "NMA"},
	{"__GFP_MEMALLOC", "MA"},
	{"__GFP_HARDWALL", "HW"},
	{"__GFP_THISNODE", "TN"},
	{"__GFP_RECLAIMABLE", "RC"},
	{"__GFP_MOVABLE", "M"},
	{"__GFP_ACCOUNT", "AC"},
	{"__GFP_NOACCOUNT", "NAC"},
	{"__GFP_NOTRACK", "NT"},
	{"__GFP_NO_KSWAPD", "NK"},
	{"__GFP_OTHER_NODE", "ON"},
	{"__GFP_WRITE", "WR"},
	{"__GFP_RECLAIM", "R"},
	{"__GFP_DIRECT_RECLAIM", "DR"},
	{"__GFP_KSWAPD_RECLAIM", "KR"},
	{"__GFP_ZEROTAGS", "ZT"},
	{"__GFP_SKIP_ZERO", "SZ"},
	{"__GFP_SKIP_KASAN", "SK"},
	{"__GFP_SKIP_KASAN_POISON", "SKP"},
	{"__GFP_SKIP_KASAN_UNPOISON", "SKU"},
	{"__GFP_NOLOCKDEP", "NLD"},
	{"__GFP_NO_OBJ_EXT", "NOE"},
};

void gfp_for_each(const struct flag_names *names, uint64_t mask,
		  void (*fn)(void *ctx, const char *name), void *ctx)
{
	char hex[24];

	for (size_t i = 0; i < names->nr && mask; i++) {
		if ((mask & names->v[i].mask) != names->v[i].mask)
			continue;
		fn(ctx, names->v[i].name);
		mask &= ~names->v[i].mask;
	}
	if (mask) {
		snprintf(hex, sizeof(hex), "0x%" PRIx64, mask);
		fn(ctx, hex);
	}
}

static void separate(struct strbuf *sb)
{
	if (sb->len && sb->buf[sb->len - 1] != '|')
		strbuf_addch(sb, '|');
}

static void add_name(void *ctx, const char *name)
{
	struct strbuf *sb = ctx;

	separate(sb);
	strbuf_addstr(sb, name);
}

static void add_code(void *ctx, const char *name)
{
	struct strbuf *sb = ctx;

	separate(sb);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (!strcmp(codes[i].name, name))
			name = codes[i].code;
	strbuf_addstr(sb, name);
}

static void format(struct strbuf *sb, const struct flag_names *names, uint64_t mask,
		   void (*add)(void *ctx, const char *name))
{
	if (!mask)
		strbuf_addstr(sb, "none");
	gfp_for_each(names, mask, add, sb);
}

void gfp_format(struct strbuf *sb, const struct flag_names *names, uint64_t mask)
{
	format(sb, names, mask, add_name);
}

void gfp_format_compact(struct strbuf *sb, const struct flag_names *names, uint64_t mask)
{
	format(sb, names, mask, add_code);
}
