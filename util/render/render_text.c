// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/render_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/cli/wrap.h"

#define GAP	     "  "
#define NOTE_COLUMNS 80

struct text_state {
	FILE *out;
	const struct render_options *options;
	struct strbuf line;
	bool failed;
};

static void add_grouped(struct strbuf *sb, const struct render_options *o, uint64_t v)
{
	char digits[UNITS_BUF];

	strbuf_addstr(sb, units_group(digits, sizeof(digits), v, o->thousands_sep));
}

static void add_signed(struct strbuf *sb, const struct render_options *o, int64_t v, bool plus)
{
	if (v < 0)
		strbuf_addch(sb, '-');
	else if (v && plus)
		strbuf_addch(sb, '+');
	add_grouped(sb, o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void add_callsite(struct strbuf *sb, const struct render_options *o,
			 const struct value_callsite *c)
{
	if (!c->address)
		strbuf_addstr(sb, "unknown");
	else if (c->symbol && !o->raw_ip)
		strbuf_addf(sb, "%s+%" PRIx64, c->symbol, c->offset);
	else
		strbuf_addf(sb, "0x%" PRIx64, c->address);
}

void render_text_value(struct strbuf *sb, const struct render_options *o, const struct value *v)
{
	if (v->shown) {
		strbuf_addstr(sb, v->shown);
		return;
	}
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addch(sb, '-');
		break;
	case VALUE_U64:
		add_grouped(sb, o, v->u64);
		break;
	case VALUE_I64:
		add_signed(sb, o, v->i64, false);
		break;
	case VALUE_CHANGE:
		add_signed(sb, o, v->i64, true);
		break;
	case VALUE_REAL:
		strbuf_addf(sb, "%.*f", v->shown_decimals, v->real);
		break;
	case VALUE_PERCENT:
		strbuf_addf(sb, "%.*f %%", v->shown_decimals, v->real);
		break;
	case VALUE_BOOL:
		strbuf_addstr(sb, v->yes ? "yes" : "no");
		break;
	case VALUE_TEXT:
		strbuf_addstr(sb, v->text);
		break;
	case VALUE_CALLSITE:
		add_callsite(sb, o, &v->callsite);
		break;
	}
}

/* ---- tables -------------------------------------------------------------------------------- */

static size_t width_of(const char *text, size_t len)
{
	size_t width = 0;

	for (size_t i = 0; i < len; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* The cell's text in s->line; a name is cut to its column's width. */
static void format_cell(struct text_state *s, const struct document_table *t, size_t column,
			const void *row)
{
	const struct document_column *c = &t->columns[column];
	struct value v = c->value(row, t->context);

	strbuf_reset(&s->line);
	if (row == t->sum && !column)
		strbuf_addstr(&s->line, t->sum_name);
	else
		render_text_value(&s->line, s->options, &v);
	if (c->is_name && c->width && width_of(s->line.buf, s->line.len) > (size_t)c->width) {
		size_t at = 0, width = 0;

		while (width < (size_t)c->width - 2 || (s->line.buf[at] & 0xc0) == 0x80)
			width += ((unsigned char)s->line.buf[at++] & 0xc0) != 0x80;
		strbuf_setlen(&s->line, at);
		strbuf_addstr(&s->line, "..");
	}
}

static void widen(size_t *width, size_t to)
{
	if (*width < to)
		*width = to;
}

static size_t cell_width(struct text_state *s, const struct document_table *t, size_t column,
			 const void *row)
{
	format_cell(s, t, column, row);
	return width_of(s->line.buf, s->line.len);
}

static void measure(struct text_state *s, const struct document_table *t, size_t *widths)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].heading)
			continue;
		widths[i] = (size_t)t->columns[i].width;
		for (uint64_t n = 0; n < t->nr_rows; n++)
			widen(&widths[i], cell_width(s, t, i, document_table_row(t, n)));
		if (t->sum)
			widen(&widths[i], cell_width(s, t, i, t->sum));
	}
}

/* The n-th line of a heading, counted from its last, which stands lowest; NULL: it has fewer. */
static const char *heading_line(const char *heading, unsigned int n, size_t *ret_len)
{
	size_t end = strlen(heading);

	for (;;) {
		size_t start = end;

		while (start && heading[start - 1] != '\n')
			start--;
		*ret_len = end - start;
		if (!n--)
			return heading + start;
		if (!start)
			return NULL;
		end = start - 1;
	}
}

