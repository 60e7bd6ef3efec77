// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/document/document.h"
#include "util/report/key_column.h"
#include "util/report/machine_part.h"
#include "util/report/recording_part.h"
#include "util/report/table_part.h"
#include "util/report/timeline_part.h"

#define DECIMALS 3 /* of rates and percentages */

/* ---- figures --------------------------------------------------------------------------------- */

/* The two sides are followed by the change from one to the other. */
enum { DIFF_CHANGE = DIFF_SIDES, DIFF_SHOWN };

static const char *const groups[DIFF_SHOWN] = {"old", "new", "change"};

/* The figures of column.c that text and CSV show, with their ids in diff. */
static const struct shown_figure {
	const char *column;
	const char *id; /* NULL: the column's */
	struct {
		const char *total, *per_second; /* headings in text; NULL if not shown */
	} heading[DIFF_SHOWN];
} shown_figures[] = {
	{"hit", NULL, {[DIFF_CHANGE] = {"Hits", "Hits/s"}}},
	/* those with an old and a new column come first in text */
	{"bytes",
	 "bytes",
	 {{"Old bytes", "Old bytes/s"}, {"New bytes", "New bytes/s"}, {"Change", "Change/s"}}},
	{"live-hit", NULL, {{NULL, NULL}}},
	{"live", NULL, {[DIFF_CHANGE] = {"Live bytes", "Live bytes"}}},
};

#define NR_SHOWN_FIGURES (sizeof(shown_figures) / sizeof(shown_figures[0]))

static const struct column *column_of(const struct shown_figure *f)
{
	return column_find(f->column, strlen(f->column));
}

static double number_of(const struct document_cell *cell)
{
	const struct column *c = cell->column->arg;

	if (cell->column->index != DIFF_CHANGE)
		return diff_figure(cell->context, cell->row, c, (int)cell->column->index);
	return diff_change(cell->context, cell->row, c);
}

/* In text, rates are rounded to whole numbers. */
static struct value rounded(const struct document_cell *cell)
{
	const struct column *c = cell->column->arg;
	bool is_bytes = c->kind == COLUMN_BYTES;
	double v = number_of(cell);
	uint64_t n = units_round(fabs(v));
	int64_t change = n > INT64_MAX ? INT64_MAX : (int64_t)n;

	if (cell->column->index != DIFF_CHANGE)
		return is_bytes ? value_bytes(n) : value_u64(n);
	change = v < 0 ? -change : change;
	return is_bytes ? value_bytes_change(change) : value_change(change);
}

static struct value exact(const struct document_cell *cell)
{
	const struct column *c = cell->column->arg;
	const struct diff *d = cell->context;
	bool is_whole = !d->per_second || (!c->adds_up && cell->column->audience == FOR_SHEETS);

	if (is_whole && !c->percent)
		return value_i64((int64_t)number_of(cell));
	return value_real(number_of(cell), DECIMALS, 0);
}

static struct value noise(const struct document_cell *cell)
{
	return value_bytes(units_round(diff_noise(cell->row)));
}

static struct value is_beyond_noise(const struct document_cell *cell)
{
	return value_bool(diff_is_beyond_noise(cell->context, cell->row));
}

static const struct document_column noise_columns[] = {
	{"noise_bytes", "Noise", .value = noise},
	{"beyond_noise", .value = is_beyond_noise, .audience = FOR_PROGRAMS | FOR_SHEETS},
};

/* Weights of folded stacks: bytes of each side. */
static struct value weight(const struct document_cell *cell)
{
	const struct column *bytes = column_find("bytes", strlen("bytes"));

	return value_u64(units_round(
		diff_figure(cell->context, cell->row, bytes, (int)cell->column->index)));
}

static const struct document_column weights[DIFF_SIDES] = {
	[DIFF_OLD] = {.value = weight, .index = DIFF_OLD},
	[DIFF_NEW] = {.value = weight, .index = DIFF_NEW},
};

/* ---- columns --------------------------------------------------------------------------------- */

static struct value key_text(const struct document_cell *cell)
{
	return value_text(diff_row_key(cell->context, cell->row, cell->column->index));
}

/* The side that has the row; the new side if both have it. */
static int side_of(const struct diff_row *row)
{
	return row->key[DIFF_NEW] ? DIFF_NEW : DIFF_OLD;
}

