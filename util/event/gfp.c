// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/gfp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/gfp_bits.h"

/*
 * The codes of the stock tool, made unique: there NF is also __GFP_NOFAIL, and R both
 * __GFP_RETRY_MAYFAIL and __GFP_RECLAIM. A new flag is a line here.
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

/* A const_expr_word_fn. */
static bool word_of_era(const void *era, const char *word, size_t len, uint64_t *ret_value)
{
	return gfp_era_bit(era, word, len, ret_value);
}

/* name: without "__GFP_". */
static uint32_t mask_of(const struct flag_names *names, const struct gfp_era *era, const char *name)
{
	char flag[32], identifier[48];
	uint64_t bit;

	snprintf(flag, sizeof(flag), "__GFP_%s", name);
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i].name, flag))
			return (uint32_t)names->v[i].mask;
	snprintf(identifier, sizeof(identifier), "___GFP_%s_BIT", name);
	return gfp_era_bit(era, identifier, strlen(identifier), &bit) ? 1u << bit : 0;
}

/*
 * A kernel without memory cgroups ignores __GFP_ACCOUNT, and the print fmt of kmalloc says so
 * (include/trace/events/kmem.h since 6.2, IS_ENABLED(CONFIG_MEMCG)).
 */
static bool nothing_is_accounted(const struct trace_text *format)
{
	static const char off[] = "(0 && (REC->gfp_flags & ";

	return memmem(format->text, format->len, off, sizeof(off) - 1) != NULL;
}

int gfp_init(struct gfp *g, const struct tracing_data *formats, const char *release)
{
	const struct gfp_era *era = gfp_era_of(release);
	bool accounted = true;

	*g = (struct gfp){0};
	for (size_t i = 0; i < formats->nr_formats; i++) {
		const struct trace_text *f = &formats->formats[i].text;

		if (!g->names.nr &&
		    flag_names_parse(&g->names, f->text, f->len, "gfp_flags", word_of_era, era))
			return -ENOMEM;
		accounted &= !nothing_is_accounted(f);
	}
	if (!g->names.nr && gfp_era_names(era, &g->names)) {
		gfp_deinit(g);
		return -ENOMEM;
	}
	g->masks = (struct gfp_masks){
		.account = accounted ? mask_of(&g->names, era, "ACCOUNT") : 0,
		.dma = mask_of(&g->names, era, "DMA"),
		.reclaimable = mask_of(&g->names, era, "RECLAIMABLE"),
	};
	return 0;
}

void gfp_deinit(struct gfp *g)
{
	flag_names_deinit(&g->names);
}

/* "GFP_KERNEL|__GFP_ZERO" */
static void for_each_text(const char *text, void (*fn)(void *ctx, const char *name), void *ctx)
{
	char name[GFP_TEXTS_LEN_MAX + 1];

	while (*text) {
		size_t len = strcspn(text, "|");

		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		fn(ctx, name);
		text += len + (text[len] == '|');
	}
}

void gfp_for_each(const struct gfp *g, uint64_t mask, void (*fn)(void *ctx, const char *name),
		  void *ctx)
{
	const char *text = g->texts ? gfp_texts_find(g->texts, mask) : NULL;
	const struct flag_names *names = &g->names;
	char hex[24];

	if (text) {
		for_each_text(text, fn, ctx);
		return;
	}
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

static void format(struct strbuf *sb, const struct gfp *g, uint64_t mask,
		   void (*add)(void *ctx, const char *name))
{
	if (!mask)
		strbuf_addstr(sb, "none");
	gfp_for_each(g, mask, add, sb);
}

void gfp_format(struct strbuf *sb, const struct gfp *g, uint64_t mask)
{
	format(sb, g, mask, add_name);
}

void gfp_format_compact(struct strbuf *sb, const struct gfp *g, uint64_t mask)
{
	format(sb, g, mask, add_code);
}

struct text_row {
	uint64_t mask;
	char *text;
};

void gfp_texts_init(struct gfp_texts *t)
{
	table_init(&t->masks, sizeof(struct text_row), sizeof(uint64_t));
}

void gfp_texts_deinit(struct gfp_texts *t)
{
	for (uint32_t i = 0; i < t->masks.nr; i++)
		free(((struct text_row *)table_row(&t->masks, i))->text);
	table_deinit(&t->masks);
}

void gfp_texts_add(struct gfp_texts *t, uint64_t mask, const char *text, size_t len)
{
	/* names, and unnamed bits as "0x..." */
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_|0123456789abcdefx";
	struct text_row *row;
	char *copy;

	if (!len || len > GFP_TEXTS_LEN_MAX || t->masks.nr >= GFP_TEXTS_MAX ||
	    table_find(&t->masks, &mask))
		return;
	copy = strndup(text, len);
	row = copy && strspn(copy, letters) == len ? table_insert(&t->masks, &mask) : NULL;
	if (row)
		row->text = copy;
	else
		free(copy);
}

const char *gfp_texts_find(const struct gfp_texts *t, uint64_t mask)
{
	const struct text_row *row = table_find(&t->masks, &mask);

	return row ? row->text : NULL;
}
