// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of perf annotate: a function with each instruction's share, and a summary by line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "builtin/perf/annotate.h"
#include "util/base/cleanup.h"
#include "util/base/path.h"
#include "util/base/printable.h"
#include "util/usersym/demangle.h"
#include "util/usersym/disassembly.h"
#include "util/usersym/source_lines.h"
#include "util/usersym/source_text.h"

#define COLUMN_WIDTH 8
#define TAB_COLUMNS  8
/* Percent. Lines below it are not in the summary, as in stock. */
#define SUMMARY_LEAST 0.5

/* A source file by its name in the debug information, a string that does not move. */
struct source_row {
	uint64_t path;
	struct source_text text;
};

/* A source line and the samples of its instructions, for the summary. */
struct line_row {
	uint64_t path, line;
	double share;
};

/* A function with the samples of one event, or of several in columns. */
struct block {
	struct annotate_printer *printer;
	const struct annotate_function *function;
	const size_t *events;
	size_t nr_events;
	struct hit_count *totals; /* the value of 100 %, for each event */
	struct hit_count *counts; /* nr_events for each instruction */
	const struct disassembly *code;
	struct source_frame *places; /* for each instruction; NULL if unknown */
	struct strbuf line;
};

void annotate_printer_init(struct annotate_printer *p)
{
	table_init(&p->sources, sizeof(struct source_row), sizeof(uint64_t));
}

void annotate_printer_deinit(struct annotate_printer *p)
{
	for (uint32_t i = 0; i < p->sources.nr; i++)
		source_text_deinit(&((struct source_row *)table_row(&p->sources, i))->text);
	table_deinit(&p->sources);
}

/* ---- counts ---- */

static double share(const struct block *b, const struct hit_count *counts, size_t event)
{
	const struct hit_count *of = &b->totals[event];

	if (b->printer->style->of_periods)
		return of->period ? 100.0 * (double)counts[event].period / (double)of->period : 0;
	return of->samples ? 100.0 * (double)counts[event].samples / (double)of->samples : 0;
}

/* The column of an event, or nr_events if it has none. */
static size_t column_of(const struct block *b, uint64_t event)
{
	size_t i = 0;

	while (i < b->nr_events && b->events[i] != event)
		i++;
	return i;
}

/* A sample belongs to the last instruction that starts at or before its address. */
static int count_instructions(struct block *b)
{
	const struct annotate_function *f = b->function;
	size_t at = 0;

	b->counts = calloc(b->code->nr * b->nr_events, sizeof(*b->counts));
	b->totals = calloc(b->nr_events, sizeof(*b->totals));
	if (!b->counts || !b->totals)
		return -ENOMEM;
	for (size_t i = f->first; i < f->first + f->nr; i++) {
		const struct annotate_hit *hit = &b->printer->hits[i];
		size_t column = column_of(b, hit->event);

		while (at + 1 < b->code->nr && b->code->v[at + 1].address <= hit->address)
			at++;
		if (column == b->nr_events)
			continue;
		hit_count_add(&b->counts[at * b->nr_events + column], &hit->count);
		hit_count_add(&b->totals[column], &hit->count);
	}
	return 0;
}

static bool has_samples(const struct block *b, size_t i)
{
	for (size_t e = 0; e < b->nr_events; e++)
		if (b->counts[i * b->nr_events + e].samples)
			return true;
	return false;
}

/* ---- sources ---- */

static int find_places(struct block *b)
{
	struct source_lines *lines = dso_lines(b->function->dso);
	struct source_frame frames[SOURCE_FRAMES_MAX];

	if (!lines)
		return 0;
	b->places = calloc(b->code->nr, sizeof(*b->places));
	if (!b->places)
		return -ENOMEM;
	for (size_t i = 0; i < b->code->nr; i++)
		if (source_lines_find(lines, b->code->v[i].address, frames))
			b->places[i] = frames[0];
	return 0;
}

/* The line's text, or the file's path if that cannot be read. */
static const char *source_line(struct annotate_printer *p, const char *path, uint32_t line)
{
	uint64_t key = (uintptr_t)path;
	uint32_t before = p->sources.nr;
	struct source_row *row = table_insert(&p->sources, &key);
	const char *text;

	if (row && p->sources.nr > before)
		source_text_read(&row->text, path);
	text = row ? source_text_line(&row->text, line) : NULL;
	return text ? text : path;
}

static const char *shown_path(const struct block *b, const char *path)
{
	return b->printer->style->full_paths ? path : path_base(path);
}

