// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/top/details.h"
#include "util/top/groups.h"

int top_collector_next(struct top_collector *c, struct kmem_pipeline *p,
		       struct tick_interval interval)
{
	const uint64_t stop_ns = kmem_pipeline_span(p).stop_ns;

	if (!c->intervals.nr++)
		c->begin_ns = interval.start_ns;
	c->intervals.ns = interval.end_ns - interval.start_ns;
	memmove(&c->intervals.history_ns[1], &c->intervals.history_ns[0],
		sizeof(c->intervals.history_ns) - sizeof(c->intervals.history_ns[0]));
	c->intervals.history_ns[0] = c->intervals.ns;
	c->nr_lost_before = c->nr_lost;
	c->nr_lost = p->facts->nr_lost;
	/* --time may end earlier */
	c->end_ns = stop_ns < interval.end_ns ? stop_ns : interval.end_ns;
	return kmem_pipeline_conclude(p, c->end_ns);
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

/* Judging walks all live objects; of live events it takes at most one part of this many of the
 * time. */
#define JUDGING_PART 20

static bool is_current(const struct top_judged *j, unsigned int grouping)
{
	return j->known && j->grouping == grouping && now_ns() < j->until_ns;
}

/* Returns 0, or -ENOMEM. */
static int judge(struct top_judged *j, const struct top_collector *c, const struct kmem_pipeline *p,
		 const struct top_request *request)
{
	const struct top_grouping *by = &c->groupings[request->account]->v[request->grouping];
	const struct leak_input in = {
		.accounts = &p->accounts,
		.options = &p->options,
		.kinds = &p->kinds,
		.naming = &p->naming,
		.threads = &p->decoding.completer.threads,
		.slab_counts = accounts_slab_counts(p->facts, &p->options),
		.nr_lost = p->facts->nr_lost,
		.end_ns = c->end_ns,
		.frees_unknown = p->facts->frees_unknown,
	};
	const uint64_t start_ns = now_ns();
	int ret;

	if (j->known)
		leak_grouped_deinit(&j->leak);
	ret = leak_grouped_init(&j->leak, &in, request->account, by->by, by->nr_by);
	j->known = !ret;
	j->grouping = request->grouping;
	j->until_ns = 0;
	if (p->facts->is_live)
		j->until_ns = now_ns() + JUDGING_PART * (now_ns() - start_ns);
	return ret;
}

int top_judge(struct top_collector *c, const struct kmem_pipeline *p,
	      const struct top_request *request, const struct leak_rows **ret_rows)
{
	struct top_judged *j = &c->judged[request->account];
	int ret = 0;

	*ret_rows = NULL;
	if (p->facts->live_unknown)
		return 0;
	if (!is_current(j, request->grouping))
		ret = judge(j, c, p, request);
	if (!ret)
		*ret_rows = &j->leak.rows;
	return ret;
}

void top_collector_deinit(struct top_collector *c)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (c->judged[i].known)
			leak_grouped_deinit(&c->judged[i].leak);
}

static int fill_row(struct top_row *to, const struct top_collector *c,
		    const struct kmem_pipeline *p, const struct row_view *row)
{
	for (unsigned int i = 0; i < TOP_COLUMNS; i++)
		to->values[i] = top_column_at(i)->value(row);
	memcpy(to->live, row->recent->live, sizeof(to->live));
	to->grown = top_figures_of(row)->grown;
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

static int fill(struct top_frame *f, struct top_collector *c, const struct kmem_pipeline *p)
{
	const struct top_groupings *groupings = c->groupings[f->request.account];
	const struct stat_table *table = top_table(p, f->request.account);
	const struct top_grouping *by = &groupings->v[f->request.grouping];
	const struct leak_rows *verdicts;
	struct top_groups groups;
	int ret;

	if (!table)
		return 0;
	ret = top_judge(c, p, &f->request, &verdicts);
	if (ret)
		return ret;
	ret = top_groups_init(&groups, &c->intervals, table, by->by, by->nr_by, NULL,
			      accounts_slab_counts(p->facts, &p->options), verdicts);
	f->nr_suspects = groups.nr_suspects;
	if (!ret)
		ret = fill_rows(f, c, p, &groups);
	f->sums = groups.sums;
	if (!ret && f->request.details)
		ret = top_add_details(&f->details, &p->naming, table, groupings, &groups,
				      f->request.details, c->raw_ip);
	top_groups_deinit(&groups);
	return ret;
}

int top_collect(struct top_collector *c, const struct kmem_pipeline *p,
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
	f->sample_one_in = accounts_sample_one_in(&p->accounts);
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
