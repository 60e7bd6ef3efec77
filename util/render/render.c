// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/render.h"

static void render_item(const struct render_ops *ops, void *state, const struct document_item *item)
{
	switch (item->kind) {
	case DOCUMENT_NOTE:
		if (ops->note)
			ops->note(state, &item->note);
		break;
	case DOCUMENT_FIGURE:
		if (ops->figure)
			ops->figure(state, &item->figure);
		break;
	case DOCUMENT_TABLE:
		if (ops->table)
			ops->table(state, &item->table);
		break;
	case DOCUMENT_SECTION:
		render_section(ops, state, item->section);
		break;
	}
}

void render_section(const struct render_ops *ops, void *state, const struct document_section *s)
{
	if (ops->open)
		ops->open(state, s);
	for (size_t i = 0; i < s->nr_items; i++)
		if (s->items[i].audience & ops->audience)
			render_item(ops, state, &s->items[i]);
	if (ops->close)
		ops->close(state, s);
}
