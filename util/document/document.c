// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/document/document.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 1

void document_init(struct document *d, unsigned int audience)
{
	*d = (struct document){.root = {.document = d}, .audience = audience};
}

static void section_deinit(struct document_section *s)
{
	for (size_t i = 0; i < s->nr_items; i++) {
		struct document_item *item = &s->items[i];

		switch (item->kind) {
		case DOCUMENT_NOTE:
			free(item->note.text);
			break;
		case DOCUMENT_SECTION:
			section_deinit(item->section);
			free(item->section);
			break;
		case DOCUMENT_TABLE:
		case DOCUMENT_FIGURE:
			break;
		}
	}
	free(s->items);
}

void document_deinit(struct document *d)
{
	section_deinit(&d->root);
	for (size_t i = 0; i < d->nr_owned; i++)
		free(d->owned[i]);
	free(d->owned);
	document_init(d, d->audience);
}

bool document_failed(const struct document *d)
{
	return d->failed;
}

bool document_is_for(const struct document_section *in, unsigned int audience)
{
	return in && in->document->audience & audience;
}

void *document_own(struct document *d, void *heap)
{
	void **owned = heap ? reallocarray(d->owned, d->nr_owned + 1, sizeof(*owned)) : NULL;

	if (!owned) {
		free(heap);
		d->failed = true;
		return NULL;
	}
	d->owned = owned;
	owned[d->nr_owned++] = heap;
	return heap;
}

/* Add an item. NULL if it is for another audience, or out of memory, which the document
 * remembers. */
static struct document_item *add_item(struct document_section *in, enum document_kind kind,
				      unsigned int audience)
{
	struct document_item *items;

	if (!document_is_for(in, audience))
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
					      const char *title, unsigned int audience)
{
	struct document_section *s;
	struct document_item *item;

	if (!document_is_for(in, audience))
		return NULL;
	s = calloc(1, sizeof(*s));
	item = s ? add_item(in, DOCUMENT_SECTION, audience) : NULL;
	if (!item) {
		in->document->failed = true;
		free(s);
		return NULL;
	}
	*s = (struct document_section){
		.document = in->document, .parent = in, .id = id, .title = title};
	item->section = s;
	return s;
}

struct document_section *document_add_styled(struct document_section *in, const char *title,
					     enum document_style style)
{
	struct document_section *s = document_add_section(in, NULL, title, FOR_PEOPLE);

	if (s)
		s->style = style;
	return s;
}

/* Takes ownership of the text, which is NULL if memory ran out. */
static void add_note(struct document_section *in, enum document_note_kind kind, const char *label,
		     char *text)
{
	struct document_item *item = text ? add_item(in, DOCUMENT_NOTE, FOR_PEOPLE) : NULL;

	if (item)
		item->note = (struct document_note){kind, label, text};
	else
		free(text);
	in->document->failed |= !item;
}

static void copy_note(struct document_section *in, enum document_note_kind kind, const char *label,
		      const char *text)
{
	if (*text && document_is_for(in, FOR_PEOPLE))
		add_note(in, kind, label, strdup(text));
}

void document_add_note(struct document_section *in, const char *text)
{
	copy_note(in, NOTE_PARAGRAPHS, NULL, text);
}

void document_add_item(struct document_section *in, const char *label, const char *text)
{
	copy_note(in, NOTE_ITEM, label, text);
}

void document_add_command(struct document_section *in, const char *label, const char *text)
{
	copy_note(in, NOTE_COMMAND, label, text);
}

void document_add_header(struct document_section *in, const char *label, const char *text)
{
	copy_note(in, NOTE_HEADER, label, text);
}

/* NULL if out of memory. */
static char *__attribute__((format(printf, 1, 0))) compose(const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;
	char *text;

	strbuf_vaddf(&sb, fmt, ap);
	text = sb.failed ? NULL : strbuf_detach(&sb);
	strbuf_deinit(&sb);
	return text;
}

static void __attribute__((format(printf, 3, 0)))
compose_note(struct document_section *in, enum document_note_kind kind, const char *fmt, va_list ap)
{
	char *text;

	if (!document_is_for(in, FOR_PEOPLE))
		return;
	text = compose(fmt, ap);
	if (text && !*text)
		free(text);
	else
		add_note(in, kind, NULL, text);
}

void document_add_line(struct document_section *in, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	compose_note(in, NOTE_LINE, fmt, ap);
	va_end(ap);
}

void document_add_comment(struct document_section *in, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	compose_note(in, NOTE_COMMENT, fmt, ap);
	va_end(ap);
}

struct value document_text(struct document_section *in, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!document_is_for(in, FOR_PEOPLE))
		return value_none();
	va_start(ap, fmt);
	text = document_own(in->document, compose(fmt, ap));
	va_end(ap);
	return value_text(text);
}

void document_add_figure(struct document_section *in, const char *id, struct value value,
			 unsigned int audience)
{
	struct document_item *item = add_item(in, DOCUMENT_FIGURE, audience);

	if (item)
		item->figure = (struct document_figure){.id = id, .value = value};
}

void document_add_values(struct document_section *in, const struct document_value *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		document_add_figure(in, v[i].id, v[i].value, FOR_DATA);
}

void document_add_versions(struct document *d)
{
	const struct document_value versions[] = {
		{"format_version", value_u64(FORMAT_VERSION)},
		{"program_version", value_text(VERSION)},
	};

	document_add_values(&d->root, versions, sizeof(versions) / sizeof(versions[0]));
}

void document_add_labelled_pair(struct document_section *in, const char *label, struct value value,
				struct value more)
{
	struct document_item *item = add_item(in, DOCUMENT_FIGURE, FOR_PEOPLE);

	if (item)
		item->figure =
			(struct document_figure){.label = label, .value = value, .more = more};
}

void document_add_labelled(struct document_section *in, const char *label, struct value value)
{
	document_add_labelled_pair(in, label, value, value_none());
}

void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context)
{
	for (size_t i = 0; i < nr_columns; i++) {
		const struct document_cell cell = {row, context, &columns[i], NULL};

		if (columns[i].id)
			document_add_figure(in, columns[i].id, columns[i].value(&cell),
					    FOR_PROGRAMS);
	}
}

void document_add_table(struct document_section *in, const struct document_table *table,
			unsigned int audience)
{
	struct document_item *item = add_item(in, DOCUMENT_TABLE, audience);

	if (item)
		item->table = *table;
}

struct value document_column_value(const struct document_column *column, const void *row,
				   const void *context, struct strbuf *scratch)
{
	const struct document_cell cell = {row, context, column, scratch};

	strbuf_reset(scratch);
	/* cppcheck-suppress returnDanglingLifetime ; the value does not point to the cell */
	return column->value(&cell);
}

void document_columns_init(struct document_columns *c, struct document *d, size_t cap)
{
	*c = (struct document_columns){.document = d};
	c->v = document_own(d, calloc(cap + 1, sizeof(*c->v)));
	c->cap = c->v ? cap : 0;
}

void document_columns_add(struct document_columns *c, const struct document_column *column)
{
	if (c->nr < c->cap && document_column_audience(column) & c->document->audience)
		c->v[c->nr++] = *column;
}

void document_columns_add_all(struct document_columns *c, const struct document_column *v,
			      size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		document_columns_add(c, &v[i]);
}
