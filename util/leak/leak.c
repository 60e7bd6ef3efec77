// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_key(struct table_spec *spec, enum kmem_key key)
{
	if (!table_spec_has(spec, key))
		spec->by[spec->nr_by++] = key;
}

_Static_assert(STAT_BY_MAX + 4 <= STAT_KEYS_MAX, "stack or not, command, call site, cache");

/* Sets an allocator's tables: parts of the report's rows, owners, and sites. With
 * `timeline`, also a table by the report's keys alone. */
static int set_tables(struct tables_spec *to, const struct table_spec *by,
		      const struct table_spec *sites, enum leak_stacks stacks, bool timeline,
		      struct error *err)
{
	static const struct table_spec chains = {{KEY_STACK}, .nr_by = 1};
	struct table_spec *tables = to->v;
	static const struct table_spec owners = {{KEY_COMM, KEY_PID}, .nr_by = 2};
	struct table_spec *parts = &tables[LEAK_PARTS];

	*parts = *by;
	if (stacks == LEAK_STACKS_IN_ROWS && !table_spec_has(parts, KEY_STACK)) {
		if (parts->nr_by == STAT_BY_MAX)
			return error_set(err, E2BIG, "no room for --stack beside %d keys of --by",
					 STAT_BY_MAX);
		add_key(parts, KEY_STACK);
	}
	parts->nr_shown = parts->nr_by;
	add_key(parts, KEY_COMM);
	for (unsigned int i = 0; i < sites->nr_by; i++)
		add_key(parts, sites->by[i]);
	parts->history = true;
	tables[LEAK_OWNERS] = owners;
	tables[LEAK_SITES] = *sites;
	to->nr = LEAK_TABLES;
	if (stacks == LEAK_STACKS_APART)
		tables[to->nr++] = chains;
	if (timeline) {
		tables[to->nr] = *by;
		tables[to->nr++].timeline = true;
	}
	return 0;
}

int leak_options_prepare(struct kmem_options *options, const struct table_spec *by,
			 enum leak_stacks stacks, struct error *err)
{
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++) {
		const struct allocator_ops *ops = account_table[i]->allocator;

		if (ops)
			ret = set_tables(&options->tables[i], by->nr_by ? by : &ops->leak->by,
					 &ops->leak->sites, stacks, options->timeline, err);
	}
	return ret;
}

/* Returns the share of free events of these kinds that is missing from the recording. */
static struct leak_losses lost_frees(const struct event_kinds *k, uint32_t frees)
{
	uint64_t samples = 0, lost = 0, period = 1;
	double kept;

	for (int i = 0; i < KMEM_KINDS; i++) {
		if (!(frees >> i & 1))
			continue;
		samples += k->v[i].samples;
		lost += k->v[i].lost;
		period = k->v[i].period > period ? k->v[i].period : period;
	}
	kept = lost ? (double)samples / (double)(lost + samples) : 1.0;
	/* if the lost events' kinds are unknown, assume that frees were lost like all others */
	if (k->lost_of_all > 0)
		kept = 1 - k->lost_of_all;
	return (struct leak_losses){.lost = 1 - kept / (double)period, .sampled = period > 1};
}

/* An owner's part of a row. */
struct held {
	uint32_t row, owner;
	uint64_t hits, bytes;
};

/* State of gathering live objects; arrays are indexed by rows of the tables, or of the report. */
struct gathering {
	struct leak_survey survey;
	struct leak_rows *rows;
	const struct stat_table *parts, *owners, *sites;
	struct gathered_site {
		bool counted;
		uint64_t bytes; /* live, not excluded by a filter */
		uint64_t hits;
	} * site;
	struct gathered_part {
		uint64_t bytes;
		uint32_t row; /* of the report */
	} * part;
	struct gathered_row {
		double confidence; /* weighted by bytes, like the next ones */
		double lowered[LEAK_REASONS];
		const struct held *most;
		uint64_t leaking; /* bytes of the parts that leak */
		int64_t growth;	  /* growth of those parts */
		uint32_t part;	  /* index of the part */
		enum leak_behaviour behaviour;
	} * row;
	struct table held; /* struct held */
	int ret;
};

