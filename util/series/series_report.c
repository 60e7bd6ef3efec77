// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/series/series_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"

/* Default number of rows of a table in text. */
#define ROWS_FOR_PEOPLE 12

/* Number of lines in the timeline of a page. */
#define ROWS_OF_TIMELINE 12

/* Values of a row in a sparkline, and in JSON. */
#define SPARKS	   16
#define VALUES_MAX 64

/* Memory that grows this many times as fast as the objects of a process is named first. A
 * smaller number would hide slow leaks: on a busy machine some cache often grows ten times as fast
 * as they do. */
#define MUCH_FASTER 100

struct shown {
	const struct series_row *row;
	uint64_t *values; /* for JSON; NULL otherwise */
	size_t nr_values;
	uint64_t *sparks; /* for text: above the lowest */
};

static const struct series_row *row_of(const struct document_cell *cell)
{
	return ((const struct shown *)cell->row)->row;
}

static int64_t whole(double v)
{
	return v > 9e18 ? INT64_MAX : v < -9e18 ? INT64_MIN : (int64_t)llround(v);
}

static int64_t change_of(const struct series_row *r)
{
	int64_t change;

	if (__builtin_sub_overflow(r->trend.last, r->trend.first, &change))
		return r->trend.last < r->trend.first ? INT64_MIN : INT64_MAX;
	return change;
}

static bool is_bytes(const struct series_row *r)
{
	return !r->is_process || !holder_number_unit(r->number);
}

/* ---- columns --------------------------------------------------------------------------------- */

static struct value level(const struct series_row *r, int64_t v)
{
	return !is_bytes(r) ? value_i64(v)
	       : v < 0	    ? value_bytes_change(v)
			    : value_bytes((uint64_t)v);
}

static struct value change(const struct series_row *r, int64_t v)
{
	return is_bytes(r) ? value_bytes_change(v) : value_change(v);
}

static struct value per_hour(const struct document_cell *cell)
{
	const struct series_row *r = row_of(cell);

	return r->trend.nr < 2 ? value_none() : change(r, whole(r->trend.per_hour));
}

static struct value total_change(const struct document_cell *cell)
{
	return change(row_of(cell), change_of(row_of(cell)));
}

static struct value first(const struct document_cell *cell)
{
	return level(row_of(cell), row_of(cell)->trend.first);
}

static struct value last(const struct document_cell *cell)
{
	return level(row_of(cell), row_of(cell)->trend.last);
}

static struct value risen(const struct document_cell *cell)
{
	return change(row_of(cell), row_of(cell)->trend.risen);
}

static struct value steadiness(const struct document_cell *cell)
{
	const struct trend *t = &row_of(cell)->trend;
	struct value v = value_percent(trend_steadiness(t), 1, 0);

	v.unit = NULL;
	v.shown = t->nr < TREND_SPANS_MIN ? "-" : NULL; /* which means nothing */
	return v;
}

static struct value is_steady(const struct document_cell *cell)
{
	return value_bool(trend_is_steady(&row_of(cell)->trend));
}

static struct value sparks(const struct document_cell *cell)
{
	const struct shown *s = cell->row;

	return value_numbers(s->sparks, s->sparks ? SPARKS : 0);
}

static struct value values(const struct document_cell *cell)
{
	const struct shown *s = cell->row;

	return value_numbers(s->values, s->values ? s->nr_values : 0);
}

static struct value objects_first(const struct document_cell *cell)
{
	const struct series_row *r = row_of(cell);

	return value_u64_if(r->object_bytes,
			    r->object_bytes ? (uint64_t)r->trend.first / r->object_bytes : 0);
}

static struct value objects_last(const struct document_cell *cell)
{
	const struct series_row *r = row_of(cell);

	return value_u64_if(r->object_bytes,
			    r->object_bytes ? (uint64_t)r->trend.last / r->object_bytes : 0);
}

static struct value label(const struct document_cell *cell)
{
	return value_text(row_of(cell)->label);
}

static struct value path(const struct document_cell *cell)
{
	return value_text(row_of(cell)->path);
}

static struct value with(const struct document_cell *cell)
{
	const struct series_row *r = row_of(cell);

	return r->with ? value_text(r->with) : (struct value){.kind = VALUE_NONE, .shown = ""};
}

static struct value pid(const struct document_cell *cell)
{
	return value_id(row_of(cell)->pid);
}