static unsigned int heading_lines(const struct document_table *t)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < t->nr_columns; i++) {
		unsigned int lines = t->columns[i].heading != NULL;

		for (const char *p = t->columns[i].heading; p && *p; p++)
			lines += *p == '\n';
		if (lines > nr)
			nr = lines;
	}
	return nr;
}

/*
 * One line of all headings.  One that is wider than its column reaches over the columns before it,
 * as far as nothing stands there.
 */
static void print_heading(struct text_state *s, const struct document_table *t,
			  const size_t *widths, unsigned int n)
{
	size_t edge = 0; /* where the column starts, then ends */

	strbuf_reset(&s->line);
	for (size_t i = 0; i < t->nr_columns; i++) {
		const char *heading = t->columns[i].heading, *text;
		size_t len = 0, start, least;

		if (!heading)
			continue;
		edge += edge ? strlen(GAP) : 0;
		text = heading_line(heading, n, &len);
		start = edge;
		edge += widths[i];
		if (!text || !len)
			continue;
		if (!t->columns[i].is_name)
			start = len < edge ? edge - len : 0;
		least = s->line.len ? s->line.len + strlen(GAP) : 0;
		for (size_t at = s->line.len; at < (start > least ? start : least); at++)
			strbuf_addch(&s->line, ' ');
		strbuf_add(&s->line, text, len);
	}
	fprintf(s->out, "%s\n", s->line.buf);
}

static void print_rule(struct text_state *s, const struct document_table *t, const size_t *widths)
{
	const char *gap = "";

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!t->columns[i].heading)
			continue;
		fputs(gap, s->out);
		for (size_t n = 0; n < widths[i]; n++)
			fputc('-', s->out);
		gap = GAP;
	}
	fputc('\n', s->out);
}

static void print_row(struct text_state *s, const struct document_table *t, const size_t *widths,
		      const void *row)
{
	const char *gap = "";

	for (size_t i = 0; i < t->nr_columns; i++) {
		size_t blanks;

		if (!t->columns[i].heading)
			continue;
		blanks = widths[i] - cell_width(s, t, i, row);
		if (t->columns[i].is_name)
			fprintf(s->out, "%s%s%*s", gap, s->line.buf, (int)blanks, "");
		else
			fprintf(s->out, "%s%*s%s", gap, (int)blanks, "", s->line.buf);
		gap = GAP;
	}
	fputc('\n', s->out);
}

static void print_table(void *state, const struct document_table *t)
{
	struct text_state *s = state;
	size_t *widths = calloc(t->nr_columns + 1, sizeof(*widths));

	if (!widths) {
		s->failed = true;
		return;
	}
	measure(s, t, widths);
	fputc('\n', s->out);
	for (unsigned int n = heading_lines(t); n-- > 0;)
		print_heading(s, t, widths, n);
	print_rule(s, t, widths);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		print_row(s, t, widths, document_table_row(t, i));
	if (t->nr_rows < t->rows_total)
		fputs("...\n", s->out);
	if (t->sum) {
		print_rule(s, t, widths);
		print_row(s, t, widths, t->sum);
	}
	free(widths);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void print_title(void *state, const struct document_section *section)
{
	struct text_state *s = state;

	if (section->is_missing)
		fputc('\n', s->out);
	if (section->is_missing || !section->title)
		return;
	fprintf(s->out, "\n%s\n", section->title);
	for (size_t i = 0; section->title[i]; i++)
		fputc('=', s->out);
	fputc('\n', s->out);
}

static void print_note(void *state, const char *text)
{
	struct text_state *s = state;
	int columns = s->options->columns;

	wrap_text(s->out, text, 0, 0, columns && columns < NOTE_COLUMNS ? columns : NOTE_COLUMNS);
}

static void print_figure(void *state, const char *id, const struct value *v)
{
	struct text_state *s = state;

	strbuf_reset(&s->line);
	render_text_value(&s->line, s->options, v);
	fprintf(s->out, "%s: %s\n", id, s->line.buf);
}

static void end_section(void *state, const struct document_section *section)
{
	(void)state, (void)section;
}

int render_text_section(FILE *out, const struct render_options *o, const struct document_section *s)
{
	static const struct render_ops ops = {
		.audience = FOR_PEOPLE,
		.open = print_title,
		.note = print_note,
		.figure = print_figure,
		.table = print_table,
		.close = end_section,
	};
	struct text_state state = {.out = out, .options = o, .line = STRBUF_INIT};

	render_section(&ops, &state, s);
	state.failed |= state.line.failed;
	strbuf_deinit(&state.line);
	return state.failed ? -ENOMEM : 0;
}