static const struct leak_site *site_of(const struct gathering *g, uint32_t part)
{
	return &g->survey.sites[g->survey.parts[part].site];
}

/* Memory of different uses, and reclaimable memory, are split into rows of their own. */
static uint32_t row_of_part(struct gathering *g, uint32_t part)
{
	const struct leak_site *site = site_of(g, part);
	uint64_t place[STAT_KEYS_MAX + 1];
	uint32_t row;

	memcpy(place, stat_table_keys(g->parts, part), g->rows->nr_by * sizeof(*place));
	place[g->rows->nr_by] = 2 * (uint64_t)g->survey.parts[part].use + site->reclaimable;
	row = table_insert_number(&g->rows->places, place);
	if (row == TABLE_NO_ROW)
		g->ret = -ENOMEM;
	return row;
}

static void hold(struct gathering *g, uint32_t row, const struct leak_live *live)
{
	const uint32_t key[2] = {row, live->row[LEAK_OWNERS]};
	struct held *held = table_insert(&g->held, key);

	if (!held) {
		g->ret = -ENOMEM;
		return;
	}
	held->hits += live->hits;
	held->bytes += live->bytes;
}

static void add_stack(struct gathering *g, uint32_t place, const struct leak_live *live)
{
	const uint32_t key[2] = {place, live->row[LEAK_CHAINS]};
	struct leak_stack *stack = table_insert(&g->rows->stacks, key);

	if (!stack) {
		g->ret = -ENOMEM;
		return;
	}
	stack->hits += live->hits;
	stack->bytes += live->bytes;
}

/* Adds a live object to the rows. */
static void gather(void *ctx, const struct leak_live *live)
{
	struct gathering *g = ctx;
	uint32_t at_site = live->row[LEAK_SITES];
	const struct leak_site *verdict = &g->survey.sites[at_site];
	struct leak_evidence evidence = verdict->evidence;
	struct gathered_site *site = &g->site[at_site];
	const struct leak_part *survey_part;
	struct gathered_part *part;
	struct gathered_row *more;
	struct leak_row *r;

	if (live->filtered_out || g->ret)
		return;
	site->hits += live->hits;
	site->bytes += live->bytes;
	if (verdict->untraced || leak_survey_is_young(&g->survey, live))
		return;
	site->counted = true;
	part = &g->part[live->row[LEAK_PARTS]];
	part->bytes += live->bytes;
	r = &g->rows->v[part->row];
	if (!r->hits || live->youngest_ns < r->youngest_ns)
		r->youngest_ns = live->youngest_ns;
	if (live->age_ns > r->oldest_ns)
		r->oldest_ns = live->age_ns;
	r->hits += live->hits;
	r->bytes += live->bytes;
	more = &g->row[part->row];
	survey_part = &g->survey.parts[live->row[LEAK_PARTS]];
	if (survey_part->leaks)
		evidence = leak_evidence_of_part(&evidence, &survey_part->evidence);
	more->confidence += (double)live->bytes * evidence.confidence;
	more->lowered[evidence.reason] += (double)live->bytes * (1 - evidence.confidence);
	hold(g, part->row, live);
	if (g->rows->chains)
		add_stack(g, part->row, live);
}

/* Among equals, take the first by order, because live objects come in no meaningful order. */
static bool holds_more(const struct held *a, const struct held *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes
	       : a->hits != b->hits ? a->hits > b->hits
				    : a->owner < b->owner;
}

