// SPDX-License-Identifier: GPL-2.0-or-later
/* A diff for programs: JSON and CSV. */
#include <string.h>

#include "util/render/csv.h"
#include "util/report/diff.h"
#include "util/report/json_report.h"

#define RATE_DECIMALS 3

static const char *const side_names[DIFF_SIDES] = {"old", "new"};

static void write_figures(struct json *j, const char *name, const struct diff_figures *f,
			  int decimals)
{
	const struct {
		const char *name;
		double v;
	} figures[] = {{"hits", f->hits},
		       {"bytes", f->bytes},
		       {"live_hits", f->live_hits},
		       {"live_bytes", f->live_bytes}};

	json_open(j, name, '{', true);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (decimals)
			json_double(j, figures[i].name, figures[i].v, decimals);
		else
			json_i64(j, figures[i].name, (int64_t)figures[i].v);
	}
	json_close(j, '}');
}

static struct diff_figures change_of(const struct diff_row *r)
{
	const struct diff_figures *old = &r->side[DIFF_OLD], *new = &r->side[DIFF_NEW];

	return (struct diff_figures){
		.hits = new->hits - old->hits,
		.bytes = new->bytes - old->bytes,
		.live_hits = new->live_hits - old->live_hits,
		.live_bytes = new->live_bytes - old->live_bytes,
	};
}

static void write_table(struct json *j, const struct diff *d, const struct diff_table *t,
			uint64_t lines)
{
	int decimals = d->per_second ? RATE_DECIMALS : 0;

	json_open(j, NULL, '{', false);
	json_string(j, "allocator", t->allocator == ALLOCATOR_SLAB ? "slab" : "page");
	json_open(j, "by", '[', true);
	for (unsigned int i = 0; i < t->nr_by; i++)
		json_string(j, NULL, kmem_key_name(t->by[i]));
	json_close(j, ']');
	json_u64(j, "rows_total", t->nr);
	json_open(j, "rows", '[', false);
	for (size_t i = 0; i < t->nr && i < lines; i++) {
		struct diff_figures change = change_of(&t->v[i]);

		json_open(j, NULL, '{', true);
		for (unsigned int k = 0; k < t->nr_by; k++)
			json_string(j, kmem_key_name(t->by[k]), diff_row_key(d, &t->v[i], k));
		for (int side = 0; side < DIFF_SIDES; side++)
			write_figures(j, side_names[side], &t->v[i].side[side], decimals);
		write_figures(j, "change", &change, decimals);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

int diff_report_json(FILE *out, const struct diff *d, uint64_t lines)
{
	struct json j;

	json_report_open(&j, out, d->side[DIFF_NEW]);
	json_report_recording(&j, "old_recording", d->side[DIFF_OLD]);
	json_open(&j, "diff", '{', false);
	json_bool(&j, "per_second", d->per_second);
	json_bool(&j, "same_kernel", d->same_kernel);
	json_bool(&j, "same_boot", d->same_boot);
	json_u64(&j, "rows_without_name", d->nr_nameless);
	json_double(&j, "old_seconds", d->seconds[DIFF_OLD], 6);
	json_double(&j, "new_seconds", d->seconds[DIFF_NEW], 6);
	json_open(&j, "tables", '[', false);
	for (size_t i = 0; i < d->nr_tables; i++)
		write_table(&j, d, &d->tables[i], lines);
	json_close(&j, ']');
	json_close(&j, '}');
	return json_report_close(&j);
}

int diff_report_csv(FILE *out, const struct diff *d, uint64_t lines)
{
	int decimals = d->per_second ? RATE_DECIMALS : 0;

	for (size_t n = 0; n < d->nr_tables; n++) {
		const struct diff_table *t = &d->tables[n];

		fputs(n ? "\nallocator" : "allocator", out);
		for (unsigned int k = 0; k < t->nr_by; k++)
			csv_write_field(out, true, kmem_key_name(t->by[k]));
		fputs(",old_hits,new_hits,old_bytes,new_bytes,old_live_hits,new_live_hits,"
		      "old_live_bytes,new_live_bytes\n",
		      out);
		for (size_t i = 0; i < t->nr && i < lines; i++) {
			const struct diff_figures *old = &t->v[i].side[DIFF_OLD];
			const struct diff_figures *new = &t->v[i].side[DIFF_NEW];

			fputs(t->allocator == ALLOCATOR_SLAB ? "slab" : "page", out);
			for (unsigned int k = 0; k < t->nr_by; k++)
				csv_write_field(out, true, diff_row_key(d, &t->v[i], k));
			fprintf(out, ",%.*f,%.*f,%.*f,%.*f", decimals, old->hits, decimals,
				new->hits, decimals, old->bytes, decimals, new->bytes);
			fprintf(out, ",%.0f,%.0f,%.0f,%.0f\n", old->live_hits, new->live_hits,
				old->live_bytes, new->live_bytes);
		}
	}
	return 0;
}
