// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/recording_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/base/timespan.h"
#include "util/base/units.h"

/* Longer command lines are cut: they can have megabytes. */
#define COMMAND_MAX 240

/* Parts are separated by commas, except after a colon. */
static void separate(struct strbuf *sb)
{
	if (sb->len)
		strbuf_addstr(sb, sb->buf[sb->len - 1] == ':' ? " " : ", ");
}

static void add(struct strbuf *sb, const char *text)
{
	if (!text || !*text)
		return;
	separate(sb);
	strbuf_addstr(sb, text);
}

static void add_host(struct strbuf *sb, const struct source_facts *f)
{
	struct strbuf host = STRBUF_INIT;

	source_facts_add_host(f, &host);
	add(sb, host.buf);
	sb->failed |= host.failed;
	strbuf_deinit(&host);
}

static void add_date(struct strbuf *sb, const struct source_facts *f)
{
	char text[UNITS_BUF];

	add(sb, units_date(text, sizeof(text), source_facts_wall_clock_ns(f)));
}

static void add_length(struct strbuf *sb, const struct report_context *c)
{
	const struct source_facts *f = c->facts;
	struct source_span span = source_facts_span(f);
	char text[UNITS_BUF];

	if (!f->is_snapshot && (f->nr_samples || span.stop_ns > span.start_ns))
		add(sb, units_duration(text, sizeof(text), span.stop_ns - span.start_ns));
	add(sb, report_number(c, text, f->nr_samples));
	if (f->is_snapshot)
		strbuf_addstr(sb, f->nr_samples == 1 ? " entry" : " entries");
	else
		strbuf_addstr(sb, f->nr_samples == 1 ? " event" : " events");
}

/* "page_owner dump, packed with gzip", and its limits. Adds nothing for a plain perf.data. */
static void add_source(struct strbuf *sb, const struct source_facts *f)
{
	if (!f->format || (f->is_default && !f->packing))
		return;
	strbuf_addstr(sb, f->format);
	if (f->packing)
		strbuf_addf(sb, ", packed with %s", f->packing);
	if (f->limits)
		strbuf_addf(sb, "; it has no %s", f->limits);
}

/* "CPU 1 went offline ...". Adds nothing if none did. */
static void add_offline(struct strbuf *sb, const struct source_facts *f)
{
	const struct cpulist *l = &f->offline;

	if (!l->nr)
		return;
	strbuf_addf(sb, l->nr == 1 ? "CPU %d" : "CPUs %d", l->cpus[0]);
	for (size_t i = 1; i < l->nr; i++)
		strbuf_addf(sb, "%s%d", i + 1 < l->nr ? ", " : " and ", l->cpus[i]);
	strbuf_addstr(sb, " went offline during the recording: later events there are missing, "
			  "and memory freed there counts as live.");
}

static void add_command(struct strbuf *sb, const struct source_facts *f)
{
	size_t len = f->cmdline ? strnlen(f->cmdline, COMMAND_MAX + 1) : 0;

	strbuf_add(sb, f->cmdline, len > COMMAND_MAX ? COMMAND_MAX : len);
	if (len > COMMAND_MAX)
		strbuf_addstr(sb, "...");
}

static void take(struct document_section *in, const char *label, struct strbuf *text)
{
	in->document->failed |= text->failed;
	document_add_header(in, label, text->buf);
	strbuf_reset(text);
}

static void add_filters(struct strbuf *sb, const struct kmem_options *o)
{
	for (size_t i = 0; i < o->nr_windows; i++) {
		strbuf_addstr(sb, sb->len ? " --time " : "--time ");
		timespan_add(sb, o->windows[i].start_ns, o->windows[i].stop_ns);
	}
	if (o->filter)
		kmem_filter_add_options(o->filter, sb);
	printable_strbuf(sb, 0);
}

void recording_add_filters(struct document_section *in, const struct kmem_options *o, bool header)
{
	struct strbuf sb = STRBUF_INIT;

	add_filters(&sb, o);
	in->document->failed |= sb.failed;
	if (sb.len && !sb.failed) {
		if (header)
			document_add_header(in, "Filters", sb.buf);
		document_add_figure(in, "filters",
				    value_text(document_own(in->document, strbuf_detach(&sb))),
				    FOR_PROGRAMS);
	}
	strbuf_deinit(&sb);
}

