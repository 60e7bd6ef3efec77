// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "html": one self-contained file that draws the document in a browser.
 *
 * The file is a fixed page (util/render/html, embedded when the program is built) that contains the
 * document as JSON and a script that draws it. Data never become markup: '<' is escaped in the
 * JSON, the script inserts strings as text nodes, and the page's Content-Security-Policy allows
 * only the built-in script.
 *
 * Repeated names are written once: strings, frames (a call site each) and stacks (a tree of
 * frames); cells contain their numbers. util/render/html/README.md describes the JSON. At most
 * ROWS_MAX rows of a table are written, and the others are summed up in one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/render/form.h"
#include "util/render/html_names.h"
#include "util/render/json.h"
#include "util/render/value_text.h"

#ifdef HAVE_D3
#include "util/render/html_page.h"

#define ROWS_MAX 20000

struct page {
	struct json j;
	struct html_names names;
	struct strbuf scratch;
	const struct document_column *columns; /* of the previous table */
	bool failed;
};

/* ---- values ---------------------------------------------------------------------------------- */

static const char *kind_name(const struct value *v)
{
	static const char *const names[] = {
		[VALUE_U64] = "count",
		[VALUE_I64] = "number",
		[VALUE_CHANGE] = "change",
		[VALUE_REAL] = "real",
		[VALUE_PERCENT] = "percent",
		[VALUE_BYTES] = "bytes",
		[VALUE_BYTES_CHANGE] = "bytes_change",
		[VALUE_NS] = "ns",
		[VALUE_HEX] = "hex",
		[VALUE_BOOL] = "bool",
		[VALUE_TEXT] = "text",
		[VALUE_CALLSITE] = "callsite",
		[VALUE_STACK] = "stack",
		[VALUE_NUMBERS] = "numbers",
		[VALUE_STRINGS] = "strings",
		[VALUE_HISTOGRAM] = "histogram",
	};

	return v->is_id ? "id" : names[v->kind]; /* NULL if unknown */
}

static void write_list_string(void *ctx, const char *text)
{
	struct page *p = ctx;

	json_i64(&p->j, NULL, html_names_string(&p->names, text));
}

static void write_histogram(struct json *j, const char *key, const struct value_histogram *h)
{
	json_open(j, key, '[', true);
	for (unsigned int i = 0; h->source && i < VALUE_OCTAVES; i++)
		json_u64(j, NULL, h->count(h->source, i));
	json_close(j, ']');
}

static void write_value(struct page *p, const char *key, const struct value *v)
{
	struct json *j = &p->j;

	if (json_plain_value(j, key, v))
		return;
	switch (v->kind) {
	case VALUE_TEXT:
		json_i64(j, key, html_names_string(&p->names, v->text));
		break;
	case VALUE_CALLSITE:
		json_u64(j, key, html_names_frame(&p->names, &v->callsite));
		break;
	case VALUE_STACK:
		if (v->stack.nr)
			json_u64(j, key, html_names_stack(&p->names, &v->stack));
		else
			json_string(j, key, NULL);
		break;
	case VALUE_STRINGS:
		json_open(j, key, '[', true);
		v->strings.for_each(&v->strings, write_list_string, p);
		json_close(j, ']');
		break;
	case VALUE_HISTOGRAM:
		write_histogram(j, key, &v->histogram);
		break;
	default: /* absent; or a tree, which reports in this format do not have */
		json_string(j, key, NULL);
		break;
	}
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A column of the page. */
struct page_column {
	const struct document_column *column;
	const char *id;	  /* as in JSON; NULL if only in text */
	const char *kind; /* of its values; NULL before the first one */
	bool shown;	  /* by default */
	double folded;	  /* the sum over the rows that are not written */
};

static bool is_for(const struct document_column *c, unsigned int audience)
{
	return document_column_audience(c) & audience;
}

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether two columns show the same values to different audiences. */
static bool are_twins(const struct document_column *a, const struct document_column *b)
{
	if (a->value == b->value && a->arg == b->arg && a->index == b->index)
		return true;
	return a->id && same_name(a->id, b->id) && same_name(a->group, b->group);
}

/* First the columns of text output in their order, then those that only JSON has. Returns NULL if
 * out of memory. */
static struct page_column *choose_columns(const struct document_table *t, size_t *ret_nr)
{
	struct page_column *v = calloc(t->nr_columns + 1, sizeof(*v));
	size_t nr = 0;

	for (size_t i = 0; v && i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];

		if (is_for(c, FOR_PEOPLE) && (c->heading || c->id))
			v[nr++] = (struct page_column){.column = c, .id = c->id, .shown = true};
	}
	for (size_t i = 0; v && i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];
		size_t twin = 0;

		if (!is_for(c, FOR_PROGRAMS | FOR_PAGES))
			continue;
		while (twin < nr && !are_twins(v[twin].column, c))
			twin++;
		if (twin == nr)
			v[nr++].column = c;
		v[twin].id = c->id;
	}
	*ret_nr = nr;
	return v;
}