static void take_owners(struct gathering *g)
{
	for (uint32_t i = 0; i < g->held.nr; i++) {
		const struct held *held = table_row(&g->held, i);
		struct gathered_row *row = &g->row[held->row];
		const uint64_t *key = stat_table_keys(g->owners, held->owner);

		if (row->most && !holds_more(held, row->most))
			continue;
		row->most = held;
		g->rows->v[held->row].owner = (struct leak_owner){.comm = (uint32_t)key[0],
								  .pid = key[1],
								  .hits = held->hits,
								  .bytes = held->bytes};
	}
}

/* A row's history is the sum of its parts that can be judged; leaking parts are summed separately,
 * too. */
static void sum_parts(struct gathering *g)
{
	uint32_t i;

	stat_table_for_each (i, g->parts) {
		struct leak_history own = {.allocs = {0}};
		uint32_t row = g->part[i].row;
		struct gathered_row *more = &g->row[row];

		more->part = i;
		if (site_of(g, i)->untraced)
			continue;
		leak_survey_add_history(&g->survey, i, &own);
		leak_survey_add_history(&g->survey, i, &g->rows->v[row].history);
		if (!g->survey.parts[i].leaks)
			continue;
		more->leaking += g->part[i].bytes;
		more->growth += leak_growth(&own, g->rows->moments_ns);
	}
}

/* The reason that lowers the evidence most, weighted by bytes. */
static enum leak_reason worst_reason(const struct gathered_row *more)
{
	enum leak_reason reason = LEAK_SURE;
	double worst = 0;

	for (int i = 0; i < LEAK_REASONS; i++)
		if (more->lowered[i] > worst) {
			worst = more->lowered[i];
			reason = (enum leak_reason)i;
		}
	return reason;
}

/* The source lacks the frees of its memory. */
static void leave_unjudged(struct leak_row *r)
{
	if (r->behaviour != LEAK_RECLAIMABLE)
		r->behaviour = LEAK_UNKNOWN;
	r->frees_unknown = true;
	r->growth = 0;
	r->evidence = (struct leak_evidence){1, LEAK_SURE};
}

static void judge_row(const struct gathering *g, struct leak_row *r,
		      const struct gathered_row *more)
{
	bool leaking = more->leaking >= r->bytes - r->bytes / 2;

	r->use = g->survey.parts[more->part].use;
	r->behaviour = leaking ? LEAK_LEAKING : leak_behaviour_of(&r->history);
	if (r->behaviour == LEAK_LEAKING && r->use != LEAK_KERNEL)
		r->behaviour = LEAK_GROWING;
	if (site_of(g, more->part)->reclaimable)
		r->behaviour = LEAK_RECLAIMABLE;
	r->growth = leaking ? more->growth : leak_growth(&r->history, g->rows->moments_ns);
	/* rounded as printed: the sum depends on the order of the live objects, which varies */
	r->evidence.confidence =
		r->bytes ? round(1000 * more->confidence / (double)r->bytes) / 1000 : 0;
	/* a reason whose effect rounds to zero is not given */
	r->evidence.reason =
		leak_level(r->evidence.confidence) == LEAK_HIGH ? LEAK_SURE : worst_reason(more);
}

static void add_total(struct leak_total *t, const struct leak_row *r)
{
	t->hits += r->hits;
	t->bytes += r->bytes;
	t->growth += r->growth;
	t->rows++;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
	const struct leak_row *a = x, *b = y;
	const struct leak_rows *rows = ctx;

	if (a->behaviour != b->behaviour)
		return (int)a->behaviour - (int)b->behaviour;
	if (leak_level(a->evidence.confidence) != leak_level(b->evidence.confidence))
		return (int)leak_level(a->evidence.confidence) -
		       (int)leak_level(b->evidence.confidence);
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->use != b->use)
		return (int)a->use - (int)b->use;
	for (unsigned int i = 0; i < rows->nr_by; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] > b->key[i] ? 1 : -1;
	return 0;
}

static bool is_accused(const struct leak_row *r, enum leak_level level)
{
	return r->use == LEAK_KERNEL && leak_behaviour_is_leak(r->behaviour) &&
	       leak_level(r->evidence.confidence) == level;
}

