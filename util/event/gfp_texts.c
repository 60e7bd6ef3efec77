// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/gfp_texts.h"

#include <stdlib.h>
#include <string.h>

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