static struct value what(const struct document_cell *cell)
{
	return value_text(holder_number_name(row_of(cell)->number));
}

static struct value cache(const struct document_cell *cell)
{
	const struct series_row *r = row_of(cell);

	return r->cache ? value_text(r->cache) : (struct value){.kind = VALUE_NONE, .shown = ""};
}

#define FIGURES                                                                                    \
	{.id = "per_hour", .heading = "Per hour", .value = per_hour, .keep = 100},                 \
		{.id = "change", .heading = "Change", .value = total_change, .keep = 97},          \
		{.id = "first", .heading = "First", .value = first, .keep = 95},                   \
		{.id = "last", .heading = "Last", .value = last, .keep = 96},                      \
		{.id = "steady_percent", .heading = "Steady %", .value = steadiness, .keep = 99},  \
		{.id = "is_steady", .value = is_steady}, {.id = "floor_rise", .value = risen},     \
		{.heading = "Over time", .is_name = true, .width = SPARKS, .value = sparks},       \
	{                                                                                          \
		.id = "values", .value = values, .audience = FOR_PROGRAMS                          \
	}

static const struct document_column line_columns[] = {
	FIGURES,
	{.id = "objects_first", .value = objects_first},
	{.id = "objects_last", .value = objects_last},
	{.heading = "Line", .is_name = true, .is_key = true, .width = 30, .cut = 1, .value = label},
	{.id = "path", .value = path},
	{.id = "rises_with",
	 .heading = "Rises with",
	 .is_name = true,
	 .is_key = true,
	 .value = with},
};

static const struct document_column process_columns[] = {
	FIGURES,
	{.id = "pid", .heading = "Pid", .is_key = true, .value = pid},
	{.id = "comm", .heading = "Command", .is_name = true, .is_key = true, .value = label},
	{.id = "process_number",
	 .heading = "Number",
	 .is_name = true,
	 .is_key = true,
	 .value = what},
	{.id = "objects_cache", .heading = "Cache", .is_name = true, .value = cache},
};

static const struct document_column timeline_columns[] = {
	{.id = "path", .value = path},
	{.id = "values", .value = values},
};

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_free(const struct series_row *r)
{
	return !strncmp(r->path, "free", strlen("free"));
}

/* Steady growth of memory that is not given back by itself, then others. */
static int rank(const struct series_row *r)
{
	return (is_free(r) ? 4 : trend_is_steady(&r->trend) ? 0 : 2) + series_row_is_reclaimable(r);
}

/* The growth of the floor, weighted with its steadiness. */
static double weight(const struct series_row *r)
{
	return (double)r->trend.risen * trend_steadiness(&r->trend);
}

static int by_growth(const void *x, const void *y)
{
	const struct series_row *a = ((const struct shown *)x)->row;
	const struct series_row *b = ((const struct shown *)y)->row;

	if (is_bytes(a) != is_bytes(b))
		return is_bytes(a) ? 1 : -1; /* counts first: they name who holds kernel memory */
	if (rank(a) != rank(b))
		return rank(a) < rank(b) ? -1 : 1;
	if (weight(a) != weight(b))
		return weight(a) > weight(b) ? -1 : 1;
	if (change_of(a) != change_of(b))
		return change_of(a) > change_of(b) ? -1 : 1;
	if (a->is_process && a->number != b->number)
		return series_number_rank(a->number) - series_number_rank(b->number);
	return strcmp(a->path, b->path);
}

static bool changes(const struct series_row *r, size_t nr)
{
	for (size_t i = 1; i < nr; i++)
		if (r->v[i] != r->v[0])
			return true;
	return false;
}

/* The moment next to the i-th of nr equal distances of time. */
static size_t moment_at(const struct series *s, size_t i, size_t nr, size_t from)
{
	const uint64_t length = s->times_ns[s->nr - 1] - s->times_ns[0];
	const uint64_t at =
		s->times_ns[0] + (uint64_t)((double)length * (double)i / (double)(nr - 1) + 0.5);

	/* next to, not before: snapshots are a little late, each by another time */
	while (from + 1 < s->nr && s->times_ns[from] <= at &&
	       (s->times_ns[from + 1] <= at ||
		s->times_ns[from + 1] - at <= at - s->times_ns[from]))
		from++;
	return i + 1 == nr ? s->nr - 1 : from;
}