/* Number the findings. Returns how many there are. */
static uint32_t number_findings(struct leak_rows *rows, enum leak_level level)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (is_accused(&rows->v[i], level))
			rows->v[i].finding = ++nr;
	return nr;
}

/* Sort the complete rows, and number the findings. */
static void rank_rows(struct leak_rows *rows)
{
	if (rows->nr)
		qsort_r(rows->v, rows->nr, sizeof(*rows->v), by_rank, rows);
	if (!number_findings(rows, LEAK_HIGH))
		number_findings(rows, LEAK_MEDIUM);
}

/* Keep the rows that are not empty, in order. */
static void finish_rows(struct gathering *g)
{
	struct leak_rows *rows = g->rows;
	size_t nr = 0;

	sum_parts(g);
	take_owners(g);
	for (uint32_t i = 0; i < rows->places.nr; i++) {
		struct leak_row *r = &rows->v[i];

		if (!r->hits)
			continue;
		r->key = stat_table_keys(g->parts, g->row[i].part);
		judge_row(g, r, &g->row[i]);
		if (rows->frees_unknown)
			leave_unjudged(r);
		g->row[i].behaviour = r->behaviour;
		rows->hits += r->hits;
		rows->bytes += r->bytes;
		add_total(&rows->uses[r->use], r);
		if (r->use == LEAK_KERNEL)
			add_total(&rows->totals[r->behaviour], r);
		rows->v[nr++] = *r;
	}
	rows->nr = nr;
	rank_rows(rows);
	for (uint32_t i = 0; i < rows->stacks.nr; i++) {
		struct leak_stack *stack = table_row(&rows->stacks, i);
		const struct gathered_row *row = &g->row[stack->place];

		stack->behaviour = row->behaviour;
		stack->use = g->survey.parts[row->part].use;
	}
}

static void count_callsites(struct gathering *g)
{
	struct table callsites;
	uint32_t i;

	table_init(&callsites, sizeof(uint64_t), sizeof(uint64_t));
	stat_table_for_each (i, g->sites)
		if (g->site[i].counted && !table_insert(&callsites, stat_table_keys(g->sites, i)))
			g->ret = -ENOMEM;
	g->rows->callsites = callsites.nr;
	table_deinit(&callsites);
}

static int untraced_by_bytes(const void *x, const void *y)
{
	const struct untraced_site *a = x, *b = y;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	if (a->key[0] != b->key[0])
		return a->key[0] > b->key[0] ? 1 : -1;
	return (a->key[1] > b->key[1]) - (a->key[1] < b->key[1]);
}

/* The filter decides which of them are listed. */
static void list_untraced(struct gathering *g)
{
	struct leak_rows *rows = g->rows;
	uint32_t i;

	rows->untraced = calloc(g->sites->rows.nr + 1u, sizeof(*rows->untraced));
	if (!rows->untraced) {
		g->ret = -ENOMEM;
		return;
	}
	stat_table_for_each (i, g->sites) {
		const struct leak_observed *seen = &g->survey.sites[i].seen;
		const struct gathered_site *site = &g->site[i];

		if (g->survey.sites[i].untraced && site->hits)
			rows->untraced[rows->nr_untraced++] = (struct untraced_site){
				.key = stat_table_keys(g->sites, i),
				.allocations = stat_table_counts(g->sites, i)->hits,
				.frees_seen = seen->freed,
				.frees_unseen = seen->unseen,
				.live_hits = site->hits,
				.live_bytes = site->bytes,
				.count = g->survey.sites[i].count,
				.cleared = g->survey.sites[i].cleared,
			};
	}
	qsort(rows->untraced, rows->nr_untraced, sizeof(*rows->untraced), untraced_by_bytes);
}

