// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/table_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/kmem/source_checks.h"
#include "util/report/key_column.h"
#include "util/report/steps_part.h"

/* keys, each figure at most once in each shape, and requested fields */
#define PART_COLUMNS_MAX (4 * COLUMNS_MAX)

static void add_column(struct column_list *l, const char *name, enum allocator allocator)
{
	const struct column *c = column_find(name, strlen(name));

	if ((c->allocators & allocator) && l->nr < COLUMNS_MAX)
		l->v[l->nr++] = c;
}

static void add_keys(struct column_list *l, const struct stat_table *t)
{
	for (unsigned int i = 0; i < t->nr_by; i++)
		l->v[l->nr++] = column_of_key(t->by[i]);
}

/* Figures that people and sheets do not get, because the source lacks them. */
static bool is_unknown(const struct source_facts *f, const char *name)
{
	if (!strcmp(name, "pingpong"))
		return f->frees_unknown;
	return f->requests_unknown && (!strcmp(name, "req") || !strcmp(name, "frag"));
}

static bool has_column(const struct column_list *l, const struct column *c)
{
	for (unsigned int i = 0; i < l->nr; i++)
		if (l->v[i] == c)
			return true;
	return false;
}

/* The columns of --fields that the table has, behind those of its keys that are not among them. */
static void add_fields(struct column_list *l, const struct column_list *fields,
		       const struct report_table *t)
{
	struct column_list asked = {.nr = 0};

	for (unsigned int i = 0; i < fields->nr; i++) {
		const struct column *c = fields->v[i];

		if ((c->allocators & t->allocator) && column_fits(c, t->table->by, t->table->nr_by))
			asked.v[asked.nr++] = c;
	}
	for (unsigned int i = 0; asked.nr && i < t->table->nr_by; i++)
		if (!has_column(&asked, column_of_key(t->table->by[i])))
			l->v[l->nr++] = column_of_key(t->table->by[i]);
	for (unsigned int i = 0; i < asked.nr && l->nr < COLUMNS_MAX; i++)
		l->v[l->nr++] = asked.v[i];
}

void table_part_columns(const struct report_context *c, const struct report_table *t,
			struct column_list *ret_columns)
{
	/* requested columns come first, because a narrow terminal drops the last ones */
	static const char *const usual[] = {"bytes", "hit"};
	static const char *const lives[] = {"freed", "lifetime", "p50", "p99", "short"};
	static const char *const rest[] = {"req", "pingpong", "frag"};
	const struct report_options *o = c->options;
	struct column_list *l = ret_columns;

	l->nr = 0;
	add_fields(l, &o->fields, t);
	if (l->nr)
		return;
	add_keys(l, t->table);
	if (t->table->nr_by == 1 && t->table->by[0] == KEY_PAGE)
		add_column(l, "callsite", t->allocator);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add_column(l, usual[i], t->allocator);
	for (size_t i = 0; o->lifetimes && i < sizeof(lives) / sizeof(lives[0]); i++)
		add_column(l, lives[i], t->allocator);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (!is_unknown(c->facts, rest[i]))
			add_column(l, rest[i], t->allocator);
}