/* The key's value on that side, with addresses and frames. */
static struct value key_frames(const struct document_cell *cell)
{
	const struct diff *d = cell->context;
	const struct diff_row *row = cell->row;
	const enum kmem_key *key = cell->column->arg;
	int side = side_of(row);

	return key_value(d->side[side]->naming, *key, row->key[side][cell->column->index],
			 cell->scratch);
}

static struct value key_aliases(const struct document_cell *cell)
{
	const struct diff *d = cell->context;
	const struct diff_row *row = cell->row;
	int side = side_of(row);

	return key_cache_aliases(d->side[side]->naming, row->key[side][cell->column->index],
				 cell->scratch);
}

static void add_keys(struct document_columns *columns, const struct diff_table *t)
{
	for (unsigned int i = 0; i < t->nr_by; i++) {
		struct document_column key = key_column(NULL, t->by[i], i);

		key.value = key_text;
		document_columns_add(columns, &key);
		key.value = key_frames;
		key.arg = &t->by[i];
		key.audience = FOR_GRAPHS;
		document_columns_add(columns, &key);
		if (t->by[i] == KEY_CACHE)
			document_columns_add(columns,
					     &(struct document_column){.id = "aliases",
								       .value = key_aliases,
								       .index = i,
								       .audience = FOR_PROGRAMS});
	}
}

static void add_column(struct document_columns *columns, const struct column *c, const char *id,
		       unsigned int shown, enum document_audience audience)
{
	const char *sample = shown == DIFF_CHANGE ? figure_sample(c) : NULL;

	document_columns_add(columns, &(struct document_column){.id = id ? id : c->json,
								.group = groups[shown],
								.value = exact,
								.sample = sample,
								.arg = c,
								.index = shown,
								.adds_up = c->rows_add_up,
								.audience = audience});
}

static void add_heading(struct document_columns *columns, const struct diff *d,
			const struct shown_figure *f, unsigned int shown)
{
	const bool is_rate = d->per_second && (shown == DIFF_CHANGE || !(d->seconds_between > 0));
	const char *heading = is_rate ? f->heading[shown].per_second : f->heading[shown].total;
	/* a narrow terminal has the change rather than both sides */
	static const unsigned int keep[DIFF_SHOWN] = {
		[DIFF_OLD] = 1, [DIFF_NEW] = 2, [DIFF_CHANGE] = 3};

	if (heading)
		document_columns_add(columns,
				     &(struct document_column){
					     .heading = heading,
					     .value = rounded,
					     .arg = column_of(f),
					     .index = shown,
					     .keep = f->heading[DIFF_OLD].total ? keep[shown] : 0});
}

static void add_headings(struct document_columns *columns, const struct diff *d, bool both)
{
	for (size_t i = 0; i < NR_SHOWN_FIGURES; i++)
		for (unsigned int shown = 0; shown < DIFF_SHOWN; shown++)
			if ((shown_figures[i].heading[DIFF_OLD].total != NULL) == both)
				add_heading(columns, d, &shown_figures[i], shown);
}

/* Whether it is a figure of the rows that is not among shown_figures. */
static bool is_other(const struct column *c, enum allocator allocator)
{
	for (size_t i = 0; i < NR_SHOWN_FIGURES; i++)
		if (!strcmp(shown_figures[i].column, c->name))
			return false;
	return c->kind != COLUMN_KEY && c->allocators & allocator && !c->is_recent &&
	       !column_needs_lifetimes(c);
}

/* All figures of one side, next to each other. */
static void add_side(struct document_columns *columns, const struct diff_table *t,
		     unsigned int shown)
{
	const struct column *c;

	for (size_t i = 0; i < NR_SHOWN_FIGURES; i++)
		add_column(columns, column_of(&shown_figures[i]), shown_figures[i].id, shown,
			   FOR_PROGRAMS);
	for (size_t i = 0; (c = column_at(i)); i++)
		if (is_other(c, t->allocator))
			add_column(columns, c, NULL, shown, FOR_PROGRAMS);
}

