// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON report, version 1: DESIGN section 5 names the keys. */
#include <errno.h>

#include "util/report/internals.h"
#include "util/report/json_report.h"
#include "util/report/key_format.h"
#include "util/report/report.h"

#define FORMAT_VERSION 1

void json_report_recording(struct json *j, const char *key, const struct kmem_analysis *a)
{
	const struct source_facts *r = a->recording;
	const struct source_span span = source_facts_span(r);

	json_open(j, key, '{', false);
	json_string(j, "path", r->path);
	json_string(j, "hostname", r->hostname);
	json_string(j, "arch", r->arch);
	json_string(j, "kernel", r->osrelease);
	json_string(j, "cmdline", r->cmdline);
	json_u64(j, "nr_cpus", r->nr_cpus_available);
	json_u64(j, "page_size_bytes", a->naming.page_size);
	json_bool(j, "big_endian", r->big_endian);
	if (source_facts_wall_clock_ns(r))
		json_u64(j, "wall_clock_ns", source_facts_wall_clock_ns(r));
	else
		json_string(j, "wall_clock_ns", NULL);
	json_u64(j, "first_ns", r->first_ns);
	json_u64(j, "last_ns", r->last_ns);
	json_u64(j, "start_ns", span.start_ns);
	json_u64(j, "stop_ns", span.stop_ns);
	json_bool(j, "truncated", r->damage.truncated);
	json_open(j, "offline_cpus", '[', true);
	for (size_t i = 0; i < r->offline.nr; i++)
		json_i64(j, NULL, r->offline.cpus[i]);
	json_close(j, ']');
	json_open(j, "events", '[', false);
	for (size_t i = 0; i < r->nr_events; i++) {
		const struct source_event *ev = r->events[i];

		if (ev->is_dummy)
			continue;
		json_open(j, NULL, '{', true);
		json_string(j, "name", ev->name);
		json_u64(j, "samples", ev->nr_samples);
		json_u64(j, "lost", ev->nr_lost);
		if (ev->period > 1)
			json_u64(j, "one_of", ev->period);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_u64(j, "lost_samples", r->nr_lost);
	json_double(j, "lost_percent", source_facts_lost_percent(r), 3);
	json_close(j, '}');
}

static void write_lifetimes(struct json *j, const struct row_view *row)
{
	json_u64(j, "short_lived_hits", row->counts->short_lived);
	json_u64(j, "lifetime_mean_ns",
		 row->counts->freed_hits ? row->counts->lifetime_ns / row->counts->freed_hits : 0);
	json_u64(j, "lifetime_p50_ns",
		 row->lifetimes ? lifetime_histogram_percentile(row->lifetimes, 50) : 0);
	json_u64(j, "lifetime_p99_ns",
		 row->lifetimes ? lifetime_histogram_percentile(row->lifetimes, 99) : 0);
	json_open(j, "lifetime_log2_ns", '{', true);
	for (unsigned int i = 0; row->lifetimes && i < 64; i++) {
		uint64_t nr = lifetime_histogram_octave(row->lifetimes, i);
		char octave[8];

		snprintf(octave, sizeof(octave), "%u", i);
		if (nr)
			json_u64(j, octave, nr);
	}
	json_close(j, '}');
}

static void write_row(struct json *j, const struct kmem_analysis *a, const struct row_view *row,
		      enum allocator allocator)
{
	const struct stat_counts *c = row->counts;

	json_open(j, NULL, '{', true);
	key_format_json(j, a, row->table->by, row->table->nr_by, row->key);
	json_u64(j, "hits", row_hits(row));
	if (allocator == ALLOCATOR_SLAB) {
		json_u64(j, "bytes_req", row_bytes_req(row));
		json_u64(j, "bytes_alloc", row_bytes(row));
		json_double(j, "frag_percent",
			    slab_fragmentation_percent(row_bytes_req(row), row_bytes(row)), 3);
	} else {
		json_u64(j, "bytes", row_bytes(row));
	}
	json_u64(j, "pingpong", c->pingpong);
	json_u64(j, "live_hits", c->live_hits);
	json_u64(j, "live_bytes", c->live_bytes);
	json_u64(j, "unseen_frees", c->unseen_frees);
	json_u64(j, "freed_hits", c->freed_hits);
	if (row->table->want_lifetimes)
		write_lifetimes(j, row);
	json_close(j, '}');
}

static int write_table(struct json *j, const struct kmem_analysis *a,
		       const struct report_options *o, const struct report_table *t)
{
	struct sorted_rows rows;
	struct row_view row;

	if (sorted_rows_init(&rows, t->table, &t->options->sort, o->live, t->options->lines))
		return -ENOMEM;
	json_open(j, NULL, '{', false);
	json_open(j, "by", '[', true);
	for (unsigned int i = 0; i < t->table->nr_by; i++)
		json_string(j, NULL, kmem_key_name(t->table->by[i]));
	json_close(j, ']');
	json_open(j, "sort", '[', true);
	for (unsigned int i = 0; i < t->options->sort.nr; i++)
		json_string(j, NULL, sort_keys_name(&t->options->sort, i));
	json_close(j, ']');
	json_u64(j, "rows_total", rows.total);
	json_open(j, "rows", '[', false);
	for (uint64_t n = 0; sorted_rows_get(&rows, n, &row); n++)
		write_row(j, a, &row, t->allocator);
	json_close(j, ']');
	json_close(j, '}');
	sorted_rows_deinit(&rows);
	return 0;
}

static int write_tables(struct json *j, const struct kmem_analysis *a,
			const struct report_options *o, enum allocator allocator)
{
	struct report_table t;
	int ret = 0;

	json_open(j, "tables", '[', false);
	for (unsigned int i = 0; !ret && report_table_at(a, o, i, &t); i++)
		if (t.allocator == allocator)
			ret = write_table(j, a, o, &t);
	json_close(j, ']');
	return ret;
}

static void write_peak(struct json *j, const struct kmem_analysis *a,
		       const struct report_options *o, enum allocator allocator)
{
	const struct live_peak *peak = report_peak(a, allocator);

	if (o->peak && peak->event)
		json_u64(j, "peak_ns", peak->time_ns);
	else if (o->peak)
		json_string(j, "peak_ns", NULL);
}

static int write_slab(struct json *j, const struct kmem_analysis *a, const struct report_options *o)
{
	const struct slab_summary *s = &a->accounts.slab.summary;
	int ret;

	json_open(j, "slab", '{', false);
	json_open(j, "summary", '{', false);
	json_u64(j, "bytes_requested", s->bytes_requested);
	json_u64(j, "bytes_allocated", s->bytes_allocated);
	json_u64(j, "bytes_freed", s->bytes_freed);
	json_u64(j, "bytes_live", s->bytes_live);
	json_u64(j, "bytes_wasted", slab_wasted_bytes(s->bytes_requested, s->bytes_allocated));
	json_double(j, "fragmentation_percent",
		    slab_fragmentation_percent(s->bytes_requested, s->bytes_allocated), 6);
	json_u64(j, "allocations", s->allocations);
	json_u64(j, "frees", s->frees);
	json_u64(j, "frees_matched", s->frees_matched);
	json_u64(j, "frees_unmatched", s->frees_unmatched);
	json_u64(j, "unseen_frees", s->unseen_frees);
	json_u64(j, "duplicates_dropped", s->duplicates_dropped);
	json_u64(j, "failures", s->failures);
	json_u64(j, "cross_node_allocations", s->cross_node_allocations);
	json_u64(j, "live", s->live);
	write_peak(j, a, o, ALLOCATOR_SLAB);
	json_close(j, '}');
	ret = write_tables(j, a, o, ALLOCATOR_SLAB);
	json_close(j, '}');
	return ret;
}

/* One object for each order that occurs, with the hits of each migrate type. */
static int write_orders(struct json *j, const struct kmem_analysis *a,
			const struct report_options *o)
{
	const struct stat_table *table = &a->accounts.page.tables[a->accounts.page_orders];

	json_open(j, "orders", '[', false);
	for (uint64_t order = 0; order <= PAGE_ORDER_MAX; order++) {
		bool open = false;

		for (uint32_t i = 0; i < table->rows.nr; i++) {
			const struct row_view row = row_view_of(table, o->live, i);
			const uint64_t *key = row.key;
			const char *name;
			char digits[24];

			if (key[0] != order || !row_hits(&row))
				continue;
			if (!open) {
				json_open(j, NULL, '{', true);
				json_u64(j, "order", order);
				json_open(j, "migratetypes", '{', true);
				open = true;
			}
			name = migratetype_name(migratetype_of(&a->naming.migratetypes, key[1]));
			snprintf(digits, sizeof(digits), "%lld", (long long)key[1]);
			json_u64(j, name ? name : digits, row_hits(&row));
		}
		if (open) {
			json_close(j, '}');
			json_close(j, '}');
		}
	}
	json_close(j, ']');
	return 0;
}

static int write_page(struct json *j, const struct kmem_analysis *a, const struct report_options *o)
{
	const struct page_summary *s = &a->accounts.page.summary;
	int ret;

	json_open(j, "page", '{', false);
	json_open(j, "summary", '{', false);
	json_u64(j, "alloc_requests", s->alloc_requests);
	json_u64(j, "alloc_bytes", s->alloc_bytes);
	json_u64(j, "free_requests", s->free_requests);
	json_u64(j, "free_bytes", s->free_bytes);
	json_u64(j, "matched_requests", s->matched_requests);
	json_u64(j, "matched_bytes", s->matched_bytes);
	json_u64(j, "alloc_only_requests", s->alloc_only_requests);
	json_u64(j, "alloc_only_bytes", s->alloc_only_bytes);
	json_u64(j, "free_only_requests", s->free_only_requests);
	json_u64(j, "free_only_bytes", s->free_only_bytes);
	json_u64(j, "failures", s->failures);
	json_u64(j, "failed_bytes", s->failed_bytes);
	json_u64(j, "live", s->live);
	json_u64(j, "live_bytes", s->live_bytes);
	write_peak(j, a, o, ALLOCATOR_PAGE);
	json_close(j, '}');
	write_orders(j, a, o);
	ret = write_tables(j, a, o, ALLOCATOR_PAGE);
	json_close(j, '}');
	return ret;
}

void json_report_open(struct json *j, FILE *out, const struct kmem_analysis *a)
{
	json_init(j, out);
	json_open(j, NULL, '{', false);
	json_u64(j, "format_version", FORMAT_VERSION);
	json_report_recording(j, "recording", a);
}

int json_report_close(struct json *j)
{
	json_close(j, '}');
	return json_finish(j);
}

static int write_internals(struct json *j, const struct kmem_analysis *a,
			   const struct report_options *o)
{
	struct document d;
	int ret;

	document_init(&d, FOR_PROGRAMS);
	report_internals(&d.root, a, o);
	ret = document_failed(&d) ? -ENOMEM : render_json_into(j, &d);
	document_deinit(&d);
	return ret;
}

int report_json(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	struct json j;
	int ret = 0;

	json_report_open(&j, out, a);
	if (a->accounts.do_slab)
		ret = write_slab(&j, a, o);
	if (!ret && a->accounts.do_page)
		ret = write_page(&j, a, o);
	if (!ret)
		ret = write_internals(&j, a, o);
	return json_report_close(&j) || ret ? -ENOMEM : 0;
}
