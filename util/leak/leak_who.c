// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_who.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* One command's memory of one site. */
struct group {
	uint64_t key[2]; /* value of its name, row in LEAK_SITES */
	struct leak_history history;
	struct leak_part sum; /* of its parts */
	enum leak_behaviour behaviour;
	struct leak_evidence evidence;
	bool counts;
	uint64_t hits, bytes; /* live at the end */
};

/* A command at one level of evidence. */
struct candidate {
	uint64_t key[2]; /* value of its name, enum leak_level */
	struct leak_who who;
	uint64_t leaking;	/* bytes */
	uint64_t most_of_group; /* bytes of the group with most */
};

/* A process's share of a candidate. */
struct share {
	uint32_t key[2]; /* number of the candidate, row in LEAK_OWNERS */
	uint64_t hits, bytes;
};

struct finding {
	const struct leak_survey *survey;
	enum kmem_key key;
	uint32_t *group_of_part;
	struct table groups;	 /* struct group */
	struct table candidates; /* struct candidate */
	struct table shares;	 /* struct share */
	int ret;
};

static const struct stat_table *table_of(const struct finding *f, unsigned int which)
{
	return &f->survey->of->tables[which];
}

/* Add the parts to their groups. */
static int make_groups(struct finding *f)
{
	const struct stat_table *parts = table_of(f, LEAK_PARTS);
	uint32_t i;

	stat_table_for_each (i, parts) {
		const struct leak_part *part = &f->survey->parts[i];
		const uint64_t key[2] = {leak_survey_part_key(f->survey, i, f->key), part->site};
		struct group *g = table_insert(&f->groups, key);

		if (!g)
			return -ENOMEM;
		f->group_of_part[i] = table_index(&f->groups, g);
		leak_survey_add_history(f->survey, i, &g->history);
		g->sum.bytes += part->bytes;
		g->sum.living_bytes += part->living_bytes;
		g->sum.seen.survivors += part->seen.survivors;
		g->sum.seen.old += part->seen.old;
		g->sum.seen.freed += part->seen.freed;
		g->sum.seen.unseen += part->seen.unseen;
	}
	return 0;
}

static void judge_group(const struct finding *f, struct group *g)
{
	const struct leak_site *site = &f->survey->sites[g->key[1]];
	const enum leak_use use = leak_survey_use(site, &g->sum);

	g->evidence = site->evidence;
	g->behaviour = leak_behaviour_of(&g->history);
	if (g->behaviour == LEAK_LEAKING) {
		leak_survey_judge_part(f->survey, site, &g->sum);
		g->evidence = leak_evidence_of_part(&g->evidence, &g->sum.evidence);
	}
	if (g->behaviour == LEAK_LEAKING && use != LEAK_KERNEL)
		g->behaviour = LEAK_GROWING;
	g->counts = leak_behaviour_is_leak(g->behaviour) && !site->untraced && !site->reclaimable &&
		    (use == LEAK_KERNEL || use == LEAK_SHMEM) &&
		    leak_level(g->evidence.confidence) != LEAK_LOW;
}

/* Called with each live object. */
static void add_live(void *ctx, const struct leak_live *live)
{
	struct finding *f = ctx;
	struct group *g;
	struct candidate *c;
	struct share *share;

	if (live->filtered_out || leak_survey_is_young(f->survey, live))
		return;
	g = table_row(&f->groups, f->group_of_part[live->row[LEAK_PARTS]]);
	if (!g->counts)
		return;
	c = table_insert(&f->candidates,
			 (uint64_t[]){g->key[0], leak_level(g->evidence.confidence)});
	if (!c) {
		f->ret = -ENOMEM;
		return;
	}
	share = table_insert(&f->shares,
			     (uint32_t[]){table_index(&f->candidates, c), live->row[LEAK_OWNERS]});
	if (!share) {
		f->ret = -ENOMEM;
		return;
	}
	g->hits += live->hits;
	g->bytes += live->bytes;
	share->hits += live->hits;
	share->bytes += live->bytes;
}

static void sum_groups(struct finding *f)
{
	const struct stat_table *sites = table_of(f, LEAK_SITES);
	const uint64_t *moments_ns = table_of(f, LEAK_PARTS)->history.moments_ns;

	for (uint32_t i = 0; i < f->groups.nr; i++) {
		const struct group *g = table_row(&f->groups, i);
		struct candidate *c;

		if (!g->counts || !g->hits)
			continue;
		c = table_find(&f->candidates,
			       (uint64_t[]){g->key[0], leak_level(g->evidence.confidence)});
		c->who.hits += g->hits;
		c->who.bytes += g->bytes;
		c->who.growth += leak_growth(&g->history, moments_ns);
		c->who.confidence += g->evidence.confidence * (double)g->bytes;
		c->who.sites++;
		c->leaking += g->behaviour == LEAK_LEAKING ? g->bytes : 0;
		if (!c->who.key || g->bytes > c->most_of_group) {
			c->most_of_group = g->bytes;
			c->who.key = stat_table_keys(sites, (uint32_t)g->key[1]);
		}
	}
}

