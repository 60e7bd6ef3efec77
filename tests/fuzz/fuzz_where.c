// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile texts for a balance, one in each entry (entries.h). Each line with children is their sum,
 * and so are the changes from a balance without children.
 */
#include <stdlib.h>

#include "tests/fuzz/entries.h"
#include "util/where/growth.h"
#include "util/where/partition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_text(void *ctx, const char *name, const uint8_t *body, size_t size)
{
	struct where_texts *t = ctx;

	for (int i = 0; i < WHERE_TEXTS_NR; i++)
		if (!strcmp(where_text_name(i), name)) {
			strbuf_add(&t->v[i].text, body, size);
			t->v[i].missing = NULL;
		}
	if (!strcmp(name, "64K"))
		t->facts.page_size = 65536;
}

static void check_sums(const struct balance *b)
{
	int64_t *sums = calloc(b->nr, sizeof(*sums));

	if (!sums)
		abort();
	for (uint32_t i = 1; i < b->nr; i++) {
		if (b->v[i].parent >= i || b->v[i].depth != b->v[b->v[i].parent].depth + 1)
			abort();
		sums[b->v[i].parent] += b->v[i].bytes;
	}
	/* lines beyond the limit are left out */
	for (uint32_t i = 0; i < b->nr && b->nr < BALANCE_LINES_MAX; i++)
		if (!b->v[i].is_leaf && sums[i] != b->v[i].bytes)
			abort();
	free(sums);
}

static void check_growth(const struct balance *new)
{
	struct balance old;
	struct growth g;
	int64_t sum = 0;

	balance_init(&old, 0);
	balance_finish(&old);
	growth_init(&g, &old, new, 1);
	if (g.failed)
		abort();
	for (size_t i = 0; i < g.nr; i++)
		sum += g.v[i].change;
	if (sum != new->v[0].bytes &&new->nr < BALANCE_LINES_MAX)
		abort();
	growth_deinit(&g);
	balance_deinit(&old);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct where_texts t;
	struct partition p;

	if (!size || data[0] != '@')
		return 0;
	where_texts_init(&t);
	t.facts.page_size = 4096;
	entries_for_each(data, size, add_text, &t);
	if (!partition_init(&p, &t)) {
		check_sums(&p.balance);
		/* quadratic in the number of lines */
		if (p.balance.nr < 1000)
			check_growth(&p.balance);
		partition_deinit(&p);
	}
	where_texts_deinit(&t);
	return 0;
}
