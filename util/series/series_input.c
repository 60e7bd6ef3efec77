// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/series/series_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/dump/archive_entries.h"
#include "util/dump/archive_series.h"

struct reading {
	struct series_input *s;
	struct input *in;
	struct source_facts damage; /* of the second pass, which is that of the first */
	uint64_t stride;	    /* snapshots from one that is taken to the next */
	struct error *err;
};

/* The time of a snapshot: since the machine was started, else the wall clock. */
static uint64_t time_of(const struct source_facts *f)
{
	return f->stated_stop_ns ? f->stated_stop_ns : source_facts_wall_clock_ns(f);
}

/* Snapshots with the time of the previous one are left out: there is no slope between them. */
static int add(struct reading *r, const struct where_texts *texts)
{
	struct series *series = &r->s->series;
	const uint64_t now = time_of(&texts->facts);
	const uint64_t before = series->nr ? series->times_ns[series->nr - 1] : 0;
	struct partition p;
	int ret;

	if (series->nr && now == before)
		return 0;
	if (series->nr && now < before) {
		const size_t left = series->cap - series->nr;

		r->s->nr_earlier += series->nr;
		series_deinit(series);
		series_init(series, left);
	}
	ret = partition_init(&p, texts);
	if (ret)
		return ret == -ENOMEM ? ret : 0; /* it has no meminfo */
	series_add(series, now, texts, &p);
	partition_deinit(&p);
	return series->failed ? -ENOMEM : 0;
}

static void keep_facts(struct series_input *s, struct where_texts *texts)
{
	struct source_facts facts = s->facts;

	s->facts = texts->facts;
	texts->facts = facts;
	/* the damage, the path and the packing are the file's */
	s->facts.damage = facts.damage;
	texts->facts.path = s->facts.path;
	s->facts.path = facts.path;
}

/* Take the i-th snapshot, whose info is next. */
static int take(struct reading *r, uint64_t i)
{
	struct where_texts texts;
	unsigned int parts = 0;
	int ret;

	where_texts_init(&texts);
	texts.facts.page_size = 4096; /* of snapshots that do not have it */
	ret = i ? archive_read_next_info(r->in, &texts.facts, &r->damage, &parts, r->err)
		: archive_read_info(r->in, &texts.facts, &parts, r->err);
	if (!i && !ret)
		ret = 1;
	if (!ret)
		ret = -ENODATA;
	else if (ret > 0 && (i % r->stride == 0 || i + 1 == r->s->nr)) {
		ret = where_texts_read_entries(&texts, r->in, &r->damage);
		if (!ret)
			ret = add(r, &texts);
		if (!ret)
			keep_facts(r->s, &texts);
	} else if (ret > 0) {
		ret = archive_skip_entries(r->in, &r->damage);
	}
	where_texts_deinit(&texts);
	return ret;
}

static int take_all(struct reading *r)
{
	int ret = 0;

	r->stride = (r->s->nr + SERIES_MOMENTS_MAX - 2) / (SERIES_MOMENTS_MAX - 1);
	source_facts_init(&r->damage);
	input_serve(r->in, &r->damage);
	series_deinit(&r->s->series);
	series_init(&r->s->series, (size_t)(r->s->nr / r->stride + 2));
	for (uint64_t i = 0; !ret && i < r->s->nr; i++)
		ret = take(r, i);
	source_facts_deinit(&r->damage);
	if (!ret && r->s->series.nr < 2)
		ret = error_set(r->err, ENODATA,
				"'%s' has only one snapshot since the machine was started",
				r->s->facts.path);
	if (!ret)
		series_finish(&r->s->series);
	return r->s->series.failed ? -ENOMEM : ret;
}

static int read_input(struct series_input *s, struct input *in, bool force, struct error *err)
{
	struct reading r = {.s = s, .in = in, .err = err};
	int ret;

	s->facts.path = strdup(input_path(in));
	if (!s->facts.path)
		return -ENOMEM;
	if (!archive_probe(input_probed(in)))
		return error_set(err, EINVAL,
				 "'%s' is not a series of snapshots: diff needs two recordings, an "
				 "old and a new one",
				 s->facts.path);
	ret = archive_series_count(in, force, &s->facts, &s->nr, err);
	if (!ret && s->nr < 2)
		ret = error_set(err, ENODATA,
				"'%s' has %s whole snapshot: a series is made with 'perf kmem "
				"snapshot --every <time>', and two files are compared as <old> "
				"<new>",
				s->facts.path, s->nr ? "one" : "no");
	return ret ? ret : take_all(&r);
}

int series_input_read(struct series_input *s, const char *path, bool force, struct error *err)
{
	const struct source_options how = {.force = force, .jobs = 1};
	struct input *in;
	int ret = input_open(path, &how, &in, err);

	if (ret)
		return ret;
	*s = (struct series_input){.nr = 0};
	source_facts_init(&s->facts);
	series_init(&s->series, 0);
	ret = read_input(s, in, force, err);
	input_free(in);
	if (ret)
		series_input_deinit(s);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	return ret;
}

void series_input_deinit(struct series_input *s)
{
	series_deinit(&s->series);
	source_facts_deinit(&s->facts);
}