static void write_columns(struct page *p, const struct document_table *t,
			  const struct page_column *v, size_t nr)
{
	json_open(&p->j, "columns", '[', false);
	for (size_t i = 0; i < nr; i++) {
		const struct document_column *c = v[i].column;

		json_open(&p->j, NULL, '{', true);
		json_string(&p->j, "id", v[i].id);
		json_string(&p->j, "group", c->group);
		json_string(&p->j, "heading", c->heading);
		json_bool(&p->j, "shown", v[i].shown);
		json_bool(&p->j, "key", c->is_key);
		json_bool(&p->j, "adds_up", c->adds_up);
		if (document_column_is_sorted(t, c))
			json_string(&p->j, "sorted", t->ascending ? "ascending" : "descending");
		json_close(&p->j, '}');
	}
	json_close(&p->j, ']');
}

static void write_row(struct page *p, const struct document_table *t, struct page_column *v,
		      size_t nr, const void *row)
{
	json_open(&p->j, NULL, '[', true);
	for (size_t i = 0; i < nr; i++) {
		struct value value = document_table_value(t, v[i].column, row, &p->scratch);

		v[i].kind = v[i].kind ? v[i].kind : kind_name(&value);
		write_value(p, NULL, &value);
	}
	json_close(&p->j, ']');
}

static double number_of(const struct value *v)
{
	switch (v->kind) {
	case VALUE_U64:
	case VALUE_BYTES:
	case VALUE_NS:
		return (double)v->u64;
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		return (double)v->i64;
	case VALUE_REAL:
		return v->real;
	default:
		return 0;
	}
}

static void fold_row(struct page *p, const struct document_table *t, struct page_column *v,
		     size_t nr, const void *row)
{
	for (size_t i = 0; i < nr; i++) {
		struct value value;

		if (!v[i].column->adds_up)
			continue;
		value = document_table_value(t, v[i].column, row, &p->scratch);
		v[i].folded += number_of(&value);
	}
}

static void write_folded(struct page *p, const struct page_column *v, size_t nr, uint64_t rows)
{
	json_open(&p->j, "folded", '{', true);
	json_u64(&p->j, "rows", rows);
	json_open(&p->j, "sums", '[', true);
	for (size_t i = 0; i < nr; i++)
		if (v[i].column->adds_up)
			json_double(&p->j, NULL, v[i].folded, 0);
		else
			json_string(&p->j, NULL, NULL);
	json_close(&p->j, ']');
	json_close(&p->j, '}');
}

static void write_rows(struct page *p, const struct document_table *t, struct page_column *v,
		       size_t nr)
{
	struct document_row_buf buf;

	json_open(&p->j, "rows", '[', false);
	for (uint64_t i = 0; i < t->nr_rows && i < ROWS_MAX; i++)
		write_row(p, t, v, nr, document_table_row(t, i, &buf));
	json_close(&p->j, ']');
	for (uint64_t i = ROWS_MAX; i < t->nr_rows; i++)
		fold_row(p, t, v, nr, document_table_row(t, i, &buf));
	if (t->nr_rows > ROWS_MAX)
		write_folded(p, v, nr, t->nr_rows - ROWS_MAX);
	json_open(&p->j, "kinds", '[', true);
	for (size_t i = 0; i < nr; i++)
		json_string(&p->j, NULL, v[i].kind);
	json_close(&p->j, ']');
}

static void write_table(struct page *p, const struct document_table *t)
{
	struct page_column *v;
	size_t nr;

	/* text output shows some rows of the previous table separately; the page has them
	 * already */
	if (t->columns == p->columns)
		return;
	p->columns = t->columns;
	v = choose_columns(t, &nr);
	if (!v) {
		p->failed = true;
		return;
	}
	json_open(&p->j, NULL, '{', false);
	json_string(&p->j, "item", "table");
	json_string(&p->j, "id", t->id);
	json_string(&p->j, "title", t->title);
	json_u64(&p->j, "rows_total", t->rows_total);
	write_columns(p, t, v, nr);
	write_rows(p, t, v, nr);
	json_close(&p->j, '}');
	free(v);
}