/* Replace tabs by blanks, and make the rest printable. */
static void add_text(struct strbuf *sb, const char *text)
{
	size_t start = sb->len;

	for (; *text; text++) {
		if (*text != '\t') {
			strbuf_addch(sb, *text);
			continue;
		}
		do
			strbuf_addch(sb, ' ');
		while ((sb->len - start) % TAB_COLUMNS);
	}
	printable_strbuf(sb, start);
}

static void print_line(struct block *b)
{
	fprintf(b->printer->to, "%s\n", b->line.buf);
	strbuf_reset(&b->line);
}

/* " :" after empty columns */
static void begin_text_line(struct block *b)
{
	strbuf_addf(&b->line, "%*s : ", (int)(COLUMN_WIDTH * b->nr_events), "");
}

/* Print the function and the file if they changed, and the line. */
static void print_source(struct block *b, const struct source_frame *at,
			 const struct source_frame *before)
{
	if (at->function && at->file &&
	    (at->function != before->function || at->file != before->file)) {
		begin_text_line(b);
		demangle(&b->line, at->function);
		strbuf_addf(&b->line, "() %s", shown_path(b, at->file));
		printable_strbuf(&b->line, 0);
		print_line(b);
	}
	if (!at->file || !at->line || (at->file == before->file && at->line == before->line))
		return;
	begin_text_line(b);
	strbuf_addf(&b->line, "%-5" PRIu32, at->line);
	add_text(&b->line, source_line(b->printer, at->file, at->line));
	print_line(b);
}

/* ---- the text ---- */

/* "call   0x1139" -> "call   1139 <main+0x10>" */
static void add_instruction(struct block *b, const char *text)
{
	const struct elf_symbol *sym;
	uint64_t target;
	size_t len;

	if (!disassembly_target(text, &target, &len)) {
		strbuf_addstr(&b->line, text);
		return;
	}
	strbuf_add(&b->line, text, len);
	strbuf_addf(&b->line, "%" PRIx64, target);
	sym = elf_symbols_find(&b->function->dso->symbols, target);
	if (!sym)
		return;
	strbuf_addstr(&b->line, " <");
	demangle(&b->line, sym->name);
	strbuf_addstr(&b->line, sym->is_plt ? "@plt" : "");
	if (target != sym->function)
		strbuf_addf(&b->line, "+0x%" PRIx64, target - sym->function);
	strbuf_addch(&b->line, '>');
}

static void print_instruction(struct block *b, size_t i)
{
	const struct hit_count *counts = &b->counts[i * b->nr_events];

	for (size_t e = 0; e < b->nr_events; e++)
		if (b->printer->style->numbers)
			strbuf_addf(&b->line, "%*" PRIu64, COLUMN_WIDTH, counts[e].samples);
		else
			strbuf_addf(&b->line, "%*.2f", COLUMN_WIDTH, share(b, counts, e));
	strbuf_addf(&b->line, " : %6" PRIx64 ":   ", b->code->v[i].address);
	add_instruction(b, b->code->v[i].text);
	if (b->printer->style->lines && b->places && b->places[i].file && has_samples(b, i))
		strbuf_addf(&b->line, " // %s:%" PRIu32, shown_path(b, b->places[i].file),
			    b->places[i].line);
	printable_strbuf(&b->line, 0);
	print_line(b);
}

static void print_head(struct block *b)
{
	const struct annotate_style *style = b->printer->style;
	struct strbuf *sb = &b->line;
	uint64_t samples = 0;
	size_t len;

	for (size_t e = 0; e < b->nr_events; e++)
		samples += b->totals[e].samples;
	strbuf_addf(sb, "%*s |\tSource code & Disassembly of %s for ",
		    (int)(COLUMN_WIDTH * b->nr_events), style->numbers ? "Samples" : "Percent",
		    shown_path(b, b->function->dso_name));
	for (size_t e = 0; e < b->nr_events; e++) {
		const char *name = b->printer->facts->events[b->events[e]]->name;

		strbuf_addf(sb, "%s%s", e ? ", " : "", name ? name : "[unknown]");
	}
	strbuf_addf(sb, " (%" PRIu64 " samples, percent: %s)", samples, style->percent_name);
	len = sb->len;
	print_line(b);
	while (len--)
		strbuf_addch(sb, '-');
	print_line(b);
}