static void add_columns(struct document_columns *columns, const struct diff *d,
			const struct diff_table *t)
{
	add_keys(columns, t);
	add_headings(columns, d, true);
	if (diff_has_noise(d))
		document_columns_add_all(columns, noise_columns, NR_OF(noise_columns));
	add_headings(columns, d, false);
	/* CSV has both sides of a figure next to each other */
	for (size_t i = 0; i < NR_SHOWN_FIGURES; i++)
		for (unsigned int side = 0; side < DIFF_SIDES; side++)
			add_column(columns, column_of(&shown_figures[i]), shown_figures[i].id, side,
				   FOR_SHEETS);
	for (unsigned int shown = 0; shown < DIFF_SHOWN; shown++)
		add_side(columns, t, shown);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct value key_names(struct document *d, const struct diff_table *t)
{
	const char **names = document_own(d, calloc(t->nr_by, sizeof(*names)));

	for (unsigned int i = 0; names && i < t->nr_by; i++)
		names[i] = kmem_key_name(t->by[i]);
	return value_strings(names, names ? t->nr_by : 0);
}

/* Add one side's names of merged caches in the first nr rows. */
static void add_merged_caches(struct document_section *in, const struct diff_report *r,
			      const struct diff_table *t, size_t nr, int side)
{
	struct merged_caches caches;
	unsigned int key = 0;

	while (key < t->nr_by && t->by[key] != KEY_CACHE)
		key++;
	if (key == t->nr_by || !document_is_for(in, FOR_PEOPLE))
		return;
	merged_caches_init(&caches, in, r->diff->side[side]->naming);
	for (size_t i = 0; i < nr; i++)
		if (side_of(&t->v[i]) == side)
			merged_caches_add(&caches, t->v[i].key[side][key]);
	merged_caches_deinit(&caches);
}

static void add_table(struct document_section *in, const struct diff_report *r,
		      const struct diff_table *t)
{
	const char *allocator = accounts_of(t->allocator)->id;
	const size_t nr = t->nr < r->lines ? t->nr : r->lines;
	struct document_section *s = document_add_section(in, allocator, NULL, FOR_ALL);
	struct document_columns columns;

	if (!s)
		return;
	s->kind = "allocator";
	document_add_figure(s, "allocator", value_text(allocator), FOR_PROGRAMS);
	document_add_figure(s, "by", key_names(s->document, t), FOR_PROGRAMS);
	document_columns_init(&columns, s->document,
			      3 * t->nr_by + NR_OF(noise_columns) + DIFF_SHOWN * COLUMNS_MAX * 2);
	add_columns(&columns, r->diff, t);
	document_add_table(s,
			   &(struct document_table){
				   .id = "rows",
				   .total_id = "rows_total",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = t->v,
				   .row_size = sizeof(*t->v),
				   .nr_rows = nr,
				   .rows_total = t->nr,
				   .context = r->diff,
				   .look = LOOK_GRID,
				   .weight = &weights[DIFF_NEW],
				   .old_weight = &weights[DIFF_OLD],
			   },
			   FOR_ALL);
	for (int side = DIFF_NEW; side >= DIFF_OLD; side--)
		add_merged_caches(s, r, t, nr, side);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void add_total(struct document_section *in, const struct diff *d, const char *what,
		      uint64_t old_bytes, uint64_t new_bytes)
{
	const bool are_states = d->seconds_between > 0;
	const char *unit = d->per_second && !are_states ? " a second" : "";
	char old_text[UNITS_BUF], new_text[UNITS_BUF], change[32] = "";
	double v[DIFF_SIDES] = {(double)old_bytes, (double)new_bytes};

	for (int i = 0; i < DIFF_SIDES; i++)
		if (d->per_second && !are_states && d->seconds[i] > 0)
			v[i] /= d->seconds[i];
	if (v[DIFF_OLD] > 0)
		snprintf(change, sizeof(change), " (%+.1f%%)",
			 100 * (v[DIFF_NEW] - v[DIFF_OLD]) / v[DIFF_OLD]);
	document_add_line(in, "%s: %s%s before, %s%s now%s.", what,
			  units_bytes(old_text, sizeof(old_text), units_round(v[DIFF_OLD])), unit,
			  units_bytes(new_text, sizeof(new_text), units_round(v[DIFF_NEW])), unit,
			  change);
}

/* "Slab bytes allocated: ..." */
static void add_account_total(struct document_section *in, const struct diff *d, int id)
{
	const struct allocator_ops *ops = account_table[id]->allocator;
	uint64_t bytes[DIFF_SIDES];
	char label[32];

	for (int side = 0; side < DIFF_SIDES; side++)
		bytes[side] = ops->totals(d->side[side]->accounts->v[id].state).bytes_allocated;
	snprintf(label, sizeof(label), "%s bytes allocated", ops->title);
	add_total(in, d, label, bytes[DIFF_OLD], bytes[DIFF_NEW]);
}

/* Whether a side is what happened in some time, rather than a state. */
static bool is_of_events(const struct diff *d)
{
	return !d->side[DIFF_OLD]->facts->is_snapshot && !d->side[DIFF_NEW]->facts->is_snapshot;
}

static void add_noise(struct document_section *in, const struct diff *d)
{
	size_t nr = 0, beyond = 0;

	for (size_t i = 0; i < d->nr_tables; i++) {
		nr += d->tables[i].nr;
		for (size_t k = 0; k < d->tables[i].nr; k++)
			beyond += diff_is_beyond_noise(d, &d->tables[i].v[k]);
	}
	if (diff_has_noise(d))
		document_add_line(in,
				  "%u old and %u new recordings: %zu of %zu rows changed by more "
				  "than noise, so their ranges do not overlap. They come first. "
				  "Without any change, chance alone puts one of %.0f rows there.",
				  d->recordings[DIFF_OLD], d->recordings[DIFF_NEW], beyond, nr,
				  diff_rows_for_one_by_chance(d));
	else if (is_of_events(d) && nr)
		document_add_line(in,
				  "One recording of each state cannot tell a change from noise: "
				  "--old and --new add more.");
}

static void add_summary(struct document_section *in, const struct diff *d)
{
	const struct kmem_accounts *old = d->side[DIFF_OLD]->accounts;
	char nr[UNITS_BUF], lengths[DIFF_SIDES][UNITS_BUF];

	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (accounts_allocator(old, id))
			add_account_total(in, d, id);
	if (!d->side[DIFF_OLD]->facts->is_snapshot || !d->side[DIFF_NEW]->facts->is_snapshot)
		document_add_line(
			in, "The recordings cover %s and %s%s.",
			units_duration(lengths[0], UNITS_BUF, d->side[DIFF_OLD]->length_ns),
			units_duration(lengths[1], UNITS_BUF, d->side[DIFF_NEW]->length_ns),
			!diff_lengths_differ(d->side[DIFF_OLD], d->side[DIFF_NEW]) ? ""
			: d->per_second ? ": rates are compared (--no-per-second compares totals)"
					: ": compare rates, with --per-second");
	if (d->seconds_between > 0)
		document_add_line(in, "Taken %s apart: changes of hits and bytes are per second.",
				  units_duration(lengths[0], UNITS_BUF,
						 units_round(d->seconds_between * 1e9)));
	add_noise(in, d);
	if (!d->same_kernel &&
	    (d->side[DIFF_OLD]->facts->osrelease || d->side[DIFF_OLD]->facts->site_names))
		document_add_line(in, "The recordings are of different kernels: call sites and "
				      "callchains are compared by function.");
	if (d->nr_nameless) {
		document_add_line(in,
				  "%s rows have addresses without a name, which cannot be "
				  "compared between boots.",
				  report_number(d->side[DIFF_NEW], nr, d->nr_nameless));
		document_add_line(in,
				  "Name the kernels' symbols with --kallsyms OLD --kallsyms NEW.");
	}
}

/* Add the timelines of both sides in sections named after the accounts: "old_slab" for the old
 * side. */
static void add_timelines(struct document_section *in, const struct diff *d)
{
	for (int i = 0; i < DIFF_SIDES * ACCOUNTS_NR; i++) {
		int side = i / ACCOUNTS_NR, id = i % ACCOUNTS_NR;
		const struct report_context *c = d->side[side];
		const struct allocator_accounts *a = accounts_allocator(c->accounts, id);
		const char *name = account_table[id]->id;
		char *old_name = NULL;

		if (!a || !timeline_part_has(c, a))
			continue;
		if (side == DIFF_OLD && asprintf(&old_name, "old_%s", name) < 0)
			old_name = NULL;
		if (side == DIFF_OLD)
			name = document_own(in->document, old_name);
		if (name)
			timeline_part_add(document_add_section(in, name, NULL, FOR_PROGRAMS), c, a);
	}
}

/* Compare the tables of one account. Tables that either side lacks are left out. */
static int add_account_changes(struct document_section *in, const struct diff_report *r, int id)
{
	const struct account_tables *t = account_table[id]->tables;
	struct source_table v[DIFF_SIDES][ACCOUNT_TABLES_MAX];
	uint32_t missing[DIFF_SIDES] = {0};
	size_t changed = 0;
	int ret = 0;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (unsigned int i = 0; i < t->nr; i++)
			source_table_init(&v[side][i], &t->kinds[i]);
	for (int side = 0; !ret && side < DIFF_SIDES; side++)
		ret = t->fill(r->diff->side[side]->accounts->v[id].state, r->diff->side[side],
			      !r->diff->same_kernel, v[side], &missing[side]);
	for (unsigned int i = 0; !ret && i < t->nr; i++)
		if (!((missing[DIFF_OLD] | missing[DIFF_NEW]) >> i & 1))
			changed +=
				machine_add_change(in, &v[DIFF_OLD][i], &v[DIFF_NEW][i], r->lines);
	if (!ret && !changed)
		document_add_line(in, "Nothing has changed in --%s.", account_table[id]->id);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (unsigned int i = 0; i < t->nr; i++)
			source_table_deinit(&v[side][i]);
	return ret;
}

/* Add the accounts with tables of their own, which have no keys. */
static void add_accounts(struct document_section *in, const struct diff_report *r)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		struct document_section *s;

		if (!account_table[i]->tables || !r->diff->side[DIFF_OLD]->accounts->v[i].state ||
		    !r->diff->side[DIFF_NEW]->accounts->v[i].state)
			continue;
		s = document_add_section(in, account_table[i]->id, NULL, FOR_PEOPLE | FOR_DATA);
		if (!s || add_account_changes(s, r, i))
			in->document->failed = true;
	}
}