/* ---- the other items ------------------------------------------------------------------------- */

static void write_note(struct page *p, const struct document_note *n)
{
	static const char *const kinds[] = {
		[NOTE_PARAGRAPHS] = "paragraphs",
		[NOTE_LINE] = "line",
		[NOTE_ITEM] = "item",
		[NOTE_HEADER] = "header",
		[NOTE_COMMENT] = "comment",
		[NOTE_COMMAND] = "item",
	};

	json_open(&p->j, NULL, '{', true);
	json_string(&p->j, "item", "note");
	json_string(&p->j, "kind", kinds[n->kind]);
	json_string(&p->j, "label", n->label);
	json_string(&p->j, "text", n->text);
	json_close(&p->j, '}');
}

static void write_figure(struct page *p, const struct document_figure *f)
{
	json_open(&p->j, NULL, '{', true);
	json_string(&p->j, "item", "figure");
	json_string(&p->j, "id", f->id);
	json_string(&p->j, "label", f->label);
	json_string(&p->j, "kind", kind_name(&f->value));
	write_value(p, "value", &f->value);
	if (f->more.kind != VALUE_NONE) {
		strbuf_reset(&p->scratch);
		value_add_text(&p->scratch, &(struct render_options){.thousands_sep = ","},
			       &f->more);
		json_string(&p->j, "more", p->scratch.buf);
	}
	json_close(&p->j, '}');
}

static void write_section(struct page *p, const struct document_section *s)
{
	/* another section's table with such columns has rows of its own */
	p->columns = NULL;
	json_open(&p->j, s->parent ? NULL : "document", '{', false);
	json_string(&p->j, "item", "section");
	json_string(&p->j, "id", s->id);
	json_string(&p->j, "title", s->title);
	json_bool(&p->j, "missing", s->is_missing);
	json_open(&p->j, "items", '[', false);
	for (size_t i = 0; i < s->nr_items; i++) {
		const struct document_item *item = &s->items[i];

		switch (item->kind) {
		case DOCUMENT_NOTE:
			write_note(p, &item->note);
			break;
		case DOCUMENT_FIGURE:
			write_figure(p, &item->figure);
			break;
		case DOCUMENT_TABLE:
			write_table(p, &item->table);
			break;
		case DOCUMENT_SECTION:
			/* text and the page have tables instead of lists of objects */
			if (item->audience & FOR_PEOPLE || !item->section->is_list)
				write_section(p, item->section);
			break;
		}
	}
	json_close(&p->j, ']');
	json_close(&p->j, '}');
}

static void init(struct page *p, FILE *out, const struct render_options *o)
{
	*p = (struct page){.scratch = STRBUF_INIT};
	html_names_init(&p->names, o->raw_ip);
	json_init(&p->j, out);
	p->j.in_markup = true;
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	struct page p;
	int ret;

	init(&p, out, o);
	fwrite(html_page_head, 1, sizeof(html_page_head), out);
	json_open(&p.j, NULL, '{', false);
	json_u64(&p.j, "version", 1);
	json_string(&p.j, "command", o->command ? o->command : "perf kmem");
	write_section(&p, &d->root);
	html_names_write(&p.names, &p.j);
	json_close(&p.j, '}');
	ret = json_finish(&p.j);
	fwrite(html_page_tail, 1, sizeof(html_page_tail), out);
	if (p.failed || p.scratch.failed || p.names.failed)
		ret = -ENOMEM;
	html_names_deinit(&p.names);
	strbuf_deinit(&p.scratch);
	return ret;
}

#define MISSING NULL
#else
#define MISSING "d3 (node-d3; 'make config' shows what was found)"

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	(void)out, (void)o, (void)d;
	return -EOPNOTSUPP;
}
#endif

const struct form form_html = {"html",
			       FOR_PEOPLE | FOR_PROGRAMS | FOR_PAGES,
			       0,
			       NULL,
			       WANTS_STACKS | WANTS_PICTURES | WANTS_TIMELINE | WANTS_PINGPONG,
			       MISSING,
			       render};
