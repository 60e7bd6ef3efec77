// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/json_report.h"
#include "util/report/key_format.h"
#include "util/report/leak_report.h"

static void write_rows(struct json *j, const struct kmem_analysis *a, const char *name,
		       const struct leak_rows *rows, uint64_t lines)
{
	json_open(j, name, '{', false);
	json_u64(j, "hits", rows->hits);
	json_u64(j, "bytes", rows->bytes);
	json_u64(j, "callsites", rows->callsites);
	json_u64(j, "rows_total", rows->nr);
	json_open(j, "rows", '[', false);
	for (size_t i = 0; i < rows->nr && i < lines; i++) {
		const struct leak_row *r = &rows->v[i];
		const uint64_t *key = stat_table_keys(r->table, r->row);

		json_open(j, NULL, '{', true);
		key_format_json(j, a, r->table->by, r->table->nr_by, key);
		json_u64(j, "hits", r->hits);
		json_u64(j, "bytes", r->bytes);
		json_u64(j, "oldest_ns", r->oldest_ns);
		json_u64(j, "youngest_ns", r->youngest_ns);
		json_double(j, "confidence", r->confidence, 3);
		json_string(j, "reason",
			    r->reason == LEAK_SURE ? NULL : leak_reason_text(r->reason));
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void write_untraced(struct json *j, const struct leak *l, const struct kmem_analysis *a)
{
	json_open(j, "frees_not_traced", '[', false);
	for (size_t i = 0; i < l->nr_untraced; i++) {
		const struct untraced_cache *u = &l->untraced[i];

		json_open(j, NULL, '{', true);
		key_format_json(j, a, (enum kmem_key[]){KEY_CACHE}, 1, &u->cache);
		json_u64(j, "allocations", u->allocations);
		json_u64(j, "frees_seen", u->frees_seen);
		json_u64(j, "frees_unseen", u->frees_unseen);
		json_u64(j, "live_hits", u->live_hits);
		json_u64(j, "live_bytes", u->live_bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

int leak_report_json(FILE *out, const struct leak *l, const struct kmem_analysis *a, uint64_t lines)
{
	struct json j;

	json_report_open(&j, out, a);
	json_open(&j, "leak", '{', false);
	json_u64(&j, "end_ns", l->end_ns);
	json_double(&j, "frees_lost_percent", 100 * l->lost, 3);
	if (a->do_slab)
		write_rows(&j, a, "slab", &l->slab, lines);
	if (a->do_page)
		write_rows(&j, a, "page", &l->page, lines);
	write_untraced(&j, l, a);
	json_close(&j, '}');
	return json_report_close(&j);
}
