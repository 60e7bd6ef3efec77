// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/timeline_part.h"

#include <stdlib.h>

#include "util/base/array.h"
#include "util/report/key_column.h"
#include "util/report/steps_part.h"

/* Number of rows that are shown separately. */
#define ROWS_TOLD 12

/* A row of the table over time. */
struct series_row {
	const uint64_t *key; /* first member: see key_columns_add() */
	uint64_t most;	     /* largest number of live bytes at the end of a step */
	const uint64_t *live;
	uint32_t steps;
};

static struct value most_bytes(const struct document_cell *cell)
{
	return value_bytes(((const struct series_row *)cell->row)->most);
}

static struct value live_bytes(const struct document_cell *cell)
{
	const struct series_row *row = cell->row;

	return value_numbers(row->live, row->steps);
}

static const struct document_column figures[] = {
	{"most_live_bytes", .value = most_bytes, .audience = FOR_PROGRAMS},
	{"live_bytes", .value = live_bytes, .audience = FOR_PROGRAMS},
};

/* The rows with the most live bytes at any step, largest first. Returns their number. */
static unsigned int choose_rows(struct document *d, const struct stat_table *table, uint32_t steps,
				uint32_t ret_rows[ROWS_TOLD])
{
	const struct timeline *t = table->timeline;
	const uint64_t *all = document_own(d, timeline_most(t, steps));
	uint64_t most[ROWS_TOLD];
	unsigned int nr = 0;
	uint32_t row;

	stat_table_for_each (row, table) {
		uint64_t of_row = all && row < t->nr ? all[row] : 0;
		unsigned int at = nr < ROWS_TOLD ? nr : ROWS_TOLD - 1;

		if (!of_row || (nr == ROWS_TOLD && of_row <= most[at]))
			continue;
		for (; at && most[at - 1] < of_row; at--) {
			most[at] = most[at - 1];
			ret_rows[at] = ret_rows[at - 1];
		}
		most[at] = of_row;
		ret_rows[at] = row;
		nr += nr < ROWS_TOLD;
	}
	return nr;
}

static uint64_t *series_copy(struct document *d, const uint64_t *v, uint32_t steps)
{
	uint64_t *copy = document_own(d, calloc(steps + 1u, sizeof(*copy)));

	for (uint32_t i = 0; copy && i < steps; i++)
		copy[i] = v[i];
	return copy;
}

static void add_rows(struct document_section *in, const struct report_context *c,
		     const struct stat_table *table, uint32_t steps)
{
	struct document *d = in->document;
	uint32_t chosen[ROWS_TOLD];
	unsigned int nr = choose_rows(d, table, steps, chosen);
	struct series_row *rows = document_own(d, calloc(nr + 1u, sizeof(*rows)));
	struct document_columns columns;

	document_columns_init(&columns, d, 4 * STAT_KEYS_MAX + 2);
	key_columns_add(&columns, c->naming, table->by, table->nr_by, FOR_PROGRAMS);
	key_columns_add(&columns, c->naming, table->by, table->nr_by, FOR_GRAPHS);
	document_columns_add_all(&columns, figures, NR_OF(figures));
	for (unsigned int i = 0; rows && i < nr; i++) {
		uint64_t *live = document_own(d, calloc(steps + 1u, sizeof(*live)));

		if (!live)
			return;
		timeline_changes(table->timeline, chosen[i], steps, live);
		rows[i] = (struct series_row){
			.key = stat_table_keys(table, chosen[i]),
			.most = timeline_live(live, steps, live),
			.live = live,
			.steps = steps,
		};
	}
	document_add_table(in,
			   &(struct document_table){
				   .id = "rows",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = rows ? nr : 0,
				   .rows_total = table->rows.nr,
				   .context = c,
			   },
			   FOR_PROGRAMS);
}