/* nr values at equal distances of time, above base. */
static uint64_t *values_of(struct document *d, const struct series *s, const struct series_row *r,
			   size_t nr, int64_t base)
{
	uint64_t *v = document_own(d, calloc(nr, sizeof(*v)));
	size_t at = 0;

	for (size_t i = 0; v && i < nr; i++) {
		int64_t above;

		at = moment_at(s, i, nr, at);
		if (__builtin_sub_overflow(r->v[at], base, &above))
			above = INT64_MAX;
		v[i] = above > 0 ? (uint64_t)above : 0;
	}
	return v;
}

static int64_t lowest_of(const struct series_row *r, size_t nr)
{
	int64_t lowest = r->v[0];

	for (size_t i = 1; i < nr; i++)
		lowest = r->v[i] < lowest ? r->v[i] : lowest;
	return lowest;
}

static size_t nr_values_of(const struct series *s)
{
	return s->nr < VALUES_MAX ? s->nr : VALUES_MAX;
}

struct shown_rows {
	struct shown *v;
	size_t nr, total;
};

/* The rows that changed, of memory or of processes. */
static struct shown_rows choose(struct document *d, const struct series_report *r, bool processes)
{
	const struct series *s = &r->input->series;
	const bool is_data = (d->audience & FOR_DATA) != 0;
	const uint64_t most = is_data		       ? UINT64_MAX
			      : r->lines == UINT64_MAX ? ROWS_FOR_PEOPLE
						       : r->lines;
	struct shown_rows rows = {.v = document_own(d, calloc(s->nr_rows + 1, sizeof(*rows.v)))};

	for (size_t i = 0; rows.v && i < s->nr_rows; i++) {
		const struct series_row *row = &s->rows[i];

		if (row->is_process != processes || !changes(row, s->nr) ||
		    (!is_data &&
		     (is_free(row) || row->trend.risen <= 0 || row->trend.per_hour <= 0)))
			continue;
		rows.v[rows.total++].row = row;
	}
	if (!rows.v)
		return rows;
	qsort(rows.v, rows.total, sizeof(*rows.v), by_growth);
	rows.nr = rows.total < most ? rows.total : (size_t)most;
	for (size_t i = 0; i < rows.nr; i++) {
		const struct series_row *row = rows.v[i].row;

		rows.v[i].nr_values = nr_values_of(s);
		if (d->audience & FOR_PROGRAMS)
			rows.v[i].values = values_of(d, s, row, rows.v[i].nr_values, 0);
		if (d->audience & FOR_PEOPLE)
			rows.v[i].sparks = values_of(d, s, row, SPARKS, lowest_of(row, s->nr));
	}
	return rows;
}

