// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "util/report/cell.h"
#include "util/report/key_format.h"
#include "util/report/leak_report.h"
#include "util/report/text_columns.h"
#include "util/report/text_header.h"

struct leak_text {
	struct text_context t;
	const struct leak *l;
	struct strbuf number, other;
};

static const char *grouped(struct leak_text *t, struct strbuf *sb, uint64_t v)
{
	strbuf_reset(sb);
	cell_add_grouped(sb, t->t.o, v);
	return sb->buf;
}

static const char *bytes(struct leak_text *t, struct strbuf *sb, uint64_t v)
{
	struct report_options human = *t->t.o;

	human.human = true;
	strbuf_reset(sb);
	cell_add_bytes(sb, &human, v);
	return sb->buf;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static const struct leak_row *surest(const struct leak_rows *rows)
{
	const struct leak_row *best = NULL;

	for (size_t i = 0; i < rows->nr; i++)
		if (!best || (double)rows->v[i].bytes * rows->v[i].confidence >
				     (double)best->bytes * best->confidence)
			best = &rows->v[i];
	return best;
}

/* Nothing is left: of how many? */
static void print_nothing(struct leak_text *t, const char *what, uint64_t allocated)
{
	if (!allocated) {
		fprintf(t->t.out, "No %ss were allocated.\n", what);
		return;
	}
	fprintf(t->t.out, "Of %s %s%s that %s allocated none is left",
		grouped(t, &t->number, allocated), what, plural(allocated),
		allocated == 1 ? "was" : "were");
	if (t->l->min_age_ns) {
		strbuf_reset(&t->t.line);
		cell_add_duration(&t->t.line, t->l->min_age_ns);
		fprintf(t->t.out, " for %s or longer", t->t.line.buf);
	}
	fputs(t->l->nr_untraced ? ", as far as can be judged.\n" : ".\n", t->t.out);
}

static void print_sentence(struct leak_text *t, const char *what, const struct leak_rows *rows,
			   uint64_t allocated)
{
	const struct leak_row *first = surest(rows);
	FILE *out = t->t.out;
	uint64_t callsite;

	if (!first) {
		print_nothing(t, what, allocated);
		return;
	}
	fprintf(out, "%s %s%s (%s) %s allocated and not freed, by %" PRIu64 " call site%s.\n",
		grouped(t, &t->number, rows->hits), what, plural(rows->hits),
		bytes(t, &t->other, rows->bytes), rows->hits == 1 ? "was" : "were", rows->callsites,
		plural(rows->callsites));
	callsite = stat_table_keys(first->table, first->row)[0];
	fprintf(out, "The most, %s in %s, came from ", bytes(t, &t->other, first->bytes),
		grouped(t, &t->number, first->hits));
	strbuf_reset(&t->t.line);
	key_format_address(&t->t.line, t->t.a, callsite, t->t.o->raw_ip);
	fprintf(out, "%s (confidence %s).\n", t->t.line.buf,
		leak_confidence_word(first->confidence));
}

static void print_summary(struct leak_text *t)
{
	const struct recording *r = t->t.a->recording;
	char far[RECORDING_STOP_BUF];

	if (r->stop.stopped)
		fprintf(t->t.out,
			"Partial: reading was stopped at %s of the recording, and what was freed "
			"later is taken for live.\n",
			recording_stop_text(r, far, sizeof(far)));
	if (t->t.a->do_slab)
		print_sentence(t, "object", &t->l->slab, t->t.a->slab.summary.allocations);
	if (t->t.a->do_page)
		print_sentence(t, "page block", &t->l->page, t->t.a->page.summary.alloc_requests);
	if (t->l->lost > 0)
		fprintf(t->t.out,
			"%.1f%% of the free events are missing, so some of this was freed.\n",
			100 * t->l->lost);
	if (t->l->nr_untraced)
		fprintf(t->t.out,
			"The frees of %zu cache%s are mostly not traced: listed apart, not "
			"judged.\n",
			t->l->nr_untraced, plural(t->l->nr_untraced));
}

/* The columns of a table of leaks; pages have no cache. */
enum { ROW_CALLSITE, ROW_CACHE, ROW_COUNT, ROW_BYTES, ROW_OLDEST, ROW_YOUNGEST, ROW_SURE, ROW_NR };

static const char *const headings[ROW_NR] = {"Call site", "Cache",    "Count",	   "Bytes",
					     "Oldest",	  "Youngest", "Confidence"};

static bool has_cache(const struct leak_row *r)
{
	return r->table->nr_by > 1 && r->table->by[1] == KEY_CACHE;
}

static const char *row_cell(struct leak_text *t, const struct leak_row *r, int cell)
{
	const uint64_t *key = stat_table_keys(r->table, r->row);
	struct strbuf *sb = &t->t.line;

	strbuf_reset(sb);
	switch (cell) {
	case ROW_CALLSITE:
		key_format_address(sb, t->t.a, key[0], t->t.o->raw_ip);
		break;
	case ROW_CACHE:
		key_format_text(sb, t->t.a, KEY_CACHE, key[1], false);
		break;
	case ROW_COUNT:
		cell_add_grouped(sb, t->t.o, r->hits);
		break;
	case ROW_BYTES:
		cell_add_bytes(sb, t->t.o, r->bytes);
		break;
	case ROW_OLDEST:
		cell_add_duration(sb, r->oldest_ns);
		break;
	case ROW_YOUNGEST:
		cell_add_duration(sb, r->youngest_ns);
		break;
	default:
		strbuf_addf(sb, "%.0f%% %s", 100 * r->confidence,
			    leak_confidence_word(r->confidence));
	}
	return sb->buf;
}

/* Call fn with the cells of the first rows, column by column. */
static void for_each_cell(struct leak_text *t, struct text_grid *g, const struct leak_row *r,
			  void (*fn)(struct text_grid *g, unsigned int i, const char *text))
{
	unsigned int i = 0;

	for (int cell = 0; cell < ROW_NR; cell++)
		if (cell != ROW_CACHE || has_cache(r))
			fn(g, i++, row_cell(t, r, cell));
}

static void print_cell(struct text_grid *g, unsigned int i, const char *text)
{
	text_grid_cell(g, i, text);
}

/* What lowers the confidence, and the callchain. */
static void print_details(struct leak_text *t, const struct text_grid *g, const struct leak_row *r)
{
	const uint64_t *key = stat_table_keys(r->table, r->row);
	unsigned int last = r->table->nr_by - 1;
	const uint64_t *frames;
	size_t nr;

	if (r->reason != LEAK_SURE)
		text_grid_line(g, TEXT_STACK_INDENT, leak_reason_text(r->reason));
	if (r->table->by[last] != KEY_STACK)
		return;
	frames = key_stack_frames(t->t.a, key[last], &nr);
	if (nr > 1)
		text_stack_print(&t->t, g, frames + 1, nr - 1);
}

static void print_more(struct leak_text *t, const struct text_grid *g, size_t nr, uint64_t lines)
{
	if (nr <= lines)
		return;
	strbuf_reset(&t->other);
	strbuf_addf(&t->other, "... %s more", grouped(t, &t->number, nr - lines));
	text_grid_line(g, 1, t->other.buf);
}

static void print_rows(struct leak_text *t, const struct leak_rows *rows, uint64_t lines)
{
	struct text_grid g;

	if (!rows->nr)
		return;
	text_grid_init(&g, t->t.out, t->t.o->columns);
	for (int cell = 0; cell < ROW_NR; cell++)
		if (cell != ROW_CACHE || has_cache(&rows->v[0]))
			text_grid_add(&g,
				      cell || has_cache(&rows->v[0]) ? headings[cell]
								     : "Call site (pages)",
				      cell == ROW_CALLSITE ? 1
				      : cell == ROW_CACHE  ? 2
							   : 0);
	for (size_t i = 0; i < rows->nr && i < lines; i++)
		for_each_cell(t, &g, &rows->v[i], text_grid_measure);
	text_grid_fit(&g);
	fputc('\n', t->t.out);
	text_grid_headings(&g);
	text_grid_rule(&g);
	for (size_t i = 0; i < rows->nr && i < lines; i++) {
		for_each_cell(t, &g, &rows->v[i], print_cell);
		print_details(t, &g, &rows->v[i]);
	}
	print_more(t, &g, rows->nr, lines);
	text_grid_end(&g);
}

static void untraced_cells(struct leak_text *t, struct text_grid *g, const struct untraced_cache *u,
			   void (*fn)(struct text_grid *g, unsigned int i, const char *text))
{
	strbuf_reset(&t->t.line);
	key_format_text(&t->t.line, t->t.a, KEY_CACHE, u->cache, false);
	fn(g, 0, t->t.line.buf);
	fn(g, 1, grouped(t, &t->number, u->allocations));
	fn(g, 2, grouped(t, &t->number, u->frees_seen));
	fn(g, 3, grouped(t, &t->number, u->frees_unseen));
	strbuf_reset(&t->other);
	cell_add_bytes(&t->other, t->t.o, u->live_bytes);
	fn(g, 4, t->other.buf);
}

static void print_untraced(struct leak_text *t, uint64_t lines)
{
	static const char *const titles[] = {"Frees not traced", "Allocations", "Frees seen",
					     "Frees unseen", "Live bytes"};
	struct text_grid g;

	if (!t->l->nr_untraced)
		return;
	text_grid_init(&g, t->t.out, t->t.o->columns);
	for (unsigned int i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		text_grid_add(&g, titles[i], !i);
	for (size_t i = 0; i < t->l->nr_untraced && i < lines; i++)
		untraced_cells(t, &g, &t->l->untraced[i], text_grid_measure);
	text_grid_fit(&g);
	fputc('\n', t->t.out);
	text_grid_headings(&g);
	text_grid_rule(&g);
	for (size_t i = 0; i < t->l->nr_untraced && i < lines; i++)
		untraced_cells(t, &g, &t->l->untraced[i], print_cell);
	print_more(t, &g, t->l->nr_untraced, lines);
	text_grid_end(&g);
}

int leak_report_text(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		     const struct report_options *o, uint64_t lines)
{
	struct leak_text t = {.t = {.out = out, .a = a, .o = o, .line = STRBUF_INIT},
			      .l = l,
			      .number = STRBUF_INIT,
			      .other = STRBUF_INIT};

	text_header_print(out, a, o);
	if (o->header)
		fputc('\n', out);
	print_summary(&t);
	if (a->do_slab)
		print_rows(&t, &l->slab, lines);
	if (a->do_page)
		print_rows(&t, &l->page, lines);
	print_untraced(&t, lines);
	strbuf_deinit(&t.t.line);
	strbuf_deinit(&t.number);
	strbuf_deinit(&t.other);
	return 0;
}