static int alloc_rows(struct gathering *g)
{
	uint32_t parts = stat_table_top(g->parts), sites = stat_table_top(g->sites), i;

	g->site = calloc(sites + 1u, sizeof(*g->site));
	g->part = calloc(parts + 1u, sizeof(*g->part));
	if (!g->site || !g->part)
		return -ENOMEM;
	stat_table_for_each (i, g->parts)
		g->part[i].row = row_of_part(g, i);
	if (g->ret)
		return g->ret;
	g->row = calloc(g->rows->places.nr + 1u, sizeof(*g->row));
	g->rows->v = calloc(g->rows->places.nr + 1u, sizeof(*g->rows->v));
	if (!g->row || !g->rows->v)
		return -ENOMEM;
	return 0;
}

static int gather_rows(struct gathering *g, const struct leak_accounts *of)
{
	int ret = leak_survey_init(&g->survey, of);

	if (ret)
		return ret;
	g->ret = alloc_rows(g);
	if (!g->ret)
		leak_for_each_live(of, gather, g);
	if (!g->ret)
		finish_rows(g);
	if (!g->ret)
		count_callsites(g);
	if (!g->ret)
		list_untraced(g);
	if (!g->ret && !g->rows->frees_unknown)
		g->ret = leak_whos_init(&g->rows->whos, &g->survey);
	g->rows->caches = g->survey.caches;
	g->survey.caches = (struct leak_caches){.v = NULL};
	leak_survey_deinit(&g->survey);
	return g->ret;
}

static int init_rows(struct leak_rows *rows, const struct leak_accounts *of,
		     const struct tables_spec *specs)
{
	const struct table_spec *chains = &specs->v[LEAK_CHAINS];
	const bool has_chains = specs->nr > LEAK_CHAINS && !chains->timeline;
	struct gathering g = {
		.rows = rows,
		.parts = &of->tables[LEAK_PARTS],
		.owners = &of->tables[LEAK_OWNERS],
		.sites = &of->tables[LEAK_SITES],
	};
	int ret;

	rows->by = g.parts->by;
	rows->nr_by = specs->v[LEAK_PARTS].nr_shown;
	rows->losses = of->losses;
	rows->frees_unknown = of->frees_unknown;
	rows->chains = has_chains ? &of->tables[LEAK_CHAINS] : NULL;
	memcpy(rows->moments_ns, g.parts->history.moments_ns, sizeof(rows->moments_ns));
	table_init(&rows->places, (rows->nr_by + 1) * sizeof(uint64_t),
		   (rows->nr_by + 1) * sizeof(uint64_t));
	table_init(&rows->stacks, sizeof(struct leak_stack), 2 * sizeof(uint32_t));
	table_init(&g.held, sizeof(struct held), 2 * sizeof(uint32_t));
	ret = gather_rows(&g, of);
	table_deinit(&g.held);
	free(g.site);
	free(g.part);
	free(g.row);
	return ret;
}

static const char *missing_free(const struct leak_input *in, int account)
{
	return event_kinds_missing_free(in->kinds, account_table[account]->allocator->alloc);
}

static bool frees_unknown(const struct leak_input *in, int account)
{
	return in->frees_unknown || missing_free(in, account);
}

static struct leak_accounts input_of(const struct leak_input *in, int account,
				     const struct stat_table *tables)
{
	const struct allocator_ops *ops = account_table[account]->allocator;
	struct leak_losses losses = lost_frees(in->kinds, KIND_BIT(ops->free));
	const bool is_unjudged = frees_unknown(in, account);

	losses.one_in = allocator_accounts_weight(accounts_allocator(in->accounts, account));
	return (struct leak_accounts){
		.account = &in->accounts->v[account],
		.tables = tables,
		.naming = in->naming,
		.threads = in->threads,
		.losses = losses,
		.frees_unknown = is_unjudged,
		/* they are compared with the frees of objects from before the start, too */
		.slab_counts = ops->leak->old_frees && !is_unjudged ? in->slab_counts : NULL,
		.nr_lost = in->nr_lost,
		.end_ns = in->end_ns,
		.min_age_ns = in->min_age_ns,
	};
}

