// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/value_text.h"

#include <inttypes.h>

#include "util/base/label.h"
#include "util/base/path.h"
#include "util/base/printable.h"
#include "util/base/units.h"

static void add_grouped(struct strbuf *sb, const struct render_options *o, uint64_t v)
{
	char digits[UNITS_BUF];

	strbuf_addstr(sb, units_group(digits, sizeof(digits), v, o->thousands_sep));
}

static void add_bytes(struct strbuf *sb, const struct render_options *o, uint64_t bytes)
{
	char text[UNITS_BUF];

	if (o->human)
		strbuf_addstr(sb, units_bytes(text, sizeof(text), bytes));
	else
		add_grouped(sb, o, bytes);
}

static void add_duration(struct strbuf *sb, uint64_t ns)
{
	char text[UNITS_BUF];

	strbuf_addstr(sb, units_duration(text, sizeof(text), ns));
}

/* Add the sign. Returns the magnitude. */
static uint64_t add_sign(struct strbuf *sb, int64_t v, bool plus)
{
	if (v < 0)
		strbuf_addch(sb, '-');
	else if (v && plus)
		strbuf_addch(sb, '+');
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static void add_printable(struct strbuf *sb, const char *text)
{
	size_t start = sb->len;

	strbuf_addstr(sb, text);
	printable_strbuf(sb, start);
}

/* Add the file's name without its folder. The name alone may be a label even if the path is not. */
static void add_file(struct strbuf *sb, const char *path)
{
	const char *base = path_base(path);
	size_t start;

	strbuf_addstr(sb, " [");
	start = sb->len;
	strbuf_addstr(sb, base);
	if (base != path)
		label_strbuf(sb, start);
	strbuf_addch(sb, ']');
}

void value_add_callsite(struct strbuf *sb, const struct value_callsite *c, bool raw_ip)
{
	if (!c->address)
		strbuf_addstr(sb, "unknown");
	else if (c->symbol && !raw_ip && c->is_place)
		strbuf_addstr(sb, c->symbol);
	else if (c->symbol && !raw_ip)
		strbuf_addf(sb, "%s+%" PRIx64, c->symbol, c->offset);
	else
		strbuf_addf(sb, "0x%" PRIx64, c->address);
	if (c->module && !c->bare)
		strbuf_addf(sb, " [%s]", c->module);
	else if (c->dso)
		add_file(sb, c->dso);
}

/* "inner < outer" */
static void add_stack(struct strbuf *sb, const struct value_stack *s, bool raw_ip)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct value_callsite c = s->name(s->naming, s->frames[i]);

		if (i)
			strbuf_addstr(sb, " < ");
		value_add_callsite(sb, &c, raw_ip);
	}
	if (!s->nr)
		strbuf_addstr(sb, "unknown");
}

