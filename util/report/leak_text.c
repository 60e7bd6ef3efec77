// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "util/cli/wrap.h"
#include "util/report/cell.h"
#include "util/report/key_format.h"
#include "util/report/leak_column.h"
#include "util/report/leak_report.h"
#include "util/report/text_columns.h"
#include "util/report/text_header.h"

/* A percentage that would be printed as 0.0 is not printed. */
#define PERCENT_MIN 0.05

struct leak_text {
	struct text_context t;
	const struct leak *l;
	struct strbuf number, other, sentence;
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

/* A sentence, wrapped where the terminal ends; what follows the first line is indented. */
__attribute__((format(printf, 3, 4))) static void say(struct leak_text *t, int indent,
						      const char *fmt, ...)
{
	int columns = t->t.o->columns ? t->t.o->columns : INT_MAX;
	va_list ap;

	strbuf_reset(&t->sentence);
	va_start(ap, fmt);
	strbuf_vaddf(&t->sentence, fmt, ap);
	va_end(ap);
	wrap_text(t->t.out, t->sentence.buf, indent, indent, columns);
}

/* Nothing is left: of how many? */
static void print_nothing(struct leak_text *t, const char *what, const struct leak_rows *rows,
			  uint64_t allocated)
{
	if (!allocated) {
		say(t, 0, "No %ss were allocated.", what);
		return;
	}
	strbuf_reset(&t->t.line);
	if (t->l->min_age_ns) {
		strbuf_addstr(&t->t.line, " for ");
		cell_add_duration(&t->t.line, t->l->min_age_ns);
		strbuf_addstr(&t->t.line, " or longer");
	}
	say(t, 0, "Of %s %s%s that %s allocated none is left%s%s.",
	    grouped(t, &t->number, allocated), what, plural(allocated),
	    allocated == 1 ? "was" : "were", t->t.line.buf ? t->t.line.buf : "",
	    rows->nr_untraced ? ", as far as can be judged" : "");
}

static void print_totals(struct leak_text *t, const struct leak_rows *rows)
{
	static const char *const meanings[] = {
		[LEAK_LEAKING] = "what is old stays, and more keeps coming",
		[LEAK_GROWING] = "more and more is live, though some is freed",
		[LEAK_PLATEAU] = "was filled and is kept, as a cache or a pool",
		[LEAK_TRANSIENT] = "only the youngest live",
	};

	for (int i = 0; i < LEAK_BEHAVIOURS; i++) {
		const struct leak_total *total = &rows->totals[i];

		if (!total->rows)
			continue;
		strbuf_reset(&t->t.line);
		strbuf_addf(&t->t.line, "%s (%s", grouped(t, &t->number, total->hits),
			    bytes(t, &t->other, total->bytes));
		if (leak_behaviour_is_leak((enum leak_behaviour)i) && total->growth > 0)
			strbuf_addf(&t->t.line, ", +%s a second",
				    bytes(t, &t->other, (uint64_t)total->growth));
		fprintf(t->t.out, "  %-11s", leak_behaviour_name((enum leak_behaviour)i));
		say(t, 13, "%s): %s", t->t.line.buf, meanings[i]);
	}
	for (int i = LEAK_KERNEL + 1; i < LEAK_USES; i++)
		if (rows->uses[i].rows)
			fprintf(t->t.out, "  %-11s%s (%s): no leak of the kernel\n",
				leak_use_name((enum leak_use)i),
				grouped(t, &t->number, rows->uses[i].hits),
				bytes(t, &t->other, rows->uses[i].bytes));
}

static uint64_t callsite_of(const struct leak_rows *rows, const struct leak_row *r)
{
	for (unsigned int i = 0; i < rows->nr_by; i++)
		if (rows->by[i] == KEY_CALLSITE)
			return r->key[i];
	return 0;
}

static void print_losses(struct leak_text *t, const char *allocator,
			 const struct leak_losses *losses)
{
	if (100 * losses->lost >= PERCENT_MIN && !losses->sampled)
		say(t, 0, "%.1f%% of the %s free events are missing, so some of this was freed.",
		    100 * losses->lost, allocator);
}

static void print_untraced_sentence(struct leak_text *t, const struct leak_rows *rows)
{
	uint64_t hits = 0, all = 0;

	for (size_t i = 0; i < rows->nr_untraced; i++) {
		hits += rows->untraced[i].live_hits;
		all += rows->untraced[i].live_bytes;
	}
	if (rows->nr_untraced)
		say(t, 0,
		    "%s more (%s) cannot be judged: the frees of what %zu call site%s %s are "
		    "mostly "
		    "not traced.",
		    grouped(t, &t->number, hits), bytes(t, &t->other, all), rows->nr_untraced,
		    plural(rows->nr_untraced), rows->nr_untraced == 1 ? "allocates" : "allocate");
}

static void print_summary_of(struct leak_text *t, const char *allocator, const char *what,
			     const struct leak_rows *rows, uint64_t allocated)
{
	if (rows->nr) {
		say(t, 0, "%s %s%s (%s) %s allocated and not freed, by %" PRIu64 " call site%s:",
		    grouped(t, &t->number, rows->hits), what, plural(rows->hits),
		    bytes(t, &t->other, rows->bytes), rows->hits == 1 ? "was" : "were",
		    rows->callsites, plural(rows->callsites));
		print_totals(t, rows);
	} else {
		print_nothing(t, what, rows, allocated);
	}
	print_losses(t, allocator, &rows->losses);
	print_untraced_sentence(t, rows);
}

static void print_summary(struct leak_text *t)
{
	const struct kmem_analysis *a = t->t.a;
	const struct source_facts *r = a->recording;
	char far[SOURCE_STOP_BUF];

	if (r->stop.stopped)
		say(t, 0,
		    "Partial: reading was stopped at %s of the recording, and what was freed later "
		    "is taken for live.",
		    source_facts_stop_text(r, far, sizeof(far)));
	if (source_facts_period(r) > 1)
		say(t, 0,
		    "One event of %" PRIu64 " was recorded, and only those are counted: most frees "
		    "of what seems live here were not.",
		    source_facts_period(r));
	if (a->options.nr_windows)
		say(t, 0, "Of what was allocated in the time span, what was live at its end:");
	if (a->accounts.slab)
		print_summary_of(t, "slab", "object", &t->l->slab,
				 a->accounts.slab->summary.allocations);
	if (a->accounts.page)
		print_summary_of(t, "page", "page block", &t->l->page,
				 a->accounts.page->summary.alloc_requests);
}

/* A table of rows while it is printed. */
struct leak_grid {
	struct text_grid grid;
	struct leak_cell cell;
	enum leak_use use;
};

typedef void (*cell_fn)(struct text_grid *g, unsigned int i, const char *text);

static void print_cell(struct text_grid *g, unsigned int i, const char *text)
{
	text_grid_cell(g, i, text);
}

static const char *key_heading(enum kmem_key key)
{
	return key == KEY_CALLSITE ? "Call site" : column_of_key(key)->heading;
}

static void add_columns(struct leak_grid *g)
{
	const struct leak_rows *rows = g->cell.rows;
	const struct leak_column *column;

	for (unsigned int i = 0; i < rows->nr_by; i++)
		if (rows->by[i] != KEY_STACK)
			text_grid_add(&g->grid, key_heading(rows->by[i]),
				      text_name_cut(rows->by[i]));
	for (size_t i = 0; (column = leak_column_at(i)); i++)
		if (column->heading)
			text_grid_add(&g->grid, column->heading, column->cut);
}

/* Call fn with the cells of a row, column by column. */
static void for_each_cell(struct leak_text *t, struct leak_grid *g, const struct leak_row *r,
			  cell_fn fn)
{
	const struct leak_rows *rows = g->cell.rows;
	const struct leak_column *column;
	struct strbuf *sb = &t->t.line;
	unsigned int n = 0;

	for (unsigned int i = 0; i < rows->nr_by; i++) {
		if (rows->by[i] == KEY_STACK)
			continue;
		strbuf_reset(sb);
		key_format_text(sb, t->t.a, rows->by[i], r->key[i], t->t.o->raw_ip);
		fn(&g->grid, n++, sb->buf);
	}
	for (size_t i = 0; (column = leak_column_at(i)); i++) {
		if (!column->heading)
			continue;
		strbuf_reset(sb);
		column->text(sb, &g->cell, r);
		fn(&g->grid, n++, sb->buf);
	}
}

/* What lowers the evidence, and the callchain. */
static void print_details(struct leak_text *t, const struct leak_grid *g, const struct leak_row *r)
{
	const struct leak_rows *rows = g->cell.rows;
	bool has_callsite = callsite_of(rows, r) != 0;
	const uint64_t *frames;
	size_t nr;

	if (r->evidence.reason != LEAK_SURE)
		text_grid_line(&g->grid, TEXT_STACK_INDENT, leak_reason_text(r->evidence.reason));
	for (unsigned int i = 0; i < rows->nr_by; i++) {
		if (rows->by[i] != KEY_STACK)
			continue;
		frames = key_stack_frames(t->t.a, r->key[i], &nr);
		if (nr > has_callsite)
			text_stack_print(&t->t, &g->grid, frames + has_callsite, nr - has_callsite);
	}
}

static void print_more(struct leak_text *t, const struct text_grid *g, uint64_t nr, uint64_t lines)
{
	if (nr <= lines)
		return;
	strbuf_reset(&t->other);
	strbuf_addf(&t->other, "... %s more", grouped(t, &t->number, nr - lines));
	text_grid_line(g, 1, t->other.buf);
}

/* The next row of the use at or behind i; NULL: none. */
static const struct leak_row *row_of_use(const struct leak_grid *g, size_t *i)
{
	const struct leak_rows *rows = g->cell.rows;

	for (; *i < rows->nr; ++*i)
		if (rows->v[*i].use == g->use)
			return &rows->v[(*i)++];
	return NULL;
}

static void print_rows(struct leak_text *t, const struct leak_rows *rows, enum leak_use use,
		       const char *title, uint64_t lines)
{
	struct leak_grid g = {.cell = {t->t.a, t->t.o, rows}, .use = use};
	const struct leak_row *r;
	size_t i = 0;

	if (!rows->uses[use].rows)
		return;
	text_grid_init(&g.grid, t->t.out, t->t.o->columns);
	add_columns(&g);
	for (uint64_t n = 0; n < lines && (r = row_of_use(&g, &i)); n++)
		for_each_cell(t, &g, r, text_grid_measure);
	text_grid_fit(&g.grid);
	fputc('\n', t->t.out);
	if (title)
		fprintf(t->t.out, "%s\n", title);
	text_grid_headings(&g.grid);
	text_grid_rule(&g.grid);
	i = 0;
	for (uint64_t n = 0; n < lines && (r = row_of_use(&g, &i)); n++) {
		for_each_cell(t, &g, r, print_cell);
		print_details(t, &g, r);
	}
	print_more(t, &g.grid, rows->uses[use].rows, lines);
	text_grid_end(&g.grid);
}

/* The other names of merged caches that the rows show. */
static int print_aliases(struct leak_text *t, const struct leak_rows *rows, uint64_t lines)
{
	struct table seen;
	unsigned int key = 0;
	int ret = 0;

	while (key < rows->nr_by && rows->by[key] != KEY_CACHE)
		key++;
	table_init(&seen, sizeof(uint64_t), sizeof(uint64_t));
	for (size_t i = 0; !ret && key < rows->nr_by && i < rows->nr && i < lines; i++)
		ret = text_aliases_print_once(&t->t, &seen, rows->v[i].key[key]);
	table_deinit(&seen);
	return ret;
}

static void untraced_cells(struct leak_text *t, struct text_grid *g, const struct untraced_site *u,
			   bool slab, cell_fn fn)
{
	unsigned int n = 0;

	strbuf_reset(&t->t.line);
	key_format_text(&t->t.line, t->t.a, KEY_CALLSITE, u->key[0], t->t.o->raw_ip);
	fn(g, n++, t->t.line.buf);
	if (slab) {
		strbuf_reset(&t->t.line);
		key_format_text(&t->t.line, t->t.a, KEY_CACHE, u->key[1], false);
		fn(g, n++, t->t.line.buf);
	}
	fn(g, n++, grouped(t, &t->number, u->allocations));
	fn(g, n++, grouped(t, &t->number, u->frees_seen));
	fn(g, n++, grouped(t, &t->number, u->frees_unseen));
	strbuf_reset(&t->other);
	cell_add_bytes(&t->other, t->t.o, u->live_bytes);
	fn(g, n, t->other.buf);
}

static void print_untraced(struct leak_text *t, const struct leak_rows *rows, bool slab,
			   uint64_t lines)
{
	static const char *const figures[] = {"Allocations", "Frees seen", "Frees unseen",
					      "Live bytes"};
	struct text_grid g;

	if (!rows->nr_untraced)
		return;
	text_grid_init(&g, t->t.out, t->t.o->columns);
	text_grid_add(&g, slab ? "Frees not traced" : "Frees not traced (pages)", 1);
	if (slab)
		text_grid_add(&g, "Cache", 2);
	for (unsigned int i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		text_grid_add(&g, figures[i], 0);
	for (size_t i = 0; i < rows->nr_untraced && i < lines; i++)
		untraced_cells(t, &g, &rows->untraced[i], slab, text_grid_measure);
	text_grid_fit(&g);
	fputc('\n', t->t.out);
	text_grid_headings(&g);
	text_grid_rule(&g);
	for (size_t i = 0; i < rows->nr_untraced && i < lines; i++)
		untraced_cells(t, &g, &rows->untraced[i], slab, print_cell);
	print_more(t, &g, rows->nr_untraced, lines);
	text_grid_end(&g);
}

int leak_report_text(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		     const struct report_options *o, uint64_t lines)
{
	static const char *const titles[] = {
		[LEAK_KERNEL] = "Pages of the kernel",
		[LEAK_PAGE_CACHE] = "Pages of the page cache: no leak of the kernel",
		[LEAK_USER] = "Pages of user memory: no leak of the kernel",
	};
	struct leak_text t = {.t = {.out = out, .a = a, .o = o, .line = STRBUF_INIT},
			      .l = l,
			      .number = STRBUF_INIT,
			      .other = STRBUF_INIT,
			      .sentence = STRBUF_INIT};
	int ret = 0;

	text_header_print(out, a, o);
	if (o->header)
		fputc('\n', out);
	print_summary(&t);
	if (a->accounts.slab) {
		print_rows(&t, &l->slab, LEAK_KERNEL, NULL, lines);
		ret = print_aliases(&t, &l->slab, lines);
	}
	for (int use = 0; a->accounts.page && use < LEAK_USES; use++)
		print_rows(&t, &l->page, (enum leak_use)use, titles[use], lines);
	print_untraced(&t, &l->slab, true, lines);
	print_untraced(&t, &l->page, false, lines);
	strbuf_deinit(&t.t.line);
	strbuf_deinit(&t.number);
	strbuf_deinit(&t.other);
	strbuf_deinit(&t.sentence);
	return ret;
}