int leak_init(struct leak *l, const struct leak_input *in)
{
	uint32_t frees = 0;
	int ret = 0;

	*l = (struct leak){.end_ns = in->end_ns, .min_age_ns = in->min_age_ns};
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		if (accounts_allocator(in->accounts, i))
			frees |= KIND_BIT(account_table[i]->allocator->free);
	}
	l->losses = lost_frees(in->kinds, frees);
	for (int i = 0; !ret && i < ACCOUNTS_NR; i++) {
		const struct allocator_accounts *a = accounts_allocator(in->accounts, i);
		struct leak_accounts of;

		if (!a)
			continue;
		of = input_of(in, i, a->tables);
		l->rows[i].missing_free = missing_free(in, i);
		ret = init_rows(&l->rows[i], &of, &in->options->tables[i]);
	}
	if (ret)
		leak_deinit(l);
	return ret;
}

int leak_unjudged(const struct leak *l)
{
	int i = 0;

	while (i < ACCOUNTS_NR && !l->rows[i].frees_unknown)
		i++;
	return i;
}

static void deinit_rows(struct leak_rows *rows)
{
	free(rows->v);
	free(rows->untraced);
	leak_caches_deinit(&rows->caches);
	leak_whos_deinit(&rows->whos);
	table_deinit(&rows->places);
	table_deinit(&rows->stacks);
}

void leak_deinit(struct leak *l)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		deinit_rows(&l->rows[i]);
	*l = (struct leak){0};
}

void leak_grouped_prepare(struct table_spec *table, const struct leak_allocator *of)
{
	add_key(table, KEY_COMM);
	add_key(table, KEY_PID);
	for (unsigned int i = 0; i < of->sites.nr_by; i++)
		add_key(table, of->sites.by[i]);
	table->history = true;
}

static int group(struct stat_table *to, const struct stat_table *from,
		 const struct table_spec *spec, uint32_t **ret_rows)
{
	uint32_t *rows = calloc(stat_table_top(from) + 1u, sizeof(*rows));

	stat_table_init(to, spec->by, spec->nr_by);
	to->names = from->names;
	to->want_history = spec->history;
	*ret_rows = rows;
	return rows ? stat_rollup_copy(from, to, rows) : -ENOMEM;
}

int leak_grouped_init(struct leak_grouped *g, const struct leak_input *in, int account,
		      const enum kmem_key *by, unsigned int nr_by)
{
	const struct allocator_accounts *a = accounts_allocator(in->accounts, account);
	const struct leak_allocator *leak = account_table[account]->allocator->leak;
	struct table_spec shown = {.nr_by = nr_by};
	struct tables_spec specs = {.nr = 0};
	struct leak_accounts of;
	int ret;

	*g = (struct leak_grouped){.rows = {.nr = 0}};
	memcpy(shown.by, by, nr_by * sizeof(*by));
	ret = set_tables(&specs, &shown, &leak->sites, LEAK_NO_STACKS, false, NULL);
	for (unsigned int i = 0; !ret && i < LEAK_TABLES; i++)
		ret = group(&g->tables[i], &a->tables[0], &specs.v[i], &g->row_of[i]);
	if (!ret) {
		of = input_of(in, account, g->tables);
		of.rows = g->row_of;
		of.min_age_ns = 0;
		ret = init_rows(&g->rows, &of, &specs);
	}
	if (ret)
		leak_grouped_deinit(g);
	return ret;
}

void leak_grouped_deinit(struct leak_grouped *g)
{
	deinit_rows(&g->rows);
	for (unsigned int i = 0; i < LEAK_TABLES; i++) {
		stat_table_deinit(&g->tables[i]);
		free(g->row_of[i]);
	}
	*g = (struct leak_grouped){.rows = {.nr = 0}};
}
