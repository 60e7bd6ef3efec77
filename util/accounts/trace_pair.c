// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/trace_pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name weighs as much as this many traces; the score stops at SCORE_MAX. */
#define NAME_SCORE 4
#define SCORE_MAX  64

struct site_row {
	uint64_t call_site;
	int32_t score; /* above 0: inside the allocator; below: outside; 0: unknown so far */
};

struct failed_row {
	uint64_t tid;
	struct first_trace trace;
	bool counted;
};

void trace_pairs_init(struct trace_pairs *p, struct function_lookup functions, uint32_t page_size)
{
	*p = (struct trace_pairs){.functions = functions, .cached_bytes_max = 2ull * page_size};
	table_init(&p->sites, sizeof(struct site_row), sizeof(uint64_t));
	table_init(&p->failed, sizeof(struct failed_row), sizeof(uint64_t));
}

void trace_pairs_deinit(struct trace_pairs *p)
{
	table_deinit(&p->sites);
	table_deinit(&p->failed);
}

/* Current names of the allocator's functions, used as a hint only. */
static bool sounds_like_the_allocator(const char *function)
{
	static const char *const names[] = {"kmalloc", "kvmalloc", "krealloc", "kvrealloc"};
	const char *name = function + strspn(function, "_");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static uint64_t function_of(const struct trace_pairs *p, uint64_t call_site, const char **ret_name)
{
	return p->functions.find ? p->functions.find(p->functions.ctx, call_site, ret_name) : 0;
}

/* Returns the index of the call site's row, or TABLE_NO_ROW if out of memory. */
static uint32_t site_of(struct trace_pairs *p, uint64_t call_site)
{
	uint32_t nr = p->sites.nr, i = table_insert_number(&p->sites, &call_site);
	const char *name;

	if (i == TABLE_NO_ROW || p->sites.nr == nr)
		return i;
	if (function_of(p, call_site, &name) && sounds_like_the_allocator(name))
		((struct site_row *)table_row(&p->sites, i))->score = NAME_SCORE;
	return i;
}

static int32_t *score_of(struct trace_pairs *p, uint32_t site)
{
	return &((struct site_row *)table_row(&p->sites, site))->score;
}

static bool same_function(const struct trace_pairs *p, uint64_t a, uint64_t b)
{
	const char *name;
	uint64_t function;

	if (a == b)
		return true;
	function = function_of(p, a, &name);
	return function && function_of(p, b, &name) == function;
}

int trace_pairs_match(struct trace_pairs *p, const struct first_trace *first,
		      const struct kmem_event *ev)
{
	uint32_t inner, outer;

	if (first->tid != ev->tid || first->bytes_req != ev->bytes_req ||
	    first->bytes_alloc != ev->bytes_alloc || ev->time_ns - first->time_ns > TRACE_PAIR_NS)
		return trace_pairs_note_single(p, first->call_site);
	if (same_function(p, first->call_site, ev->call_site))
		return trace_pairs_note_single(p, first->call_site);
	inner = site_of(p, first->call_site);
	outer = site_of(p, ev->call_site);
	if (inner == TABLE_NO_ROW || outer == TABLE_NO_ROW)
		return -ENOMEM;
	if (*score_of(p, inner) < 0)
		return 0;
	/* an allocation begins inside, unless several layers of the allocator trace it in turn */
	if (*score_of(p, outer) > 0 && *score_of(p, inner) <= 0)
		return 0;
	if (*score_of(p, inner) < SCORE_MAX)
		++*score_of(p, inner);
	return 1;
}

int trace_pairs_note_single(struct trace_pairs *p, uint64_t call_site)
{
	uint32_t site = site_of(p, call_site);

	if (site == TABLE_NO_ROW)
		return -ENOMEM;
	if (*score_of(p, site) > -SCORE_MAX)
		--*score_of(p, site);
	return 0;
}

int trace_pairs_match_failed(struct trace_pairs *p, const struct kmem_event *ev, bool counted,
			     bool *ret_first_counted)
{
	const uint64_t tid = ev->tid;
	uint32_t nr = p->failed.nr;
	struct failed_row *row = table_insert(&p->failed, &tid);
	int second = 0;

	if (!row)
		return -ENOMEM;
	*ret_first_counted = row->counted;
	if (p->failed.nr == nr)
		second = trace_pairs_match(p, &row->trace, ev);
	if (second < 0)
		return second;
	row->counted = counted;
	row->trace = (struct first_trace){
		.time_ns = ev->time_ns,
		.bytes_req = ev->bytes_req,
		.bytes_alloc = ev->bytes_alloc,
		.call_site = ev->call_site,
		.tid = ev->tid,
	};
	return second;
}

int trace_pairs_sweep_failed(struct trace_pairs *p, uint64_t now_ns)
{
	const struct failed_row *row;
	uint64_t *tids, at = 0;
	uint32_t nr = 0;
	int ret = 0;

	if (!p->failed.nr)
		return 0;
	tids = reallocarray(NULL, p->failed.nr, sizeof(*tids));
	if (!tids)
		return -ENOMEM;
	while ((row = table_next(&p->failed, &at)))
		if (row->trace.time_ns + TRACE_PAIR_NS < now_ns)
			tids[nr++] = row->tid;
	for (uint32_t i = 0; !ret && i < nr; i++) {
		struct failed_row *over = table_find(&p->failed, &tids[i]);

		ret = trace_pairs_note_single(p, over->trace.call_site);
		table_remove(&p->failed, over);
	}
	free(tids);
	return ret;
}