void recording_add_header(struct document_section *in, const struct report_context *c)
{
	struct strbuf sb = STRBUF_INIT;

	if (!document_is_for(in, FOR_PEOPLE))
		return;
	add_host(&sb, c->facts);
	take(in, "Host", &sb);
	add_source(&sb, c->facts);
	take(in, "Source", &sb);
	add_date(&sb, c->facts);
	add_length(&sb, c);
	take(in, c->facts->is_live ? "Watched" : c->facts->is_snapshot ? "Taken" : "Recorded", &sb);
	add_command(&sb, c->facts);
	take(in, "Command", &sb);
	add(&sb, c->facts->missing);
	take(in, "Missing", &sb);
	add_offline(&sb, c->facts);
	take(in, "Offline", &sb);
	strbuf_deinit(&sb);
}

void recording_add_short_header(struct document_section *in, const char *label,
				const struct report_context *c)
{
	struct strbuf sb = STRBUF_INIT;

	if (!document_is_for(in, FOR_PEOPLE))
		return;
	strbuf_addf(&sb, "%s:", c->facts->path);
	if (!c->facts->is_default)
		add(&sb, c->facts->format);
	add_host(&sb, c->facts);
	add_date(&sb, c->facts);
	add_length(&sb, c);
	take(in, label, &sb);
	add_offline(&sb, c->facts);
	take(in, "Offline", &sb);
	strbuf_deinit(&sb);
}

/* ---- missing data ---------------------------------------------------------------------------- */

static void add_stop(struct document_section *in, const struct source_facts *f)
{
	char far[SOURCE_STOP_BUF];

	if (f->stop.stopped)
		document_add_line(
			document_add_styled(in, "PARTIAL REPORT", STYLE_COMMENTS),
			"Reading was stopped at %s of the recording, the last event at %.6f s: "
			"later events are missing from all figures, and what they free counts as "
			"live.",
			source_facts_stop_text(f, far, sizeof(far)), (double)f->last_ns / 1e9);
}

/* record -c N */
static void add_period(struct document_section *in, const struct source_facts *f)
{
	uint64_t period = source_facts_period(f);

	if (period > 1)
		document_add_line(
			document_add_styled(in,
					    document_text(in, "ONE EVENT IN %" PRIu64, period).text,
					    STYLE_COMMENTS),
			"Figures count only the events that were recorded (record -c) and are not "
			"scaled. Most frees of objects that count as live were not recorded.");
}

static void add_lost(struct document_section *in, const struct report_context *c, const char *name,
		     uint64_t lost, uint64_t samples)
{
	char a[UNITS_BUF], b[UNITS_BUF];

	document_add_labelled(in, name,
			      document_text(in, "%s of %s (%.1f%%)", report_number(c, a, lost),
					    report_number(c, b, lost + samples),
					    100.0 * (double)lost / (double)(lost + samples)));
}

static void add_loss(struct document_section *in, const struct report_context *c)
{
	const struct source_facts *f = c->facts;
	struct document_section *s;

	if (!f->nr_lost)
		return;
	s = document_add_styled(in, "LOST EVENTS", STYLE_COMMENTS);
	add_lost(s, c, "all events", f->nr_lost, f->nr_samples);
	for (size_t i = 0; i < f->nr_events; i++) {
		const struct source_event *ev = f->events[i];

		if (ev->nr_lost && ev->name && !ev->is_dummy)
			add_lost(s, c, ev->name, ev->nr_lost, ev->nr_samples);
	}
	document_add_line(
		s,
		"Hits and bytes are too low by about as much. Live, alloc-only, "
		"free-only and ping-pong figures are wrong wherever one half of a pair was lost. "
		"Larger buffers%s lose less.",
		f->is_live	? " (-m 64M)"
		: f->is_default ? " (record -m 64M)"
				: "");
}