static void add_table(struct document_section *in, const struct shown_rows *rows, const char *id,
		      const char *title, const struct document_column *columns, size_t nr_columns)
{
	if (!rows->nr && !(in->document->audience & FOR_DATA))
		return;
	document_add_table(in,
			   &(struct document_table){
				   .id = id,
				   .title = title,
				   .columns = columns,
				   .nr_columns = nr_columns,
				   .rows = rows->v,
				   .row_size = sizeof(*rows->v),
				   .nr_rows = rows->nr,
				   .rows_total = rows->total,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_DATA);
}

/* For the pictures of a page: the lines that grow most. */
static void add_timeline(struct document_section *in, const struct series *s,
			 const struct shown_rows *rows)
{
	struct document_section *t = document_add_section(in, "timeline", NULL, FOR_PROGRAMS);
	const size_t nr = nr_values_of(s);
	const uint64_t length = s->times_ns[s->nr - 1] - s->times_ns[0];

	if (!t)
		return;
	document_add_figure(t, "start_ns", value_u64(s->times_ns[0]), FOR_PROGRAMS);
	document_add_figure(t, "step_ns", value_u64(length / (nr - 1)), FOR_PROGRAMS);
	document_add_table(
		t,
		&(struct document_table){
			.id = "rows",
			.columns = timeline_columns,
			.nr_columns = sizeof(timeline_columns) / sizeof(timeline_columns[0]),
			.rows = rows->v,
			.row_size = sizeof(*rows->v),
			.nr_rows = rows->nr < ROWS_OF_TIMELINE ? rows->nr : ROWS_OF_TIMELINE,
			.rows_total = rows->total,
		},
		FOR_PROGRAMS);
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void add_rate(struct strbuf *sb, const struct series_row *r)
{
	const uint64_t rate = (uint64_t)whole(r->trend.per_hour);
	char text[UNITS_BUF];

	if (is_bytes(r))
		strbuf_addf(sb, "%s/h", units_bytes(text, sizeof(text), rate));
	else
		strbuf_addf(sb, "%" PRIu64 " %s/h", rate, holder_number_unit(r->number));
}

/* The number of rows that grow steadily and are not given back; the first is first. */
static size_t count_steady(const struct shown_rows *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->total; i++)
		nr += rank(rows->v[i].row) == 0;
	return nr;
}

/* The growth of the objects that a process's number counts. */
static double cache_bytes_per_hour(const struct series_row *r)
{
	return r->trend.per_hour * (double)r->object_bytes;
}

/*
 * Whether the first process comes before all lines: its objects grow steadily, and no memory grows
 * much faster. It says more than a line, which adds up the objects of all processes.
 */
static bool process_leads(const struct shown_rows *lines, const struct shown_rows *processes)
{
	const struct series_row *r = processes->nr ? processes->v[0].row : NULL;

	return r && rank(r) == 0 && r->cache &&
	       (!count_steady(lines) ||
		lines->v[0].row->trend.per_hour <= MUCH_FASTER * cache_bytes_per_hour(r));
}

static void add_line_sentence(struct document_section *s, const struct shown_rows *rows)
{
	const size_t nr = count_steady(rows);
	const struct series_row *r = rows->nr ? rows->v[0].row : NULL;
	struct strbuf rate = STRBUF_INIT;

	if (!nr || !r)
		return;
	add_rate(&rate, r);
	document_add_line(s, "%s grows steadily by %s: its floor rose in %u of %u spans.", r->label,
			  rate.buf, r->trend.rises, r->trend.nr - 1);
	if (nr > 1)
		document_add_line(s, "%zu other line%s steadily, too.", nr - 1,
				  nr == 2 ? " grows" : "s grow");
	s->document->failed |= rate.failed;
	strbuf_deinit(&rate);
}

static void add_process_sentence(struct document_section *s, const struct shown_rows *rows)
{
	const struct series_row *r = rows->nr ? rows->v[0].row : NULL;
	struct strbuf rate = STRBUF_INIT;
	char text[UNITS_BUF];

	if (!r || rank(r) != 0)
		return;
	add_rate(&rate, r);
	if (r->cache)
		strbuf_addf(
			&rate, " (%s/h in %s)",
			units_bytes(text, sizeof(text), (uint64_t)whole(cache_bytes_per_hour(r))),
			r->cache);
	document_add_line(
		s, "Process %s %" PRIu64 " grows steadily by %s: its floor rose in %u of %u spans.",
		r->label, r->pid, rate.buf, r->trend.rises, r->trend.nr - 1);
	s->document->failed |= rate.failed;
	strbuf_deinit(&rate);
}

/* The command for a line, or for the objects of a process. Returns false if none. */
static bool add_command(struct strbuf *sb, const struct series_report *report,
			const struct series_row *r)
{
	if (!r->is_process)
		return advice_add(&report->advice, r->path, sb);
	if (r->cache)
		advice_add_process(&report->advice, r->cache, r->pid, sb);
	return r->cache != NULL;
}

/* Returns whether a row has a next command. */
static bool add_next(struct document_section *s, const struct series_report *report,
		     const struct shown_rows *rows)
{
	struct strbuf command = STRBUF_INIT, rate = STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; i < rows->total && rank(rows->v[i].row) == 0 && !found; i++) {
		const struct series_row *r = rows->v[i].row;

		found = add_command(&command, report, r);
		if (!found)
			continue;
		add_rate(&rate, r);
		document_add_line(s, "Next: %s +%s: %s", r->label, rate.buf, command.buf);
		s->document->failed |= command.failed || rate.failed;
		document_add_figure(s, "next",
				    value_text(document_own(s->document, strbuf_detach(&command))),
				    FOR_PROGRAMS);
	}
	strbuf_deinit(&rate);
	strbuf_deinit(&command);
	return found;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void add_header(struct document_section *in, const struct series_input *input)
{
	const struct source_facts *f = &input->facts;
	const struct series *s = &input->series;
	struct strbuf text = STRBUF_INIT;
	char length[UNITS_BUF], from[UNITS_BUF], to[UNITS_BUF];

	source_facts_add_host(f, &text);
	document_add_header(in, "Host", text.buf);
	strbuf_reset(&text);
	strbuf_addf(
		&text, "%" PRIu64 " snapshots in %s", input->nr - input->nr_earlier,
		units_duration(length, sizeof(length), s->times_ns[s->nr - 1] - s->times_ns[0]));
	if (s->start_wall_ns)
		strbuf_addf(&text, ", from %s to %s",
			    units_date(from, sizeof(from), s->start_wall_ns),
			    units_date(to, sizeof(to), s->stop_wall_ns));
	document_add_header(in, "Series", text.buf);
	in->document->failed |= text.failed;
	strbuf_deinit(&text);
}

static void add_facts(struct document_section *in, const struct series_input *input)
{
	const struct source_facts *f = &input->facts;
	const struct series *s = &input->series;
	struct document_section *facts = document_add_section(in, "series", NULL, FOR_PROGRAMS);

	document_add_figure(facts, "path", value_text(f->path), FOR_PROGRAMS);
	source_facts_add_figures(f, facts);
	document_add_figure(facts, "snapshots", value_u64(input->nr), FOR_PROGRAMS);
	document_add_figure(facts, "snapshots_before_restart", value_u64(input->nr_earlier),
			    FOR_PROGRAMS);
	document_add_figure(facts, "snapshots_used", value_u64(s->nr), FOR_PROGRAMS);
	document_add_figure(facts, "start_wall_clock_ns", value_u64(s->start_wall_ns),
			    FOR_PROGRAMS);
	document_add_figure(facts, "stop_wall_clock_ns", value_u64(s->stop_wall_ns), FOR_PROGRAMS);
	document_add_figure(facts, "length_ns", value_u64(s->times_ns[s->nr - 1] - s->times_ns[0]),
			    FOR_PROGRAMS);
}

static bool is_too_short(const struct series *s)
{
	return s->nr < 2 * TREND_SPANS_MIN;
}

static void add_limits(struct document_section *in, const struct series_input *input)
{
	const struct source_facts *f = &input->facts;
	const struct series *s = &input->series;

	if (input->nr_earlier)
		document_add_line(in,
				  "%" PRIu64 " snapshots from before the machine was started again "
				  "are left out.",
				  input->nr_earlier);
	if (is_too_short(s))
		document_add_line(in,
				  "%zu snapshots are too few to tell steady growth from noise, "
				  "which takes %d.",
				  s->nr, 2 * TREND_SPANS_MIN);
	if (s->nr_left_out)
		document_add_line(in, "%" PRIu64 " values are left out: there are too many rows.",
				  s->nr_left_out);
	if (f->damage.what[0])
		document_add_line(in, "'%s' is damaged: %s.", f->path, f->damage.what);
}

void series_report_build(struct document *d, void *ctx)
{
	const struct series_report *r = ctx;
	struct shown_rows lines = choose(d, r, false), processes = choose(d, r, true);
	const bool process_first = process_leads(&lines, &processes);
	struct document_section *s;

	document_add_versions(d);
	if (r->header)
		add_header(&d->root, r->input);
	add_facts(&d->root, r->input);
	add_limits(&d->root, r->input);
	s = document_add_section(&d->root, "growth",
				 is_too_short(&r->input->series) ? "WHAT GREW"
								 : "WHAT GROWS STEADILY",
				 FOR_PEOPLE | FOR_DATA);
	if (!s)
		return;
	if (process_first)
		add_process_sentence(s, &processes);
	add_line_sentence(s, &lines);
	if (!count_steady(&lines) && !is_too_short(&r->input->series))
		document_add_line(s, "No memory grows steadily.");
	if (!process_first)
		add_process_sentence(s, &processes);
	add_table(s, &lines, "lines", NULL, line_columns,
		  sizeof(line_columns) / sizeof(line_columns[0]));
	add_table(s, &processes, "processes", "Processes", process_columns,
		  sizeof(process_columns) / sizeof(process_columns[0]));
	add_timeline(s, &r->input->series, &lines);
	if (!add_next(&d->root, r, process_first ? &processes : &lines))
		add_next(&d->root, r, process_first ? &lines : &processes);
}
