// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/json_report.h"
#include "util/report/key_format.h"
#include "util/report/leak_report.h"

static void write_numbers(struct json *j, const char *name, const uint64_t v[HISTORY_MOMENTS])
{
	json_open(j, name, '[', true);
	for (int i = 0; i < HISTORY_MOMENTS; i++)
		json_u64(j, NULL, v[i]);
	json_close(j, ']');
}

static void write_total(struct json *j, const char *name, const struct leak_total *t)
{
	json_open(j, name, '{', true);
	json_u64(j, "rows", t->rows);
	json_u64(j, "hits", t->hits);
	json_u64(j, "bytes", t->bytes);
	json_i64(j, "growth_bytes_per_second", t->growth);
	json_close(j, '}');
}

static void write_owner(struct json *j, const struct kmem_analysis *a, const struct leak_owner *o)
{
	json_open(j, "owner", '{', true);
	json_string(j, "comm", intern_get(&a->naming.names.strings, o->comm, NULL));
	json_i64(j, "pid", (int64_t)o->pid);
	json_u64(j, "hits", o->hits);
	json_u64(j, "bytes", o->bytes);
	json_close(j, '}');
}

static void write_row(struct json *j, const struct kmem_analysis *a, const struct leak_rows *rows,
		      const struct leak_row *r)
{
	json_open(j, NULL, '{', true);
	key_format_json(j, a, rows->by, rows->nr_by, r->key);
	json_u64(j, "hits", r->hits);
	json_u64(j, "bytes", r->bytes);
	json_u64(j, "oldest_ns", r->oldest_ns);
	json_u64(j, "youngest_ns", r->youngest_ns);
	json_string(j, "behaviour", leak_behaviour_name(r->behaviour));
	json_i64(j, "growth_bytes_per_second", r->growth);
	json_double(j, "confidence", r->evidence.confidence, 3);
	json_string(j, "evidence", leak_confidence_word(r->evidence.confidence));
	json_string(j, "reason",
		    r->evidence.reason == LEAK_SURE ? NULL : leak_reason_text(r->evidence.reason));
	json_string(j, "use", leak_use_name(r->use));
	write_owner(j, a, &r->owner);
	write_numbers(j, "live_bytes", r->history.live_bytes);
	write_numbers(j, "cohort_allocations", r->history.allocs);
	write_numbers(j, "cohort_live", r->history.survivors);
	json_close(j, '}');
}

static void write_rows(struct json *j, const struct kmem_analysis *a, const char *name,
		       const struct leak_rows *rows, uint64_t lines)
{
	json_open(j, name, '{', false);
	json_u64(j, "hits", rows->hits);
	json_u64(j, "bytes", rows->bytes);
	json_u64(j, "callsites", rows->callsites);
	json_double(j, "frees_lost_percent", 100 * rows->losses.lost, 3);
	json_open(j, "behaviours", '{', false);
	for (int i = 0; i < LEAK_BEHAVIOURS; i++)
		write_total(j, leak_behaviour_name((enum leak_behaviour)i), &rows->totals[i]);
	json_close(j, '}');
	json_open(j, "uses", '{', false);
	for (int i = 0; i < LEAK_USES; i++)
		write_total(j, leak_use_name((enum leak_use)i), &rows->uses[i]);
	json_close(j, '}');
	write_numbers(j, "moments_ns", rows->moments_ns);
	json_u64(j, "rows_total", rows->nr);
	json_open(j, "rows", '[', false);
	for (size_t i = 0; i < rows->nr && i < lines; i++)
		write_row(j, a, rows, &rows->v[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void write_untraced(struct json *j, const struct kmem_analysis *a, bool slab,
			   const struct leak_rows *rows)
{
	static const enum kmem_key keys[] = {KEY_CALLSITE, KEY_CACHE};

	for (size_t i = 0; i < rows->nr_untraced; i++) {
		const struct untraced_site *u = &rows->untraced[i];

		json_open(j, NULL, '{', true);
		json_string(j, "allocator", slab ? "slab" : "page");
		key_format_json(j, a, keys, slab ? 2 : 1, u->key);
		json_u64(j, "allocations", u->allocations);
		json_u64(j, "frees_seen", u->frees_seen);
		json_u64(j, "frees_unseen", u->frees_unseen);
		json_u64(j, "live_hits", u->live_hits);
		json_u64(j, "live_bytes", u->live_bytes);
		json_close(j, '}');
	}
}

int leak_report_json(FILE *out, const struct leak *l, const struct kmem_analysis *a, uint64_t lines)
{
	struct json j;

	json_report_open(&j, out, a);
	json_open(&j, "leak", '{', false);
	json_u64(&j, "end_ns", l->end_ns);
	json_double(&j, "frees_lost_percent", 100 * l->losses.lost, 3);
	if (a->accounts.slab)
		write_rows(&j, a, "slab", &l->slab, lines);
	if (a->accounts.page)
		write_rows(&j, a, "page", &l->page, lines);
	json_open(&j, "frees_not_traced", '[', false);
	write_untraced(&j, a, true, &l->slab);
	write_untraced(&j, a, false, &l->page);
	json_close(&j, ']');
	json_close(&j, '}');
	return json_report_close(&j);
}
