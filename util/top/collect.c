// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/top/details.h"
#include "util/top/groups.h"

void top_collector_next(struct top_collector *c, const struct kmem_pipeline *p,
			struct tick_interval interval)
{
	if (!c->intervals.nr++)
		c->begin_ns = interval.start_ns;
	c->intervals.ns = interval.end_ns - interval.start_ns;
	memmove(&c->intervals.history_ns[1], &c->intervals.history_ns[0],
		sizeof(c->intervals.history_ns) - sizeof(c->intervals.history_ns[0]));
	c->intervals.history_ns[0] = c->intervals.ns;
	c->nr_lost_before = c->nr_lost;
	c->nr_lost = p->facts->nr_lost;
}

const struct stat_table *top_table(const struct kmem_pipeline *p, int account)
{
	const struct allocator_accounts *a = accounts_allocator(&p->accounts, account);

	return a ? &a->tables[0] : NULL;
}

struct slab_totals top_slab_totals(const struct kmem_pipeline *p, struct tick_interval interval)
{
	if (!p->facts->is_live && !interval.last)
		return (struct slab_totals){.used = 0};
	return slab_counts_totals(&p->facts->slab_counts);
}

void top_add_lost(struct strbuf *sb, const struct source_facts *f)
{
	const char *comma = "";

	for (size_t i = 0; i < f->nr_events; i++) {
		const struct source_event *ev = f->events[i];
		const char *colon = ev->name ? strchr(ev->name, ':') : NULL;

		if (!ev->nr_lost || !ev->name || ev->is_dummy)
			continue;
		strbuf_addf(sb, "%s%s %" PRIu64, comma, colon ? colon + 1 : ev->name, ev->nr_lost);
		comma = ", ";
	}
}

static int fill_row(struct top_row *to, const struct top_collector *c,
		    const struct kmem_pipeline *p, const struct row_view *row)
{
	for (unsigned int i = 0; i < TOP_COLUMNS; i++)
		to->values[i] = top_column_at(i)->value(row);
	memcpy(to->live, row->recent->live, sizeof(to->live));
	to->grown = top_groups_grown(row);
	to->name = top_row_name(&p->naming, row, c->raw_ip);
	return to->name ? 0 : -ENOMEM;
}

static int fill_rows(struct top_frame *f, const struct top_collector *c,
		     const struct kmem_pipeline *p, const struct top_groups *groups)
{
	const struct top_order order = {.column = top_column_at(f->request.order),
					.ascending = f->request.ascending,
					.idle = true,
					.lines = TOP_ROWS_MAX};
	uint32_t *rows;
	uint64_t nr;
	int ret = top_groups_sort(groups, &order, &rows, &nr, &f->rows_total);

	if (ret)
		return ret;
	f->rows = calloc(nr + 1, sizeof(*f->rows));
	if (!f->rows)
		ret = -ENOMEM;
	for (uint64_t i = 0; !ret && i < nr; i++) {
		struct row_view row = top_groups_row(groups, rows[i]);

		ret = fill_row(&f->rows[f->nr_rows++], c, p, &row);
	}
	free(rows);
	return ret;
}

static int fill(struct top_frame *f, const struct top_collector *c, const struct kmem_pipeline *p)
{
	const struct top_groupings *groupings = c->groupings[f->request.account];
	const struct stat_table *table = top_table(p, f->request.account);
	const struct top_grouping *by = &groupings->v[f->request.grouping];
	struct top_groups groups;
	int ret;

	if (!table)
		return 0;
	ret = top_groups_init(&groups, &c->intervals, table, by->by, by->nr_by, NULL,
			      accounts_slab_counts(p->facts, &p->options));
	if (!ret)
		ret = fill_rows(f, c, p, &groups);
	f->sums = groups.sums;
	if (!ret && f->request.details)
		ret = top_add_details(&f->details, &p->naming, table, groupings, &groups,
				      f->request.details, c->raw_ip);
	top_groups_deinit(&groups);
	return ret;
}

int top_collect(const struct top_collector *c, const struct kmem_pipeline *p,
		const struct top_request *request, struct tick_interval interval,
		struct top_frame **ret_frame)
{
	struct strbuf lost = STRBUF_INIT;
	struct top_frame *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	strbuf_init(&f->details);
	ret = top_request_copy(&f->request, request);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		f->accounts |= top_table(p, i) ? 1u << i : 0;
	if (!(f->accounts >> f->request.account & 1) && f->accounts) {
		f->request.account = __builtin_ctz(f->accounts);
		f->request.grouping = c->groupings[f->request.account]->first;
	}
	f->begin_ns = c->begin_ns;
	f->start_ns = interval.start_ns;
	f->end_ns = interval.end_ns;
	f->last = interval.last;
	f->nr_events = p->facts->nr_samples;
	f->slabs = top_slab_totals(p, interval);
	f->nr_lost = c->nr_lost;
	f->nr_lost_now = c->nr_lost - c->nr_lost_before;
	f->nr_untracked = accounts_untracked(&p->accounts, NULL);
	f->max_live = p->options.bounds.max_live;
	top_add_lost(&lost, p->facts);
	if (lost.len)
		f->lost = strbuf_detach(&lost);
	strbuf_deinit(&lost);
	if (!ret)
		ret = fill(f, c, p);
	if (ret)
		top_frame_free(f);
	else
		*ret_frame = f;
	return ret;
}
