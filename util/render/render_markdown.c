// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "markdown": headings, paragraphs, lists of figures and GitHub's tables, for issues and
 * chats.
 *
 * Data never become markup. Names, and words with characters that could be markup, become code
 * spans, in which not even a mention ("@name") or a link is recognized.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/render/form.h"
#include "util/render/value_text.h"

struct markdown {
	FILE *out;
	const struct render_options *options;
	struct strbuf line, cell, scratch, code;
	enum { BLOCK_NONE, BLOCK_HEADER, BLOCK_LIST, BLOCK_OTHER } last; /* block written */
	bool in_table;
};

/* An empty line ends the previous block, unless both are items of a list. */
static void begin(struct markdown *m, int block)
{
	if (m->last != BLOCK_NONE && (m->last == BLOCK_OTHER || block == BLOCK_OTHER))
		fputc('\n', m->out);
	m->last = block;
	strbuf_reset(&m->line);
}

static void end_line(struct markdown *m)
{
	strbuf_addch(&m->line, '\n');
	fwrite_unlocked(m->line.buf, 1, m->line.len, m->out);
	strbuf_reset(&m->line);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A code span. Adds nothing if the text is empty. */
static void add_span(struct strbuf *sb, const char *text, size_t len)
{
	const char first = len ? text[0] : ' ', last = len ? text[len - 1] : ' ';
	const bool blank = strspn(text, " ") >= len;
	size_t longest = 0, run = 0;
	bool padded;

	if (!len)
		return;
	for (size_t i = 0; i < len; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	/* markdown removes one blank from each end of a span */
	padded = first == '`' || last == '`' || (first == ' ' && last == ' ' && !blank);
	for (size_t i = 0; i <= longest; i++)
		strbuf_addch(sb, '`');
	if (padded)
		strbuf_addch(sb, ' ');
	strbuf_add(sb, text, len);
	if (padded)
		strbuf_addch(sb, ' ');
	for (size_t i = 0; i <= longest; i++)
		strbuf_addch(sb, '`');
}

/* In a table "\|" stands for "|", but readers disagree on "\\|". In that case the "|" is written
 * outside of the code span. */
static void add_code(struct markdown *m, const char *text, size_t len)
{
	const bool splits = m->in_table && memmem(text, len, "\\|", 2);

	strbuf_reset(&m->code);
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '|' || !m->in_table) {
			strbuf_addch(&m->code, text[i]);
		} else if (!splits) {
			strbuf_addstr(&m->code, "\\|");
		} else {
			add_span(&m->line, m->code.buf, m->code.len);
			strbuf_reset(&m->code);
			strbuf_addstr(&m->line, "&#124;");
		}
	}
	add_span(&m->line, m->code.buf, m->code.len);
}

/* Whether GitHub could take the word for an issue, a commit or a web address. */
static bool is_reference(const char *word, size_t len)
{
	const size_t hex = strspn(word, "0123456789abcdef"), digits = strspn(word, "0123456789");

	return (len > 3 && !strncasecmp(word, "gh-", 3)) ||
	       (len > 4 && !strncasecmp(word, "www.", 4)) ||
	       (len >= 7 && hex >= len && digits < len);
}

/* Whether the word could be markup at any position. */
static bool is_markup(const char *word, size_t len)
{
	static const char harmless[] = ".,;()'\"%+-/=?";

	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)word[i];
		const bool is_plain = c >= 0x80 || (c >= '0' && c <= '9') ||
				      ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');

		if (!is_plain && !strchr(harmless, c))
			return true;
	}
	return is_reference(word, len);
}

/* Whether the word could be markup at the start of a line: "-", "1.". */
static bool starts_block(const char *word, size_t len)
{
	const size_t digits = strspn(word, "0123456789");

	return strchr("-+=", *word) || (digits && digits + 1 == len && strchr(".)", word[digits]));
}

/* Add a word. Its punctuation stays outside of a code span. */
static void add_word(struct markdown *m, const char *word, size_t len, bool at_start)
{
	size_t before = 0, after = 0, inner;

	while (before < len && strchr("('\"", word[before]))
		before++;
	while (after < len - before && strchr(".,;:)'\"?", word[len - after - 1]))
		after++;
	inner = len - before - after;
	if (at_start && starts_block(word, len)) {
		add_code(m, word, len);
		return;
	}
	strbuf_add(&m->line, word, before);
	if (inner && is_markup(word + before, inner))
		add_code(m, word + before, inner);
	else
		strbuf_add(&m->line, word + before, inner);
	strbuf_add(&m->line, word + len - after, after);
}

/* Add text, with each run of blanks and newlines as one blank. at_start: it starts a line or list
 * item. */