/* 16 numbers as 16 characters, from a blank for zero to a full block for the maximum. */
static void add_sparkline(struct strbuf *sb, const struct value_numbers *n, bool ascii)
{
	static const char *const looks[2][9] = {
		{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		{" ", ".", ":", "-", "=", "+", "*", "#", "@"},
	};
	const char *const *blocks = looks[ascii];
	uint64_t most = 0;

	for (size_t i = 0; i < n->nr; i++)
		most = n->v[i] > most ? n->v[i] : most;
	for (size_t i = 0; i < n->nr; i++)
		strbuf_addstr(sb,
			      !n->v[i] ? blocks[0]
				       : blocks[1 + (int)(7.5 * (double)n->v[i] / (double)most)]);
}

static void add_numbers(struct strbuf *sb, const struct value_numbers *n)
{
	for (size_t i = 0; i < n->nr; i++)
		strbuf_addf(sb, "%s%" PRIu64, i ? " " : "", n->v[i]);
}

struct joining {
	struct strbuf *sb;
	const char *between, *next;
};

static void join(void *ctx, const char *text)
{
	struct joining *j = ctx;

	strbuf_addstr(j->sb, j->next);
	add_printable(j->sb, text);
	j->next = j->between;
}

static void add_strings(struct strbuf *sb, const struct value_strings *s, const char *between)
{
	struct joining j = {sb, between, ""};

	s->for_each(s, join, &j);
}

static void add_histogram(struct strbuf *sb, const struct value_histogram *h)
{
	const char *between = "";

	for (unsigned int i = 0; h->source && i < VALUE_OCTAVES; i++) {
		uint64_t nr = h->count(h->source, i);

		if (!nr)
			continue;
		strbuf_addf(sb, "%s%u:%" PRIu64, between, i, nr);
		between = " ";
	}
}

const char *sort_mark(const struct render_options *o, const struct document_table *t,
		      const struct document_column *c)
{
	if (o->stock_style || !document_column_is_sorted(t, c))
		return "";
	if (o->ascii)
		return t->ascending ? " ^" : " v";
	return t->ascending ? " ▴" : " ▾";
}

void value_add_text(struct strbuf *sb, const struct render_options *o, const struct value *v)
{
	if (v->shown) {
		add_printable(sb, v->shown);
		return;
	}
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addch(sb, '-');
		return;
	case VALUE_U64:
		if (v->is_id)
			strbuf_addf(sb, "%" PRIu64, v->u64);
		else
			add_grouped(sb, o, v->u64);
		break;
	case VALUE_I64:
		if (v->is_id)
			strbuf_addf(sb, "%" PRId64, v->i64);
		else
			add_grouped(sb, o, add_sign(sb, v->i64, false));
		break;
	case VALUE_CHANGE:
		add_grouped(sb, o, add_sign(sb, v->i64, true));
		break;
	case VALUE_BYTES:
		add_bytes(sb, o, v->u64);
		break;
	case VALUE_BYTES_CHANGE:
		add_bytes(sb, o, add_sign(sb, v->i64, true));
		break;
	case VALUE_REAL:
	case VALUE_PERCENT:
		strbuf_addf(sb, "%.*f", v->shown_decimals, v->real);
		break;
	case VALUE_NS:
		add_duration(sb, v->u64);
		break;
	case VALUE_NUMBERS:
		add_sparkline(sb, &v->numbers, o->ascii);
		break;
	case VALUE_STRINGS:
		add_strings(sb, &v->strings, ", ");
		break;
	case VALUE_CALLSITE:
		value_add_callsite(sb, &v->callsite, o->raw_ip);
		break;
	case VALUE_STACK:
		add_stack(sb, &v->stack, o->raw_ip);
		break;
	default:
		value_add_plain(sb, v);
		break;
	}
	if (v->unit)
		strbuf_addstr(sb, v->unit);
}

void value_add_plain(struct strbuf *sb, const struct value *v)
{
	switch (v->kind) {
	case VALUE_NONE:
	case VALUE_ABSENT:
		break;
	case VALUE_U64:
	case VALUE_BYTES:
	case VALUE_NS:
		strbuf_addf(sb, "%" PRIu64, v->u64);
		break;
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		strbuf_addf(sb, "%" PRId64, v->i64);
		break;
	case VALUE_REAL:
	case VALUE_PERCENT:
		strbuf_addf(sb, "%.*f", v->decimals, v->real);
		break;
	case VALUE_HEX:
		strbuf_addf(sb, "0x%" PRIx64, v->u64);
		break;
	case VALUE_BOOL:
		strbuf_addstr(sb, v->yes ? "yes" : "no");
		break;
	case VALUE_TEXT:
		add_printable(sb, v->text);
		break;
	case VALUE_CALLSITE:
		value_add_callsite(sb, &v->callsite, false);
		break;
	case VALUE_STACK:
		add_stack(sb, &v->stack, false);
		break;
	case VALUE_NUMBERS:
		add_numbers(sb, &v->numbers);
		break;
	case VALUE_STRINGS:
		add_strings(sb, &v->strings, " ");
		break;
	case VALUE_HISTOGRAM:
		add_histogram(sb, &v->histogram);
		break;
	case VALUE_TREE: /* not shown on a line */
		break;
	}
}