bool table_part_is_stock(const struct report_context *c, const struct report_table *t)
{
	const struct report_options *o = c->options;

	if (accounts_of(t->allocator)->allocator->stock_has_frees && c->facts->frees_unknown &&
	    !o->stock_style)
		return false;
	return t->options->stock && !o->fields.nr && !o->human && !o->lifetimes;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A figure of the column table. */
static struct value figure(const struct document_cell *cell)
{
	const struct column *c = cell->column->arg;
	const struct row_view *row = cell_row(cell);
	struct value v;

	switch (c->kind) {
	case COLUMN_BYTES:
		return value_bytes(c->value(row));
	case COLUMN_CHANGE:
		return value_bytes_change((int64_t)c->value(row));
	case COLUMN_NS: /* of freed objects: 0 if there are none */
		return value_ns_if(c->value(row), c->value(row));
	case COLUMN_PERCENT:
		v = value_percent(c->percent(row), 3, 3);
		v.unit = "%";
		return v;
	default:
		return value_u64(c->value(row));
	}
}

const char *figure_sample(const struct column *c)
{
	static const struct {
		const char *column, *sample;
	} samples[] = {
		{"bytes", "alloc_space"},
		{"hit", "alloc_objects"},
		{"live", "inuse_space"},
		{"live-hit", "inuse_objects"},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (!strcmp(c->name, samples[i].column))
			return samples[i].sample;
	return NULL;
}

struct document_column figure_column(const struct column *c)
{
	return (struct document_column){.id = c->json,
					.heading = c->heading,
					.value = figure,
					.arg = c,
					.sample = figure_sample(c),
					.sort = c->name,
					.adds_up = c->rows_add_up};
}

/* The call site of the latest allocation, for rows that are not grouped by call site. */
static struct value latest_callsite(const struct document_cell *cell)
{
	return value_callsite(
		naming_callsite(cell->column->arg, cell_row(cell)->counts->last_callsite));
}

/* The column of a key, whether or not rows are grouped by it. */
static struct document_column key_field(const struct report_context *c, const struct stat_table *t,
					enum kmem_key key)
{
	struct document_column column;
	unsigned int i = 0;

	while (i < t->nr_by && t->by[i] != key)
		i++;
	column = key_column(c->naming, key, i);
	if (i == t->nr_by)
		column.value = latest_callsite;
	return column;
}

static struct value peak_ns(const struct document_cell *cell)
{
	return value_u64(((const struct live_peak *)cell->column->arg)->time_ns);
}

/* Add the columns of text and CSV. */
static void add_shown(struct document_columns *columns, const struct report_context *c,
		      const struct report_table *t)
{
	const struct document_column peak = {"peak_ns", .value = peak_ns, .arg = t->peak,
					     .audience = FOR_SHEETS};
	struct column_list shown;

	table_part_columns(c, t, &shown);
	for (unsigned int i = 0; i < shown.nr; i++) {
		bool is_key = shown.v[i]->kind == COLUMN_KEY;
		struct document_column column = is_key ? key_field(c, t->table, shown.v[i]->key)
						       : figure_column(shown.v[i]);

		column.audience = FOR_PEOPLE | FOR_SHEETS;
		/* callchains are printed below their row unless requested as a field */
		column.below = is_key && shown.v[i]->key == KEY_STACK &&
			       !has_column(&c->options->fields, shown.v[i]);
		document_columns_add(columns, &column);
	}
	if (c->options->peak)
		document_columns_add(columns, &peak);
}

static struct value short_lived(const struct document_cell *cell)
{
	return value_u64(cell_row(cell)->counts->short_lived);
}

static const struct document_column short_lived_column = {
	"short_lived_hits", .value = short_lived, .audience = FOR_PROGRAMS, .adds_up = true};

static struct value live_untraced(const struct document_cell *cell)
{
	const struct row_view *row = cell_row(cell);

	return value_bytes(row->table->live_untraced[table_index(&row->table->rows, row->key)]);
}

/* Returns false if the kernel did not count the cache of this row. */
static bool count_cache(const struct document_cell *cell, struct slab_growth *ret)
{
	const struct report_context *c = cell->context;
	const uint32_t cache = (uint32_t)cell_row(cell)->key[0];
	const char *name = intern_get(&c->naming->names.strings, cache, NULL);

	return slab_counts_growth(accounts_slab_counts(c->facts, c->kmem), name, ret);
}

static struct value kernel_objects(const struct document_cell *cell)
{
	struct slab_growth count;

	return count_cache(cell, &count) ? value_u64(count.used) : value_none();
}

static struct value kernel_change(const struct document_cell *cell)
{
	struct slab_growth count;

	return count_cache(cell, &count) ? value_change(count.objects) : value_none();
}

/* The kernel's own count of objects (struct slab_counts), beside the live ones of the events. */
static const struct document_column count_columns[] = {
	{"kernel_objects", "Kernel's count", .value = kernel_objects, .adds_up = true},
	{"kernel_objects_change", "Change", .value = kernel_change, .adds_up = true},
};

static uint64_t count_octave(const void *lifetimes, unsigned int octave)
{
	return lifetime_histogram_octave(lifetimes, octave);
}

static struct value lifetimes(const struct document_cell *cell)
{
	return (struct value){.kind = VALUE_HISTOGRAM,
			      .histogram = {count_octave, cell_row(cell)->lifetimes}};
}

/* The figures of the first release of JSON version 1, in its order. */
static const char *const first_figures[] = {"hit",	"req",	"bytes",  "frag", "pingpong",
					    "live-hit", "live", "unseen", "freed"};
static const char *const lifetime_figures[] = {"lifetime", "p50", "p99"};

static bool is_among(const char *name, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void add_figure(struct document_columns *columns, const struct column *c,
		       enum allocator allocator)
{
	struct document_column column = figure_column(c);

	if (!(c->allocators & allocator))
		return;
	/* for allocators without requested bytes, both are the same */
	if (!strcmp(c->json, "bytes_alloc") && !(column_find("req", 3)->allocators & allocator))
		column.id = "bytes";
	column.audience = FOR_PROGRAMS;
	document_columns_add(columns, &column);
}

static void add_figures(struct document_columns *columns, enum allocator allocator,
			const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add_figure(columns, column_find(names[i], strlen(names[i])), allocator);
}

/* Add the columns of JSON: every figure. New figures come after those that existed before. */
static void add_figures_for_programs(struct document_columns *columns, const struct report_table *t)
{
	static const struct document_column histogram = {"lifetime_log2_ns", .value = lifetimes,
							 .audience = FOR_PROGRAMS};
	const struct column *c;

	add_figures(columns, t->allocator, first_figures, NR_OF(first_figures));
	if (t->table->want_lifetimes) {
		document_columns_add(columns, &short_lived_column);
		add_figures(columns, t->allocator, lifetime_figures, NR_OF(lifetime_figures));
		document_columns_add(columns, &histogram);
	}
	for (size_t i = 0; (c = column_at(i)); i++)
		if (c->kind != COLUMN_KEY && !c->is_recent &&
		    !is_among(c->name, first_figures, NR_OF(first_figures)) &&
		    !is_among(c->name, lifetime_figures, NR_OF(lifetime_figures)))
			add_figure(columns, c, t->allocator);
}

/* Figures that are metrics. */
static const struct figure_metric {
	const char *column;
	bool is_live;
	struct document_metric metric;
} figure_metrics[] = {
	{"live", true, {"live_bytes", "Bytes that were allocated and not freed."}},
	{"live-hit", true, {"live_objects", "Allocations that were not freed."}},
	{"bytes", false, {"allocated_bytes_total", "Allocated bytes since the start."}},
	{"req", false, {"requested_bytes_total", "Requested bytes since the start."}},
	{"hit", false, {"allocations_total", "Allocations since the start."}},
	{"freed", false, {"frees_total", "Frees since the start."}},
};

void metric_columns_add(struct document_columns *columns, const struct source_facts *facts,
			enum allocator allocator, bool live_only)
{
	for (size_t i = 0; i < NR_OF(figure_metrics); i++) {
		const struct figure_metric *m = &figure_metrics[i];
		const struct column *c = column_find(m->column, strlen(m->column));
		struct document_column column = figure_column(c);

		if (!(c->allocators & allocator) ||
		    (m->is_live ? facts->live_unknown : live_only || facts->frees_unknown))
			continue;
		column.metric = &m->metric;
		column.audience = FOR_METRICS;
		document_columns_add(columns, &column);
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

static const void *row_at(const struct document_table *t, uint64_t i, void *buf)
{
	struct row_view *row = buf;

	sorted_rows_get(t->rows, i, row);
	return row;
}

_Static_assert(sizeof(struct row_view) <= DOCUMENT_ROW_MAX, "a row view fits its room");

/* The rows in sorted order, owned by the document. NULL if out of memory. */
static const struct sorted_rows *sort_rows(struct document *d, const struct report_context *c,
					   const struct report_table *t)
{
	struct sorted_rows *rows = document_own(d, calloc(1, sizeof(*rows)));

	if (!rows)
		return NULL;
	if (sorted_rows_init(rows, t->table, c->naming, &t->options->sort, c->options->live,
			     d->audience == FOR_METRICS ? LINES_ALL : t->options->lines)) {
		d->failed = true;
		return NULL;
	}
	return document_own(d, rows->order) ? rows : NULL;
}

static void for_each_key(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			 void *ctx)
{
	const struct stat_table *t = s->source;

	for (unsigned int i = 0; i < t->nr_by; i++)
		fn(ctx, kmem_key_name(t->by[i]));
}

static void for_each_sort_key(const struct value_strings *s,
			      void (*fn)(void *ctx, const char *text), void *ctx)
{
	const struct sort_keys *keys = s->source;

	for (unsigned int i = 0; i < keys->nr; i++)
		fn(ctx, sort_keys_name(keys, i));
}

static struct value strings(void (*for_each)(const struct value_strings *s,
					     void (*fn)(void *ctx, const char *text), void *ctx),
			    const void *source)
{
	return (struct value){.kind = VALUE_STRINGS, .strings = {for_each, source, 0, NULL}};
}

static const struct document_column *weight_column(struct document *d,
						   const struct report_context *c)
{
	struct document_column *weight;

	if (!(d->audience & FOR_GRAPHS) || !c->options->weight)
		return NULL;
	weight = document_own(d, calloc(1, sizeof(*weight)));
	if (weight)
		*weight = figure_column(c->options->weight);
	return weight;
}

static void add_merged_caches(struct document_section *in, const struct report_context *c,
			      const struct sorted_rows *rows)
{
	struct merged_caches caches;
	struct row_view row;
	unsigned int key = 0;

	while (key < rows->table->nr_by && rows->table->by[key] != KEY_CACHE)
		key++;
	if (key == rows->table->nr_by || !document_is_for(in, FOR_PEOPLE))
		return;
	merged_caches_init(&caches, in, c->naming);
	for (uint64_t n = 0; sorted_rows_get(rows, n, &row); n++)
		merged_caches_add(&caches, row.key[key]);
	merged_caches_deinit(&caches);
}

struct document_table table_part_rows(const struct document_columns *columns, const void *rows,
				      document_row_fn row, uint64_t nr, uint64_t total)
{
	return (struct document_table){
		.id = "rows",
		.total_id = "rows_total",
		.columns = columns->v,
		.nr_columns = columns->nr,
		.rows = rows,
		.row = row,
		.nr_rows = nr,
		.rows_total = total,
		.look = LOOK_FRAMED,
	};
}

/* Whether a table of the overview is of use: the source has any of its keys, and text has rows. */
static bool is_useful(const struct document_section *in, const struct report_context *c,
		      const struct stat_table *t)
{
	if (!t->rows.nr && document_is_for(in, FOR_PEOPLE))
		return false;
	for (unsigned int i = 0; i < t->nr_by; i++)
		if (source_tells_key(c->facts, t->by[i]))
			return true;
	return false;
}

/* Whether the kernel's own counts stand beside live objects: of caches, and without a filter. */
static bool is_counted(const struct report_context *c, const struct report_table *t)
{
	const struct stat_table *table = t->table;

	return c->options->live && table->live_untraced && t->is_whole && table->nr_by == 1 &&
	       table->by[0] == KEY_CACHE && accounts_slab_counts(c->facts, c->kmem);
}

void table_part_add(struct document_section *in, const struct report_context *c,
		    const struct report_table *t, const struct document_column *stock,
		    size_t nr_stock)
{
	const bool left_out = t->options->overview && !is_useful(in, c, t->table);
	struct document_section *s =
		left_out ? NULL : document_add_section(in, NULL, NULL, FOR_ALL);
	const struct sorted_rows *rows = s ? sort_rows(s->document, c, t) : NULL;
	const struct stat_table *table = t->table;
	/* beside live bytes, which text has only with --live */
	const bool shows_untraced = c->options->live && !c->facts->frees_unknown;
	const struct document_column untraced = {"live_bytes_untraced", "Frees not traced",
						 .value = live_untraced, .adds_up = true,
						 .audience = shows_untraced ? 0 : FOR_PROGRAMS};
	const bool counted = is_counted(c, t);
	struct document_columns columns;
	struct document_table shown;

	if (!rows)
		return;
	document_columns_init(&columns, s->document, PART_COLUMNS_MAX);
	key_columns_add(&columns, c->naming, table->by, table->nr_by, FOR_PROGRAMS);
	key_columns_add(&columns, c->naming, table->by, table->nr_by, FOR_GRAPHS);
	add_shown(&columns, c, t);
	add_figures_for_programs(&columns, t);
	key_columns_add(&columns, c->naming, table->by, table->nr_by, FOR_METRICS);
	metric_columns_add(&columns, c->facts, t->allocator, c->options->live);
	if (table->live_untraced)
		document_columns_add(&columns, &untraced);
	for (size_t i = 0; counted && i < sizeof(count_columns) / sizeof(count_columns[0]); i++)
		document_columns_add(&columns, &count_columns[i]);
	/* pages draw it; text has its percentage, JSON with --lifetime */
	if (document_is_for(s, FOR_PAGES) && !table->want_lifetimes && !c->facts->frees_unknown)
		document_columns_add(&columns, &short_lived_column);
	steps_part_add_column(&columns, s, rows);
	document_add_figure(s, "by", strings(for_each_key, table), FOR_PROGRAMS);
	document_add_figure(s, "sort", strings(for_each_sort_key, &t->options->sort), FOR_PROGRAMS);
	shown = table_part_rows(&columns, rows, row_at, rows->nr, rows->total);
	shown.context = c;
	shown.is_aside = t->options->is_aside;
	if (t->options->overview) {
		in->style = STYLE_LINES; /* a grid starts with an empty line */
		shown.title = t->options->overview;
		shown.look = LOOK_GRID;
	}
	if (t->options->sort.nr) {
		shown.sorted_by = sort_keys_name(&t->options->sort, 0);
		shown.ascending = t->options->sort.v[0].ascending;
	}
	shown.stock = stock;
	shown.nr_stock = nr_stock;
	shown.weight = weight_column(s->document, c);
	document_add_table(s, &shown, FOR_ALL);
	add_merged_caches(s, c, rows);
}

void table_part_add_peak(struct document_section *in, const struct report_context *c,
			 const struct live_peak *peak)
{
	const struct source_span span = source_facts_span(c->facts);
	char after[UNITS_BUF];

	if (!c->options->peak)
		return;
	document_add_figure(in, "peak_ns", value_u64_if(peak->event, peak->time_ns), FOR_PROGRAMS);
	if (!peak->event)
		return;
	units_duration(after, sizeof(after),
		       peak->time_ns > span.start_ns ? peak->time_ns - span.start_ns : 0);
	document_add_labelled_pair(
		in, "Most live bytes", value_u64(peak->bytes),
		document_text(in, "at %" PRIu64 ".%09" PRIu64 " s (%s after the start)",
			      peak->time_ns / 1000000000, peak->time_ns % 1000000000, after));
}

void merged_caches_init(struct merged_caches *m, struct document_section *in,
			const struct naming *naming)
{
	*m = (struct merged_caches){.in = in, .naming = naming};
	table_init(&m->seen, sizeof(uint64_t), sizeof(uint64_t));
}

void merged_caches_deinit(struct merged_caches *m)
{
	table_deinit(&m->seen);
}

/* Add "signal_cache = UNIX, UNIX-STREAM". Adds nothing if there are no other names. */
static void format(struct strbuf *sb, const struct naming *n, uint64_t cache)
{
	const char *at = NULL, *between = " = ";
	struct strbuf alias = STRBUF_INIT;

	while (cache_aliases_next(&n->cache_aliases, &n->names.strings, cache, &at, &alias)) {
		if (!sb->len)
			strbuf_addstr(sb, intern_get(&n->names.strings, (uint32_t)cache, NULL));
		strbuf_addstr(sb, between);
		strbuf_addstr(sb, alias.buf);
		between = ", ";
	}
	printable_strbuf(sb, 0);
	sb->failed |= alias.failed;
	strbuf_deinit(&alias);
}

void merged_caches_add(struct merged_caches *m, uint64_t cache)
{
	struct strbuf line = STRBUF_INIT;
	uint32_t nr = m->seen.nr;

	format(&line, m->naming, cache);
	if (line.len && !table_insert(&m->seen, &cache))
		line.failed = true;
	m->in->document->failed |= line.failed;
	if (m->seen.nr > nr) {
		if (!nr)
			document_add_line(m->in,
					  "Merged caches, which the kernel calls by one name:");
		document_add_item(m->in, NULL, line.buf);
	}
	strbuf_deinit(&line);
}