static void add_words(struct markdown *m, const char *text, size_t len, bool at_start)
{
	static const char blanks[] = " \t\r\n";
	bool first = true;

	while (len) {
		size_t blank = strspn(text, blanks), word;

		blank = blank < len ? blank : len;
		text += blank;
		len -= blank;
		word = strcspn(text, blanks);
		word = word < len ? word : len;
		if (!word)
			break;
		if (!first)
			strbuf_addch(&m->line, ' ');
		add_word(m, text, word, first && at_start);
		first = false;
		text += word;
		len -= word;
	}
}

static void add_text(struct markdown *m, const char *text, bool at_start)
{
	add_words(m, text, strlen(text), at_start);
}

/* is_name: the value is in a column of names. */
static void add_value(struct markdown *m, const struct value *v, bool is_name)
{
	strbuf_reset(&m->cell);
	if (v->kind == VALUE_ABSENT || v->kind == VALUE_TREE)
		return;
	/* sixteen numbers make a cell unreadable */
	if (v->kind == VALUE_NUMBERS && !m->in_table)
		value_add_plain(&m->cell, v);
	else
		value_add_text(&m->cell, m->options, v);
	switch (v->kind) {
	case VALUE_TEXT:
	case VALUE_STRINGS:
	case VALUE_CALLSITE:
	case VALUE_STACK:
		if (is_name || v->kind == VALUE_STACK)
			add_code(m, m->cell.buf, m->cell.len);
		else
			add_text(m, m->cell.buf, false);
		break;
	case VALUE_NUMBERS:
		/* the characters of a sparkline in ASCII could be markup */
		if (m->in_table)
			add_code(m, m->cell.buf, m->cell.len);
		else
			strbuf_add(&m->line, m->cell.buf, m->cell.len);
		break;
	default: /* digits and units need no escapes */
		strbuf_add(&m->line, m->cell.buf, m->cell.len);
		break;
	}
}

/* ---- items ----------------------------------------------------------------------------------- */

static void write_heading(struct markdown *m, const char *marks, const char *title)
{
	begin(m, BLOCK_OTHER);
	strbuf_addstr(&m->line, marks);
	add_text(m, title, false);
	end_line(m);
}

static void open_section(void *state, const struct document_section *s)
{
	if (s->title && !s->is_missing)
		write_heading(state, "## ", s->title);
}

static void close_section(void *state, const struct document_section *s)
{
	struct markdown *m = state;

	/* so that the next report of the series does not continue this one's last block */
	if (!s->parent && s->is_compact)
		fputc('\n', m->out);
}

/* block: BLOCK_OTHER for a paragraph, otherwise an item of a list. label: may be NULL. */
static void begin_labelled(struct markdown *m, int block, const char *label)
{
	begin(m, block);
	if (block != BLOCK_OTHER)
		strbuf_addstr(&m->line, "- ");
	if (!label)
		return;
	add_text(m, label, true);
	strbuf_addstr(&m->line, ": ");
}

/* After other blocks, an item would continue their list, so the note is a paragraph. */
static int header_block(const struct markdown *m)
{
	return m->last == BLOCK_NONE || m->last == BLOCK_HEADER ? BLOCK_HEADER : BLOCK_OTHER;
}

static void write_paragraph(struct markdown *m, const char *text, size_t len)
{
	if (!len)
		return;
	begin(m, BLOCK_OTHER);
	add_words(m, text, len, true);
	end_line(m);
}

static void write_paragraphs(struct markdown *m, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		write_paragraph(m, text, len);
		text += len + (text[len] == '\n');
	}
}

/* A note may contain names, so it is made printable, except for the newlines between paragraphs. */
static void write_note(void *state, const struct document_note *n)
{
	struct markdown *m = state;

	if (n->kind == NOTE_PARAGRAPHS) {
		write_paragraphs(m, n->text);
		return;
	}
	strbuf_reset(&m->cell);
	strbuf_addstr(&m->cell, n->text);
	printable_strbuf(&m->cell, 0);
	if (n->kind == NOTE_ITEM || n->kind == NOTE_HEADER) {
		begin_labelled(m, n->kind == NOTE_HEADER ? header_block(m) : BLOCK_LIST, n->label);
		add_text(m, m->cell.buf, !n->label);
		end_line(m);
	} else if (n->kind == NOTE_COMMAND) {
		begin_labelled(m, BLOCK_OTHER, n->label);
		add_code(m, m->cell.buf, m->cell.len);
		end_line(m);
	} else {
		write_paragraph(m, m->cell.buf, m->cell.len);
	}
}

