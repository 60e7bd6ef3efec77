// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/document/document.h"

#include <stdlib.h>
#include <string.h>

void document_init(struct document *d)
{
	*d = (struct document){.root = {.document = d}};
}

static void section_deinit(struct document_section *s)
{
	for (size_t i = 0; i < s->nr_items; i++) {
		struct document_item *item = &s->items[i];

		switch (item->kind) {
		case DOCUMENT_NOTE:
			free(item->note);
			break;
		case DOCUMENT_TABLE:
			free(item->table.owned);
			break;
		case DOCUMENT_SECTION:
			section_deinit(item->section);
			free(item->section);
			break;
		case DOCUMENT_FIGURE:
			break;
		}
	}
	free(s->items);
}

void document_deinit(struct document *d)
{
	section_deinit(&d->root);
	document_init(d);
}

bool document_failed(const struct document *d)
{
	return d->failed;
}

/* Room for one more item; NULL: no memory, which the document remembers. */
static struct document_item *add_item(struct document_section *in, enum document_kind kind,
				      enum document_audience audience)
{
	struct document_item *items;

	if (!in)
		return NULL;
	items = reallocarray(in->items, in->nr_items + 1, sizeof(*items));
	if (!items) {
		in->document->failed = true;
		return NULL;
	}
	in->items = items;
	items += in->nr_items++;
	*items = (struct document_item){.kind = kind, .audience = audience};
	return items;
}

struct document_section *document_add_section(struct document_section *in, const char *id,
					      const char *title, enum document_audience audience)
{
	struct document_section *s = calloc(1, sizeof(*s));
	struct document_item *item = NULL;

	if (s)
		item = add_item(in, DOCUMENT_SECTION, audience);
	else if (in)
		in->document->failed = true;
	if (!item) {
		free(s);
		return NULL;
	}
	*s = (struct document_section){
		.document = in->document, .parent = in, .id = id, .kind = "report", .title = title};
	item->section = s;
	return s;
}

void document_add_note(struct document_section *in, const char *text)
{
	struct document_item *item;

	if (!*text)
		return;
	item = add_item(in, DOCUMENT_NOTE, FOR_PEOPLE);
	if (!item)
		return;
	item->note = strdup(text);
	in->document->failed |= !item->note;
}

void document_add_figure(struct document_section *in, const char *id, struct value value,
			 enum document_audience audience)
{
	struct document_item *item = add_item(in, DOCUMENT_FIGURE, audience);

	if (!item)
		return;
	item->figure.id = id;
	item->figure.value = value;
}

void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context)
{
	for (size_t i = 0; i < nr_columns; i++)
		if (columns[i].id)
			document_add_figure(in, columns[i].id, columns[i].value(row, context),
					    FOR_PROGRAMS);
}

void document_add_table(struct document_section *in, const struct document_table *table,
			enum document_audience audience)
{
	struct document_item *item = add_item(in, DOCUMENT_TABLE, audience);

	if (item)
		item->table = *table;
	else
		free(table->owned);
}