static void add_disorder(struct document_section *in, const struct report_context *c)
{
	const struct source_facts *f = c->facts;
	char late[UNITS_BUF], all[UNITS_BUF];
	struct document_section *s;

	if (!f->nr_disordered)
		return;
	s = document_add_styled(in, "OUT OF ORDER", STYLE_COMMENTS);
	document_add_labelled(s, "events out of order",
			      document_text(s, "%s of %s", report_number(c, late, f->nr_disordered),
					    report_number(c, all, f->nr_samples)));
	document_add_line(s, "These events came too late in the recording to be sorted. Hits and "
			     "bytes are right. Where a free counted before its allocation, it "
			     "matches nothing, and the object counts as live, or as leaked.");
}

static void add_sample_of(struct document_section *in, const struct report_context *c,
			  const char *what, const struct allocator_accounts *a)
{
	char one_in[UNITS_BUF];

	if (a->sample_mask)
		document_add_labelled(
			in, what,
			document_text(in, "one in %s is followed",
				      report_number(c, one_in, allocator_accounts_weight(a))));
}

static void add_sample(struct document_section *in, const struct report_context *c)
{
	const struct kmem_accounts *a = c->accounts;
	struct document_section *s;

	if (accounts_sample_one_in(a) == 1)
		return;
	s = document_add_styled(in, "SAMPLED", STYLE_COMMENTS);
	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (accounts_allocator(a, id))
			add_sample_of(s, c, account_table[id]->allocator->objects,
				      accounts_allocator(a, id));
	document_add_line(s, "More were live than there is memory for (--memory, --max-live). "
			     "Hits and bytes are exact. Figures of live memory and of frees are "
			     "estimates: each followed one counts for the others, too.");
}

void recording_add_warnings(struct document_section *in, const struct report_context *c)
{
	add_stop(in, c->facts);
	add_period(in, c->facts);
	add_loss(in, c);
	add_disorder(in, c);
	add_sample(in, c);
}

void recording_add_short_warnings(struct document_section *in, const struct report_context *c)
{
	const struct source_facts *f = c->facts;
	const uint64_t period = source_facts_period(f);
	char far[SOURCE_STOP_BUF], late[UNITS_BUF], all[UNITS_BUF];

	if (f->stop.stopped)
		document_add_line(in, "Partial: reading '%s' was stopped at %s.", f->path,
				  source_facts_stop_text(f, far, sizeof(far)));
	if (period > 1)
		document_add_line(in,
				  "'%s' has one event in %" PRIu64
				  ": its figures are not scaled, and most frees are missing.",
				  f->path, period);
	if (f->nr_lost)
		document_add_line(
			in,
			"'%s' lost %.1f%% of its events: its figures are too low by about "
			"as much.",
			f->path, source_facts_lost_percent(f));
	if (f->nr_disordered)
		document_add_line(in,
				  "'%s' has %s of %s events out of order: objects that they free "
				  "may count as live.",
				  f->path, report_number(c, late, f->nr_disordered),
				  report_number(c, all, f->nr_samples));
}

/* ---- metrics --------------------------------------------------------------------------------- */

static struct value one_in_of(const struct document_cell *cell)
{
	return value_u64(*(const uint64_t *)cell->row);
}