static void add_series(struct document_section *in, const struct timeline *t, uint32_t steps)
{
	struct document *d = in->document;
	uint64_t change[TIMELINE_STEPS];
	uint64_t *live = document_own(d, calloc(steps + 1u, sizeof(*live)));

	for (uint32_t i = 0; i < steps; i++)
		change[i] = t->allocated[i] - t->freed[i];
	if (live)
		timeline_live(change, steps, live);
	document_add_figure(in, "live_bytes", value_numbers(live, live ? steps : 0), FOR_PROGRAMS);
	document_add_figure(in, "allocated_bytes",
			    value_numbers(series_copy(d, t->allocated, steps), steps),
			    FOR_PROGRAMS);
	document_add_figure(in, "freed_bytes",
			    value_numbers(series_copy(d, t->freed, steps), steps), FOR_PROGRAMS);
}

/* Returns NULL if no table has a timeline, or there is no span of time. */
static const struct stat_table *timeline_table(const struct report_context *c,
					       const struct allocator_accounts *a)
{
	for (unsigned int i = 0; c->span.stop_ns > c->span.start_ns && i < a->nr_tables; i++)
		if (a->tables[i].timeline)
			return &a->tables[i];
	return NULL;
}

bool timeline_part_has(const struct report_context *c, const struct allocator_accounts *a)
{
	return timeline_table(c, a);
}

void timeline_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a)
{
	const struct stat_table *table = timeline_table(c, a);
	struct document_section *s;
	uint32_t steps;

	if (!table)
		return;
	steps = timeline_steps(table->timeline, c->span.stop_ns);
	s = document_add_section(in, "timeline", NULL, FOR_PROGRAMS);
	if (!s || !steps)
		return;
	document_add_figure(s, "start_ns", value_u64(table->timeline->start_ns), FOR_PROGRAMS);
	document_add_figure(s, "step_ns", value_u64(table->timeline->width_ns), FOR_PROGRAMS);
	document_add_figure(s, "peak_ns", value_u64_if(a->peak.event, a->peak.time_ns),
			    FOR_PROGRAMS);
	document_add_figure(s, "peak_bytes", value_u64_if(a->peak.event, a->peak.bytes),
			    FOR_PROGRAMS);
	add_series(s, table->timeline, steps);
	steps_part_add_sums(s, table);
	add_rows(s, c, table, steps);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Maximum width of a sparkline, in characters. */
#define SPARKS 58

/* Steps added up so that they fit on a line. */
static struct value sparks(struct document *d, const uint64_t *v, uint32_t steps)
{
	uint32_t width = (steps + SPARKS - 1) / SPARKS, nr = (steps + width - 1) / width;
	uint64_t *sums = document_own(d, calloc(nr, sizeof(*sums)));

	for (uint32_t i = 0; sums && i < steps; i++)
		sums[i / width] += v[i];
	return value_numbers(sums, sums ? nr : 0);
}

static void add_counts(struct document_section *in, const struct timeline_series *series,
		       const uint64_t *v, uint32_t steps)
{
	struct document *d = in->document;

	document_add_figure(in, series->id, value_numbers(series_copy(d, v, steps), steps),
			    FOR_PROGRAMS);
	if (document_is_for(in, FOR_PEOPLE))
		document_add_labelled(in, series->label, sparks(d, v, steps));
}

void timeline_part_add_counts(struct document_section *in, const struct report_context *c,
			      const struct timeline *t, const struct timeline_series *series,
			      unsigned int nr)
{
	uint32_t steps = t ? timeline_steps(t, c->span.stop_ns) : 0;
	struct document_section *s = NULL;

	if (steps && c->span.stop_ns > c->span.start_ns)
		s = document_add_section(in, "timeline", NULL, FOR_ALL);
	if (!s)
		return;
	document_add_figure(s, "start_ns", value_u64(t->start_ns), FOR_PROGRAMS);
	document_add_figure(s, "step_ns", value_u64(t->width_ns), FOR_PROGRAMS);
	s->style = STYLE_CURVES;
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t counts[TIMELINE_STEPS];

		timeline_changes(t, i, steps, counts);
		if (series[i].known)
			add_counts(s, &series[i], counts, steps);
	}
}
