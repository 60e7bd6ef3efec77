// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/report_top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/report/key_column.h"
#include "util/report/recording_part.h"
#include "util/report/table_part.h"
#include "util/top/groups.h"
#include "util/source/facts_metrics.h"

#define COLUMNS_EACH 64

struct block_context {
	struct top_collector *collector;
	const struct top_block *block;
	const struct kmem_pipeline *p;
	const struct report_options *options;
	struct tick_interval interval;
};

/* A table's rows in the document. */
struct ordered_groups {
	struct top_groups groups;
	uint32_t *rows;
	uint64_t nr, total;
};

static const void *row_at(const struct document_table *t, uint64_t i, void *buf)
{
	const struct ordered_groups *o = t->rows;
	struct row_view *row = buf;

	*row = top_groups_row(&o->groups, o->rows[i]);
	return row;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* On a narrow terminal: the first figures stay, then the behaviour; the sort column always stays.
 */
#define NR_FIRST       4
#define KEEP_BEHAVIOUR 10
#define KEEP_SORTED    100

static struct value history(const struct document_cell *cell)
{
	return value_numbers(cell_row(cell)->recent->live, RECENT_MOMENTS);
}

#define RECENT_FN(name)                                                                            \
	static struct value recent_##name(const struct document_cell *cell)                        \
	{                                                                                          \
		return value_u64(cell_row(cell)->recent->name);                                    \
	}
RECENT_FN(hits)
RECENT_FN(bytes_alloc)
RECENT_FN(freed_hits)
RECENT_FN(bytes_freed)

static const struct document_column recent_columns[] = {
	{"hits", .value = recent_hits, .group = "interval", .audience = FOR_PROGRAMS},
	{"bytes_alloc", .value = recent_bytes_alloc, .group = "interval", .audience = FOR_PROGRAMS},
	{"freed_hits", .value = recent_freed_hits, .group = "interval", .audience = FOR_PROGRAMS},
	{"bytes_freed", .value = recent_bytes_freed, .group = "interval", .audience = FOR_PROGRAMS},
};

static struct value untraced(const struct document_cell *cell)
{
	return value_bytes(top_figures_of(cell_row(cell))->live_untraced);
}

static const struct document_column untraced_column = {"live_bytes_untraced", "Frees not traced",
						       .value = untraced};

static struct value grown(const struct document_cell *cell)
{
	return value_bytes(top_figures_of(cell_row(cell))->grown.bytes);
}

static const struct leak_row *verdict_of(const struct document_cell *cell)
{
	return top_figures_of(cell_row(cell))->verdict;
}

static struct value suspect(const struct document_cell *cell)
{
	const uint64_t v = top_suspect(cell_row(cell));
	char text[SUSPECT_TEXT];
	struct value shown;

	strbuf_addstr(cell->scratch, suspect_text(text, v));
	shown = value_text(cell->scratch->len ? cell->scratch->buf : NULL);
	shown.role = suspect_role(v);
	return shown;
}

static struct value behaviour(const struct document_cell *cell)
{
	const struct leak_row *r = verdict_of(cell);

	return value_text(r ? leak_behaviour_name(r->behaviour) : NULL);
}

static struct value confidence(const struct document_cell *cell)
{
	const struct leak_row *r = verdict_of(cell);

	return r ? value_real(r->evidence.confidence, 3, 3) : value_none();
}

static struct value use(const struct document_cell *cell)
{
	const struct leak_row *r = verdict_of(cell);

	return value_text(r ? leak_use_name(r->use) : NULL);
}

static const struct document_column suspect_columns[] = {
	{"suspect", "Behaviour", .value = suspect, .audience = FOR_PEOPLE, .sort = "suspect",
	 .keep = KEEP_BEHAVIOUR},
	{"behaviour", .value = behaviour, .audience = FOR_PROGRAMS},
	{"confidence", .value = confidence, .audience = FOR_PROGRAMS},
	{"use", .value = use, .audience = FOR_PROGRAMS},
};

/* The order of rows by live bytes. */
static const struct document_column grown_column = {"live_bytes_grown", "Live, grown",
						    .value = grown};

static const struct document_column history_column = {
	"live_history", "Live over time", .value = history, .is_name = true, .cut = 100};

/* Without live figures where these are unknown. */
static void add_figures(struct document_columns *columns, const struct block_context *b,
			const char *const *names, size_t nr, unsigned int audience)
{
	for (size_t i = 0; i < nr; i++) {
		struct document_column c = figure_column(column_find(names[i], strlen(names[i])));

		if (b->p->facts->live_unknown && top_needs_live(names[i]))
			continue;
		c.audience = audience;
		c.keep = (i < NR_FIRST ? 2 * KEEP_BEHAVIOUR : KEEP_BEHAVIOUR) - (unsigned int)i;
		document_columns_add(columns, &c);
	}
}

static void keep_sorted(struct document_columns *columns, const struct column *order)
{
	for (size_t i = 0; i < columns->nr; i++)
		if (columns->v[i].sort && !strcmp(columns->v[i].sort, order->name))
			columns->v[i].keep = KEEP_SORTED;
}

static void add_columns(struct document_columns *columns, const struct block_context *b,
			const struct top_grouping *by, bool has_grown)
{
	static const char *const now[] = {"hits/s", "bytes/s",	"live",
					  "growth", "live-hit", "frees/s"};
	static const char *const since[] = {"hit", "bytes", "live", "growth", "live-hit", "freed"};
	static const char *const all[] = {"hit",      "req",	 "bytes",  "freed",
					  "live-hit", "live",	 "unseen", "hits/s",
					  "bytes/s",  "frees/s", "growth"};
	const struct naming *naming = &b->p->naming;

	for (unsigned int i = 0; i < by->nr_by; i++) {
		struct document_column key = key_column(naming, by->by[i], i);

		key.audience = FOR_PEOPLE;
		document_columns_add(columns, &key);
	}
	key_columns_add(columns, naming, by->by, by->nr_by, FOR_PROGRAMS);
	if (b->block->total)
		add_figures(columns, b, since, NR_OF(since), FOR_PEOPLE);
	else
		add_figures(columns, b, now, NR_OF(now), FOR_PEOPLE);
	for (size_t i = 0; i < NR_OF(recent_columns); i++)
		if (!b->p->facts->live_unknown || strcmp(recent_columns[i].id, "bytes_freed") != 0)
			document_columns_add(columns, &recent_columns[i]);
	add_figures(columns, b, all, NR_OF(all), FOR_PROGRAMS);
	if (!b->p->facts->live_unknown) {
		for (size_t i = 0; i < NR_OF(suspect_columns); i++)
			document_columns_add(columns, &suspect_columns[i]);
		document_columns_add(columns, &untraced_column);
		if (has_grown)
			document_columns_add(columns, &grown_column);
		document_columns_add(columns, &history_column);
	}
}

/* ---- a table --------------------------------------------------------------------------------- */

static void free_groups(struct document *d, struct ordered_groups *o)
{
	(void)d;
	top_groups_deinit(&o->groups);
	free(o->rows);
	free(o);
}

static struct ordered_groups *order_groups(struct document *d, const struct block_context *b,
					   const struct stat_table *table,
					   const struct top_grouping *by,
					   const struct top_request *request)
{
	const struct top_order order = {
		.column = top_column_at(request->order),
		.ascending = request->ascending,
		.idle = b->block->total || d->audience != FOR_PEOPLE,
		.lines = d->audience == FOR_METRICS ? LINES_ALL : b->block->lines,
	};
	struct ordered_groups *o = calloc(1, sizeof(*o));
	const struct leak_rows *verdicts;

	if (!o || top_judge(b->collector, b->p, request, &verdicts) ||
	    top_groups_init(&o->groups, &b->collector->intervals, table, by->by, by->nr_by, NULL,
			    accounts_slab_counts(b->p->facts, &b->p->options), verdicts) ||
	    top_groups_sort(&o->groups, &order, &o->rows, &o->nr, &o->total)) {
		if (o)
			free_groups(d, o);
		d->failed = true;
		return NULL;
	}
	return o;
}

static void add_sums(struct document_section *in, const struct top_sums *s, bool live_unknown)
{
	struct document_section *sums = document_add_section(in, "sums", NULL, FOR_PROGRAMS);
	struct document_section *now = document_add_section(sums, "interval", NULL, FOR_PROGRAMS);

	document_add_figure(now, "hits", value_u64(s->hits), FOR_PROGRAMS);
	document_add_figure(now, "bytes_alloc", value_bytes(s->bytes_alloc), FOR_PROGRAMS);
	document_add_figure(now, "freed_hits", value_u64(s->freed_hits), FOR_PROGRAMS);
	if (!live_unknown)
		document_add_figure(now, "bytes_freed", value_bytes(s->bytes_freed), FOR_PROGRAMS);
	document_add_figure(sums, "hits", value_u64(s->total_hits), FOR_PROGRAMS);
	document_add_figure(sums, "bytes_alloc", value_bytes(s->total_bytes), FOR_PROGRAMS);
	if (live_unknown)
		return;
	document_add_figure(sums, "live_hits", value_u64(s->live_hits), FOR_PROGRAMS);
	document_add_figure(sums, "live_bytes", value_bytes(s->live_bytes), FOR_PROGRAMS);
	document_add_figure(sums, "live_bytes_untraced", value_bytes(s->live_untraced),
			    FOR_PROGRAMS);
	document_add_figure(sums, "growth_bytes_per_s", value_bytes_change((int64_t)s->growth),
			    FOR_PROGRAMS);
	document_add_figure(sums, "live_history", value_numbers(s->live, RECENT_MOMENTS),
			    FOR_PROGRAMS);
}

static void add_heading(struct document_section *in, const struct block_context *b,
			const struct top_sums *s, const char *allocator, const char *by)
{
	uint64_t ns = b->interval.end_ns - b->interval.start_ns;
	double seconds = ns ? (double)ns / 1e9 : 1;
	char hits[UNITS_BUF], bytes[UNITS_BUF], frees[UNITS_BUF], freed[UNITS_BUF];
	char live[UNITS_BUF], objects[UNITS_BUF];
	const char *sep = b->options->thousands_sep;

	if (b->p->facts->live_unknown) {
		document_add_line(in,
				  "%s by %s: allocated %s/s, %s/s; freed %s/s; live is not known",
				  allocator, by,
				  units_group(hits, sizeof(hits),
					      units_round((double)s->hits / seconds), sep),
				  units_bytes(bytes, sizeof(bytes),
					      units_round((double)s->bytes_alloc / seconds)),
				  units_group(frees, sizeof(frees),
					      units_round((double)s->freed_hits / seconds), sep));
		return;
	}
	document_add_line(
		in, "%s by %s: allocated %s/s, %s/s; freed %s/s, %s/s; live %s in %s objects",
		allocator, by,
		units_group(hits, sizeof(hits), units_round((double)s->hits / seconds), sep),
		units_bytes(bytes, sizeof(bytes), units_round((double)s->bytes_alloc / seconds)),
		units_group(frees, sizeof(frees), units_round((double)s->freed_hits / seconds),
			    sep),
		units_bytes(freed, sizeof(freed), units_round((double)s->bytes_freed / seconds)),
		units_bytes(live, sizeof(live), s->live_bytes),
		units_group(objects, sizeof(objects), s->live_hits, sep));
	if (s->live_untraced)
		document_add_line(in,
				  "Frees not traced: %s of the live bytes may be free: see leak",
				  units_bytes(live, sizeof(live), s->live_untraced));
}

static void add_suspects(struct document_section *in, const struct top_groups *groups,
			 const struct top_request *request)
{
	const uint64_t nr = groups->nr_suspects;

	document_add_figure(in, "suspects", value_u64(nr), FOR_PROGRAMS);
	if (nr && request->order != top_column_find("suspect"))
		document_add_line(in, "%" PRIu64 " row%s with high evidence: -s suspect", nr,
				  nr == 1 ? " leaks or grows" : "s leak or grow");
}

static void add_slabs(struct document_section *in, const struct block_context *b)
{
	const struct slab_totals t = top_slab_totals(b->p, b->interval);
	struct document_section *s;
	char used[UNITS_BUF], objects[UNITS_BUF], used_bytes[UNITS_BUF], bytes[UNITS_BUF];
	const char *sep = b->options->thousands_sep;

	if (!t.objects)
		return;
	s = document_add_section(in, "kernel", NULL, FOR_PROGRAMS);
	document_add_figure(s, "used", value_u64(t.used), FOR_PROGRAMS);
	document_add_figure(s, "objects", value_u64(t.objects), FOR_PROGRAMS);
	document_add_figure(s, "used_bytes", value_bytes(t.used_bytes), FOR_PROGRAMS);
	document_add_figure(s, "bytes", value_bytes(t.bytes), FOR_PROGRAMS);
	document_add_line(in, "all slabs, by the kernel: %s of %s objects in use, %s of %s",
			  units_group(used, sizeof(used), t.used, sep),
			  units_group(objects, sizeof(objects), t.objects, sep),
			  units_bytes(used_bytes, sizeof(used_bytes), t.used_bytes),
			  units_bytes(bytes, sizeof(bytes), t.bytes));
}

static void for_each_key(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			 void *ctx)
{
	const struct top_grouping *g = s->source;

	for (unsigned int i = 0; i < g->nr_by; i++)
		fn(ctx, kmem_key_name(g->by[i]));
}

static void add_allocator(struct document_section *root, const struct block_context *b, int account,
			  struct ordered_groups **ret_groups)
{
	const char *name = account_table[account]->id;
	const struct top_request *request = &b->block->requests[account];
	const struct stat_table *table = top_table(b->p, account);
	struct document_section *s;
	const struct top_grouping *by;
	struct document_columns columns;
	struct document_table shown;
	struct ordered_groups *o;

	if (!table)
		return;
	by = &b->collector->groupings[account]->v[request->grouping];
	o = order_groups(root->document, b, table, by, request);
	*ret_groups = o;
	s = document_add_section(root, name, NULL, FOR_ALL);
	if (!o || !s)
		return;
	s->is_compact = true;
	s->kind = "allocator";
	add_heading(s, b, &o->groups.sums, name, by->name);
	if (!b->p->facts->live_unknown)
		add_suspects(s, &o->groups, request);
	add_sums(s, &o->groups.sums, b->p->facts->live_unknown);
	if (account == ACCOUNT_slab)
		add_slabs(s, b);
	document_add_figure(
		s, "by",
		(struct value){.kind = VALUE_STRINGS, .strings = {for_each_key, by, 0, NULL}},
		FOR_PROGRAMS);
	document_add_figure(s, "sort", value_text(top_column_at(request->order)->name),
			    FOR_PROGRAMS);
	if (!o->total && root->document->audience == FOR_PEOPLE) {
		document_add_line(
			s, "nothing was allocated or freed %s: -d 10s makes intervals longer",
			b->block->total ? "so far" : "in this interval");
		return;
	}
	document_columns_init(&columns, root->document, COLUMNS_EACH);
	add_columns(&columns, b, by, o->groups.has_grown);
	key_columns_add(&columns, &b->p->naming, by->by, by->nr_by, FOR_METRICS);
	metric_columns_add(&columns, b->p->facts, account_allocator_bit(account), false);
	keep_sorted(&columns, top_column_at(request->order));
	shown = table_part_rows(&columns, o, row_at, o->nr, o->total);
	shown.sorted_by = top_column_at(request->order)->name;
	shown.ascending = request->ascending;
	document_add_table(s, &shown, FOR_ALL);
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Lost events as an object, by name. */
static void add_lost_events(struct document_section *in, const struct source_facts *f)
{
	struct document_section *s = document_add_section(in, "lost_by_event", NULL, FOR_PROGRAMS);

	for (size_t i = 0; s && i < f->nr_events; i++)
		if (f->events[i]->nr_lost && f->events[i]->name && !f->events[i]->is_dummy)
			document_add_figure(s, f->events[i]->name, value_u64(f->events[i]->nr_lost),
					    FOR_PROGRAMS);
}

/* The start of the interval, since 1970. */
static struct value wall_clock(const struct source_facts *f, uint64_t start_ns)
{
	return f->clock.wall_ns ? value_u64(f->clock.wall_ns + start_ns - f->clock.event_ns)
				: value_none();
}

static void add_facts(struct document_section *root, const struct block_context *b)
{
	const struct top_collector *c = b->collector;
	struct document_section *s;

	document_add_versions(root->document);
	source_facts_add_metrics(b->p->facts, root);
	recording_add_sample_metric(root, b->p->facts, &b->p->accounts);
	source_facts_add_figures(b->p->facts,
				 document_add_section(root, "machine", NULL, FOR_PROGRAMS));
	s = document_add_section(root, "interval", NULL, FOR_PROGRAMS);
	document_add_figure(s, "number", value_u64(c->intervals.nr), FOR_PROGRAMS);
	document_add_figure(s, "wall_clock_ns", wall_clock(b->p->facts, b->interval.start_ns),
			    FOR_PROGRAMS);
	document_add_figure(s, "start_ns", value_u64(b->interval.start_ns), FOR_PROGRAMS);
	document_add_figure(s, "end_ns", value_u64(b->interval.end_ns), FOR_PROGRAMS);
	document_add_figure(s, "last", value_bool(b->interval.last), FOR_PROGRAMS);
	document_add_figure(s, "skipped_before", value_u64(b->block->nr_skipped), FOR_PROGRAMS);
	document_add_figure(root, "events", value_u64(b->p->facts->nr_samples), FOR_PROGRAMS);
	document_add_figure(root, "lost_events", value_u64(c->nr_lost), FOR_PROGRAMS);
	document_add_figure(root, "lost_in_interval", value_u64(c->nr_lost - c->nr_lost_before),
			    FOR_PROGRAMS);
	add_lost_events(root, b->p->facts);
	document_add_figure(root, "live_sample_one_in",
			    value_u64(accounts_sample_one_in(&b->p->accounts)), FOR_PROGRAMS);
}

static void add_lost(struct document_section *root, const struct block_context *b)
{
	const struct top_collector *c = b->collector;
	const char *sep = b->options->thousands_sep;
	struct strbuf which = STRBUF_INIT;
	char lost[UNITS_BUF], now[UNITS_BUF];

	if (!c->nr_lost)
		return;
	top_add_lost(&which, b->p->facts);
	document_add_comment(
		root, "LOST %s events, %s of them now%s%s: too few are counted, too many live",
		units_group(lost, sizeof(lost), c->nr_lost, sep),
		units_group(now, sizeof(now), c->nr_lost - c->nr_lost_before, sep),
		which.len ? ": " : "", which.buf);
	strbuf_deinit(&which);
}

static void add_sample(struct document_section *root, const struct block_context *b)
{
	uint64_t one_in = accounts_sample_one_in(&b->p->accounts);
	char most[UNITS_BUF];

	if (one_in > 1)
		document_add_comment(
			root,
			"SAMPLED: more than %s were live (--memory, --max-live), one in %" PRIu64
			" is followed: live figures are estimates",
			units_group(most, sizeof(most), b->p->options.bounds.max_live,
				    b->options->thousands_sep),
			one_in);
}

static void add_title(struct document_section *root, const struct block_context *b)
{
	const struct top_collector *c = b->collector;
	char elapsed[UNITS_BUF], length[UNITS_BUF];

	document_add_comment(
		root, "interval %" PRIu64 ", %s, ends %s after the start", c->intervals.nr,
		units_duration(length, sizeof(length), b->interval.end_ns - b->interval.start_ns),
		units_duration(elapsed, sizeof(elapsed), b->interval.end_ns - c->begin_ns));
	if (b->block->nr_skipped)
		document_add_comment(root,
				     "%" PRIu64 " intervals before it are not shown: "
				     "they could not be written in time",
				     b->block->nr_skipped);
	add_lost(root, b);
	add_sample(root, b);
}

static void build(struct document *d, const struct block_context *b,
		  struct ordered_groups *groups[ACCOUNTS_NR])
{
	struct document_section *root = &d->root;

	root->is_compact = true;
	add_facts(root, b);
	add_title(root, b);
	recording_add_filters(root, &b->p->options, b->options->header);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		add_allocator(root, b, i, &groups[i]);
}

int top_report_write(FILE *out, const struct form *form, const struct report_options *options,
		     struct top_collector *collector, const struct top_block *block,
		     const struct kmem_pipeline *p, struct tick_interval interval)
{
	const struct block_context b = {collector, block, p, options, interval};
	const struct render_options how = {
		.thousands_sep = options->thousands_sep,
		.columns = options->columns,
		.raw_ip = options->raw_ip,
		.human = options->human,
		.ascii = options->ascii,
		.colours = options->colours,
		.metrics = options->metrics,
	};
	struct ordered_groups *groups[ACCOUNTS_NR] = {NULL};
	struct document d;
	int ret;

	document_init(&d, form->audience);
	build(&d, &b, groups);
	ret = document_failed(&d) ? -ENOMEM : form->render(out, &how, &d);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (groups[i])
			free_groups(&d, groups[i]);
	document_deinit(&d);
	return ret;
}