void recording_add_sample_metric(struct document_section *in, const struct source_facts *f,
				 const struct kmem_accounts *a)
{
	static const struct document_metric metric = {
		"live_sample_one_in", "One in this many live allocations is followed, and counts "
				      "for the others."};
	static const struct document_column column = {"live_sample_one_in", .value = one_in_of,
						      .metric = &metric, .audience = FOR_METRICS};
	uint64_t *one_in = f->is_live ? document_own(in->document, malloc(sizeof(*one_in))) : NULL;

	if (!one_in)
		return;
	*one_in = accounts_sample_one_in(a);
	document_add_table(in,
			   &(struct document_table){.columns = &column,
						    .nr_columns = 1,
						    .rows = one_in,
						    .row_size = sizeof(*one_in),
						    .nr_rows = 1,
						    .rows_total = 1},
			   FOR_METRICS);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const struct source_event *event_of(const struct document_cell *cell)
{
	return *(struct source_event *const *)cell->row;
}

static struct value event_name(const struct document_cell *cell)
{
	return value_text(event_of(cell)->name);
}

static struct value event_samples(const struct document_cell *cell)
{
	return value_u64(event_of(cell)->nr_samples);
}

static struct value event_lost(const struct document_cell *cell)
{
	return value_u64(event_of(cell)->nr_lost);
}

static struct value event_period(const struct document_cell *cell)
{
	uint64_t period = event_of(cell)->period;

	return period > 1 ? value_u64(period) : value_absent();
}

static const struct document_column event_columns[] = {
	{"name", .value = event_name},
	{"samples", .value = event_samples},
	{"lost", .value = event_lost},
	{"one_of", .value = event_period},
};

static void add_events(struct document_section *in, const struct source_facts *f)
{
	struct source_event **events;
	size_t nr = 0;

	if (!in)
		return;
	events = document_own(in->document, calloc(f->nr_events + 1, sizeof(*events)));
	for (size_t i = 0; events && i < f->nr_events; i++)
		if (!f->events[i]->is_dummy)
			events[nr++] = f->events[i];
	document_add_table(in,
			   &(struct document_table){
				   .id = "events",
				   .columns = event_columns,
				   .nr_columns = sizeof(event_columns) / sizeof(event_columns[0]),
				   .rows = events,
				   .row_size = sizeof(*events),
				   .nr_rows = nr,
				   .rows_total = nr,
			   },
			   FOR_PROGRAMS);
}

static struct value offline_cpus(struct document_section *in, const struct cpulist *l)
{
	uint64_t *cpus = NULL;

	if (in)
		cpus = document_own(in->document, calloc(l->nr + 1, sizeof(*cpus)));
	for (size_t i = 0; cpus && i < l->nr; i++)
		cpus[i] = (uint64_t)l->cpus[i];
	return value_numbers(cpus, cpus ? l->nr : 0);
}

void recording_add_facts(struct document_section *in, const char *id,
			 const struct report_context *c)
{
	const struct source_facts *f = c->facts;
	const struct source_span span = source_facts_span(f);
	uint64_t wall_clock_ns = source_facts_wall_clock_ns(f);
	uint64_t one_in = accounts_sample_one_in(c->accounts);
	struct document_section *s = document_add_section(in, id, NULL, FOR_DATA);
	const struct document_value origin[] = {
		{"path", value_text(f->path)},
		{"format", f->format ? value_text(f->format) : value_absent()},
	};
	const struct document_value figures[] = {
		{"cmdline", value_text(f->cmdline)},
		{"nr_cpus", value_u64(f->nr_cpus_available)},
		{"page_size_bytes", value_u64(c->naming->page_size)},
		{"big_endian", value_bool(f->big_endian)},
		{"wall_clock_ns", value_u64_if(wall_clock_ns != 0, wall_clock_ns)},
		{"first_ns", value_u64(f->first_ns)},
		{"last_ns", value_u64(f->last_ns)},
		{"start_ns", value_u64(span.start_ns)},
		{"stop_ns", value_u64(span.stop_ns)},
		{"truncated", value_bool(f->damage.truncated)},
		{"offline_cpus", offline_cpus(s, &f->offline)},
	};

	document_add_values(s, origin, sizeof(origin) / sizeof(origin[0]));
	source_facts_add_figures(f, s);
	document_add_values(s, figures, sizeof(figures) / sizeof(figures[0]));
	add_events(s, f);
	document_add_figure(s, "lost_samples", value_u64(f->nr_lost), FOR_PROGRAMS);
	document_add_figure(s, "lost_percent", value_percent(source_facts_lost_percent(f), 3, 1),
			    FOR_PROGRAMS);
	if (f->nr_disordered)
		document_add_figure(s, "disordered_samples", value_u64(f->nr_disordered),
				    FOR_PROGRAMS);
	if (one_in > 1)
		document_add_figure(s, "live_sample_one_in", value_u64(one_in), FOR_PROGRAMS);
}