/* objdump's text of a section begins with the function's name. */
static void print_code(struct block *b)
{
	struct source_frame before = {0};

	begin_text_line(b);
	strbuf_addf(&b->line, "%016" PRIx64 " <%s>:", b->function->start, b->function->name);
	print_line(b);
	for (size_t i = 0; i < b->code->nr; i++) {
		if (b->printer->style->source && b->places) {
			print_source(b, &b->places[i], &before);
			before = b->places[i];
		}
		print_instruction(b, i);
	}
	fputc('\n', b->printer->to);
}

/* ---- the summary by line ---- */

static int compare_shares(const void *x, const void *y)
{
	const struct line_row *a = x, *b = y;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int sum_lines(const struct block *b, struct table *lines)
{
	for (size_t i = 0; i < b->code->nr; i++) {
		const struct source_frame *at = &b->places[i];
		const uint64_t key[2] = {(uintptr_t)at->file, at->line};
		struct line_row *row;

		if (!at->file || !has_samples(b, i))
			continue;
		row = table_insert(lines, key);
		if (!row)
			return -ENOMEM;
		for (size_t e = 0; e < b->nr_events; e++)
			row->share +=
				share(b, &b->counts[i * b->nr_events], e) / (double)b->nr_events;
	}
	return 0;
}

static int print_summary(struct block *b)
{
	struct table lines;
	struct line_row *rows;
	int ret = 0;

	if (!b->places)
		return 0;
	table_init(&lines, sizeof(struct line_row), 2 * sizeof(uint64_t));
	ret = sum_lines(b, &lines);
	rows = (struct line_row *)lines.rows;
	if (!ret && lines.nr) {
		fprintf(b->printer->to,
			"Sorted summary for file %s\n"
			"----------------------------------------------\n\n",
			b->function->dso_name);
		qsort(rows, lines.nr, sizeof(*rows), compare_shares);
	}
	for (uint32_t i = 0; i < lines.nr && !ret && rows[i].share > SUMMARY_LEAST; i++) {
		const char *path = (const char *)(uintptr_t)rows[i].path;

		strbuf_addf(&b->line, "%*.2f %s:%" PRIu64, COLUMN_WIDTH, rows[i].share,
			    shown_path(b, path), rows[i].line);
		printable_strbuf(&b->line, 0);
		print_line(b);
	}
	table_deinit(&lines);
	return ret;
}

/* ---- a function ---- */

static int print_block(struct annotate_printer *p, const struct annotate_function *f,
		       const struct disassembly *code, const size_t *events, size_t nr_events)
{
	struct block b = {.printer = p,
			  .function = f,
			  .events = events,
			  .nr_events = nr_events,
			  .code = code,
			  .line = STRBUF_INIT};
	int ret = count_instructions(&b);

	if (!ret && (p->style->source || p->style->lines))
		ret = find_places(&b);
	for (size_t e = 0; e < nr_events && !ret && p->style->of_all; e++)
		b.totals[e] = p->counts->events[events[e]];
	if (!ret && p->style->lines)
		ret = print_summary(&b);
	if (!ret) {
		print_head(&b);
		print_code(&b);
	}
	if (b.line.failed)
		ret = -ENOMEM;
	free(b.counts);
	free(b.totals);
	free(b.places);
	strbuf_deinit(&b.line);
	return ret;
}

/* The events that have samples in the function, by index. */
static size_t events_of(const struct annotate_printer *p, const struct annotate_function *f,
			size_t *ret_events)
{
	size_t nr = 0;

	for (size_t e = 0; e < p->counts->nr_events; e++)
		for (size_t i = f->first; i < f->first + f->nr; i++)
			if (p->hits[i].event == e) {
				ret_events[nr++] = e;
				break;
			}
	return nr;
}

int annotate_print(struct annotate_printer *p, const struct annotate_function *f, struct error *err)
{
	_cleanup_(disassembly_deinit) struct disassembly code = DISASSEMBLY_INIT;
	_cleanup_free_ size_t *events = calloc(p->counts->nr_events + 1, sizeof(*events));
	struct code_bytes bytes;
	size_t nr, step;
	int ret;

	if (!events)
		return error_nomem(err);
	if (!dso_code(f->dso, f->start, &bytes))
		return error_set(err, ENODATA, "'%s' does not have the code of '%s'", f->dso_name,
				 f->name);
	ret = disassemble(&code, &bytes, p->style->objdump, p->style->disassembler, err);
	if (ret)
		return ret;
	if (!code.nr)
		return error_set(err, ENODATA, "objdump printed no code of '%s'", f->name);
	nr = events_of(p, f, events);
	step = p->style->group ? nr : 1;
	for (size_t i = 0; i < nr; i += step)
		if (print_block(p, f, &code, events + i, step))
			return error_nomem(err);
	return 0;
}