static void take_processes(struct finding *f)
{
	const struct stat_table *owners = table_of(f, LEAK_OWNERS);

	for (uint32_t i = 0; i < f->shares.nr; i++) {
		const struct share *share = table_row(&f->shares, i);
		struct candidate *c = table_row(&f->candidates, share->key[0]);
		const uint64_t *owner = stat_table_keys(owners, share->key[1]);
		const struct leak_owner *most = &c->who.most;

		c->who.processes++;
		/* pid 0: the idle tasks */
		c->who.running += f->survey->lives[share->key[1]] || !owner[1];
		if (c->who.processes == 1 || share->bytes > most->bytes ||
		    (share->bytes == most->bytes && owner[1] < most->pid))
			c->who.most = (struct leak_owner){(uint32_t)owner[0], owner[1], share->hits,
							  share->bytes};
	}
}

int leak_who_compare(const struct leak_who *a, const struct leak_who *b)
{
	if (a->behaviour != b->behaviour)
		return (int)a->behaviour - (int)b->behaviour;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static int by_rank(const void *a, const void *b)
{
	return leak_who_compare(a, b);
}

static bool has_level(const struct finding *f, enum leak_level level)
{
	for (uint32_t i = 0; i < f->candidates.nr; i++)
		if (((const struct candidate *)table_row(&f->candidates, i))->key[1] == level)
			return true;
	return false;
}

static int take_candidates(const struct finding *f, struct leak_whos *w)
{
	const struct threads *threads = f->survey->of->threads;
	enum leak_level level = has_level(f, LEAK_HIGH) ? LEAK_HIGH : LEAK_MEDIUM;

	w->v = calloc(f->candidates.nr + 1u, sizeof(*w->v));
	if (!w->v)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->candidates.nr; i++) {
		const struct candidate *c = table_row(&f->candidates, i);
		struct leak_who *who;

		if (c->key[1] != level)
			continue;
		who = &w->v[w->nr++];
		*who = c->who;
		who->name = c->key[0];
		who->knows_running = threads && threads->has_lifetimes;
		who->behaviour =
			c->leaking >= who->bytes - who->bytes / 2 ? LEAK_LEAKING : LEAK_GROWING;
		/* rounded as printed */
		who->confidence =
			who->bytes ? round(1000 * who->confidence / (double)who->bytes) / 1000 : 0;
	}
	if (w->nr)
		qsort(w->v, w->nr, sizeof(*w->v), by_rank);
	return 0;
}

static int find(struct finding *f, struct leak_whos *w)
{
	int ret;

	f->group_of_part =
		calloc(stat_table_top(table_of(f, LEAK_PARTS)) + 1u, sizeof(*f->group_of_part));
	if (!f->group_of_part)
		return -ENOMEM;
	ret = make_groups(f);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < f->groups.nr; i++)
		judge_group(f, table_row(&f->groups, i));
	leak_for_each_live(f->survey->of, add_live, f);
	if (f->ret)
		return f->ret;
	sum_groups(f);
	take_processes(f);
	return take_candidates(f, w);
}

int leak_whos_init(struct leak_whos *w, const struct leak_survey *s)
{
	const struct stat_table *parts = &s->of->tables[LEAK_PARTS];
	struct finding f = {.survey = s, .key = KEY_COMM};
	int ret;

	for (unsigned int i = 0; i < parts->nr_by; i++)
		if (parts->by[i] == KEY_CGROUP)
			f.key = KEY_CGROUP;
	*w = (struct leak_whos){.by = f.key};
	table_init(&f.groups, sizeof(struct group), 2 * sizeof(uint64_t));
	table_init(&f.candidates, sizeof(struct candidate), 2 * sizeof(uint64_t));
	table_init(&f.shares, sizeof(struct share), 2 * sizeof(uint32_t));
	ret = find(&f, w);
	table_deinit(&f.groups);
	table_deinit(&f.candidates);
	table_deinit(&f.shares);
	free(f.group_of_part);
	return ret;
}

void leak_whos_deinit(struct leak_whos *w)
{
	free(w->v);
	*w = (struct leak_whos){.v = NULL};
}