void report_diff(struct document *document, void *ctx)
{
	const struct diff_report *r = ctx;
	const struct diff *d = r->diff;
	struct document_section *root = &document->root, *in, *tables;

	document_add_versions(root->document);
	recording_add_facts(root, "recording", d->side[DIFF_NEW]);
	recording_add_facts(root, "old_recording", d->side[DIFF_OLD]);
	if (d->side[DIFF_NEW]->options->header) {
		recording_add_short_header(root, "Before", d->side[DIFF_OLD]);
		recording_add_short_header(root, "Now", d->side[DIFF_NEW]);
	}
	recording_add_filters(root, d->side[DIFF_NEW]->kmem, d->side[DIFF_NEW]->options->header);
	for (int i = 0; i < DIFF_SIDES; i++)
		recording_add_short_warnings(root, d->side[i]);
	add_summary(root, d);
	in = document_add_section(root, "diff", NULL, FOR_ALL);
	document_add_figure(in, "per_second", value_bool(d->per_second), FOR_PROGRAMS);
	document_add_figure(in, "same_kernel", value_bool(d->same_kernel), FOR_PROGRAMS);
	document_add_figure(in, "same_boot", value_bool(d->same_boot), FOR_PROGRAMS);
	document_add_figure(in, "rows_without_name", value_u64(d->nr_nameless), FOR_PROGRAMS);
	document_add_figure(in, "old_seconds", value_real(d->seconds[DIFF_OLD], 6, 1),
			    FOR_PROGRAMS);
	document_add_figure(in, "new_seconds", value_real(d->seconds[DIFF_NEW], 6, 1),
			    FOR_PROGRAMS);
	if (diff_has_noise(d)) {
		document_add_figure(in, "old_recordings", value_u64(d->recordings[DIFF_OLD]),
				    FOR_PROGRAMS);
		document_add_figure(in, "new_recordings", value_u64(d->recordings[DIFF_NEW]),
				    FOR_PROGRAMS);
	}
	if (d->seconds_between > 0)
		document_add_figure(in, "seconds_between", value_real(d->seconds_between, 6, 1),
				    FOR_PROGRAMS);
	add_timelines(in, d);
	tables = document_add_section(in, "tables", NULL, FOR_ALL);
	if (!tables)
		return;
	tables->is_list = true;
	for (size_t i = 0; i < d->nr_tables; i++)
		add_table(tables, r, &d->tables[i]);
	add_accounts(in, r);
	machine_add_changes(root, d->side[DIFF_OLD]->facts, d->side[DIFF_NEW]->facts, r->lines);
}