static void write_figure(void *state, const struct document_figure *f)
{
	struct markdown *m = state;

	if (!f->label)
		return;
	begin_labelled(m, BLOCK_LIST, f->label);
	add_value(m, &f->value, false);
	if (f->more.kind != VALUE_NONE) {
		strbuf_addstr(&m->line, ", ");
		add_value(m, &f->more, false);
	}
	end_line(m);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool is_shown(const struct document_column *c)
{
	return document_column_audience(c) & FOR_PEOPLE;
}

/* Whether the heading is clear by itself. In text, one heading may span several columns. */
static bool is_clear(const struct document_table *t, const struct document_column *c)
{
	if (strchr(c->heading, '\n'))
		return false;
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *other = &t->columns[i];

		if (other != c && is_shown(other) && other->heading &&
		    !strcmp(other->heading, c->heading))
			return false;
	}
	return true;
}

/* "refill_batches" as "Refill batches". */
static void add_id(struct markdown *m, const char *id)
{
	const size_t start = m->line.len;

	strbuf_addstr(&m->line, id);
	if (m->line.len == start)
		return;
	m->line.buf[start] = (char)toupper((unsigned char)id[0]);
	for (size_t i = start; i < m->line.len; i++)
		if (m->line.buf[i] == '_')
			m->line.buf[i] = ' ';
}

/* Columns below the row have no heading, and callchains have no id either. */
static void add_heading(struct markdown *m, const struct document_table *t,
			const struct document_column *c)
{
	struct document_row_buf buf;

	if (c->id && (!c->heading || !is_clear(t, c)))
		add_id(m, c->id);
	else if (c->heading)
		add_text(m, c->heading, false);
	else if (t->nr_rows &&
		 document_table_value(t, c, document_table_row(t, 0, &buf), &m->scratch).kind ==
			 VALUE_STACK)
		strbuf_addstr(&m->line, "Callchain");
}

static bool is_left(const struct document_column *c)
{
	return c->is_name || c->below;
}

static void write_headings(struct markdown *m, const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!is_shown(&t->columns[i]))
			continue;
		strbuf_addstr(&m->line, "| ");
		add_heading(m, t, &t->columns[i]);
		strbuf_addstr(&m->line, sort_mark(m->options, t, &t->columns[i]));
		strbuf_addch(&m->line, ' ');
	}
	strbuf_addch(&m->line, '|');
	end_line(m);
	for (size_t i = 0; i < t->nr_columns; i++)
		if (is_shown(&t->columns[i]))
			strbuf_addstr(&m->line, is_left(&t->columns[i]) ? "| --- " : "| ---: ");
	strbuf_addch(&m->line, '|');
	end_line(m);
}

static void write_row(struct markdown *m, const struct document_table *t, const void *row)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];

		if (!is_shown(c))
			continue;
		strbuf_addstr(&m->line, "| ");
		if (row == t->sum && !i) {
			add_text(m, t->sum_name, false);
		} else {
			struct value v = document_table_value(t, c, row, &m->scratch);

			add_value(m, &v, c->is_name && !c->below);
		}
		strbuf_addch(&m->line, ' ');
	}
	strbuf_addch(&m->line, '|');
	end_line(m);
}

static void write_table(void *state, const struct document_table *t)
{
	struct markdown *m = state;
	struct document_row_buf buf;
	char digits[UNITS_BUF];
	uint64_t nr_more;
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_columns; i++)
		nr += is_shown(&t->columns[i]);
	if (!nr)
		return;
	if (t->title)
		write_heading(m, "### ", t->title);
	begin(m, BLOCK_OTHER);
	m->in_table = true;
	write_headings(m, t);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		write_row(m, t, document_table_row(t, i, &buf));
	if (t->sum)
		write_row(m, t, t->sum);
	m->in_table = false;
	if (t->nr_rows >= t->rows_total)
		return;
	begin(m, BLOCK_OTHER);
	nr_more = t->rows_total - t->nr_rows;
	strbuf_addf(&m->line, "%s more row%s",
		    units_group(digits, sizeof(digits), nr_more, m->options->thousands_sep),
		    nr_more == 1 ? "" : "s");
	end_line(m);
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_PEOPLE,
		.open = open_section,
		.note = write_note,
		.figure = write_figure,
		.table = write_table,
		.close = close_section,
	};
	struct markdown m = {
		.out = out,
		.options = o,
		.line = STRBUF_INIT,
		.cell = STRBUF_INIT,
		.scratch = STRBUF_INIT,
		.code = STRBUF_INIT,
	};
	bool failed;

	render_section(&ops, &m, &d->root);
	failed = m.line.failed || m.cell.failed || m.scratch.failed || m.code.failed;
	strbuf_deinit(&m.line);
	strbuf_deinit(&m.cell);
	strbuf_deinit(&m.scratch);
	strbuf_deinit(&m.code);
	return failed ? -ENOMEM : 0;
}

const struct form form_markdown = {"markdown", FOR_PEOPLE, 0, NULL, WANTS_OVERVIEW, NULL, render};
