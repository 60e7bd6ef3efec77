// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/series/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/dump/slabinfo.h"
#include "util/where/scan.h"

/* Processes that are named for a line. */
#define NAMED 3

/* Correlation from which on two growths are said to go together. */
#define TOGETHER 0.9

/* Least part of a cache's object that one more of a number adds; two ends share a pipe. */
#define PART_MIN 0.4

/* A process has ended once this number of snapshots in a row lack it. */
#define MISSED_MAX 12

/* Rows of ended processes are looked for at this number of rows, and when they have doubled. */
#define FORGET_MIN 4096

/*
 * The numbers of a process. Where two rise alike, the first is named: sockets are files, too.
 */
static const struct {
	enum holder_number number;
	const char *of;	   /* bytes: the path of the lines that they rise with */
	const char *cache; /* each of these has an object in this cache; NULL: unknown */
} numbers[] = {
	{HOLDER_NR_sockets, NULL, "sock_inode_cache"},
	{HOLDER_NR_pipes, NULL, "filp"},
	{HOLDER_NR_epoll_items, NULL, "eventpoll_epi"},
	{HOLDER_NR_inotify_watches, NULL, "inotify_inode_mark"},
	{HOLDER_NR_timers, NULL, NULL},
	{HOLDER_NR_threads, NULL, "task_struct"},
	{HOLDER_NR_files, NULL, "filp"},
	{HOLDER_NR_anon, "user/anon", NULL},
	{HOLDER_NR_shmem, "user/shmem", NULL},
	{HOLDER_NR_page_tables, "page_tables", NULL},
};

#define NR_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

int series_number_rank(enum holder_number number)
{
	int i = 0;

	while (i < (int)NR_NUMBERS && numbers[i].number != number)
		i++;
	return i;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

bool series_row_is_reclaimable(const struct series_row *r)
{
	return begins(r->path, "user/page_cache") || begins(r->path, "user/buffers") ||
	       begins(r->path, "slab/reclaimable") || begins(r->path, "reclaimable");
}

void series_init(struct series *s, size_t moments)
{
	*s = (struct series){
		.cap = moments < SERIES_MOMENTS_MAX ? moments : SERIES_MOMENTS_MAX,
		.forget_at = FORGET_MIN,
	};
	intern_init(&s->paths);
	s->times_ns = calloc(s->cap + 1, sizeof(*s->times_ns));
	s->failed = !s->times_ns;
}

static void free_row(struct series_row *r)
{
	free(r->path);
	free(r->label);
	free(r->v);
	free(r->with);
}

void series_deinit(struct series *s)
{
	for (size_t i = 0; i < s->nr_rows; i++)
		free_row(&s->rows[i]);
	free(s->rows);
	free(s->times_ns);
	intern_deinit(&s->paths);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct series_row *new_row(struct series *s, const char *path, const char *label)
{
	struct series_row *v = array_room(s->rows, s->nr_rows, &s->rows_cap, sizeof(*v));

	if (!v) {
		s->failed = true;
		return NULL;
	}
	s->rows = v;
	v += s->nr_rows;
	*v = (struct series_row){
		.path = strdup(path),
		.label = strdup(label),
		.v = calloc(s->cap, sizeof(*v->v)),
	};
	if (!v->path || !v->label || !v->v) {
		free_row(v);
		s->failed = true;
		return NULL;
	}
	s->nr_rows++;
	return v;
}

/* The row with this path; it is created if necessary. NULL: there are too many. */
static struct series_row *row_of(struct series *s, const char *path, const char *label)
{
	const size_t len = strlen(path);
	uint32_t i = intern_find(&s->paths, path, len);

	if (i != INTERN_NONE)
		return &s->rows[i];
	if (s->nr_rows >= SERIES_ROWS_MAX) {
		s->nr_left_out++;
		return NULL;
	}
	if (intern_add(&s->paths, path, len) == INTERN_NONE) {
		s->failed = true;
		return NULL;
	}
	return new_row(s, path, label);
}

/* Rows of processes that have nothing in the latest snapshot. */
static void forget_ended(struct series *s)
{
	size_t nr = 0;

	intern_deinit(&s->paths);
	intern_init(&s->paths);
	for (size_t i = 0; i < s->nr_rows; i++) {
		struct series_row *r = &s->rows[i];

		if (r->is_process && !r->v[s->nr - 1]) {
			free_row(r);
			continue;
		}
		s->failed |= intern_add(&s->paths, r->path, strlen(r->path)) == INTERN_NONE;
		s->rows[nr++] = *r;
	}
	s->nr_rows = nr;
	s->forget_at = 2 * nr > FORGET_MIN ? 2 * nr : FORGET_MIN;
}

/* ---- lines of the balance -------------------------------------------------------------------- */

/* Objects in use of each cache, by the number of its name. */
struct caches {
	struct intern names;
	struct cache_use {
		int64_t bytes;
		uint64_t object_bytes;
	} * v;
	size_t cap;
	bool failed;
};

static void add_cache(struct caches *c, const struct slabinfo_cache *cache)
{
	const size_t nr = c->names.nr;
	struct cache_use *v;
	uint64_t bytes;

	if (__builtin_mul_overflow(cache->active, cache->object_bytes, &bytes) ||
	    bytes > SCAN_NUMBER_MAX ||
	    intern_find(&c->names, cache->name, strlen(cache->name)) != INTERN_NONE)
		return;
	v = array_room(c->v, nr, &c->cap, sizeof(*v));
	if (!v || intern_add_str(&c->names, cache->name) == INTERN_NONE) {
		c->v = v ? v : c->v;
		c->failed = true;
		return;
	}
	c->v = v;
	v[nr] = (struct cache_use){(int64_t)bytes, cache->object_bytes};
}

static void caches_init(struct caches *c, const struct where_texts *texts)
{
	const struct strbuf *text = &texts->v[WHERE_SLABINFO].text;
	struct slabinfo_cache cache;
	struct scan scan;

	*c = (struct caches){.v = NULL};
	intern_init(&c->names);
	scan_init(&scan, text->buf, text->len);
	while (!c->failed && scan_next(&scan))
		if (scan.line[0] != '#' && slabinfo_parse(scan.line, scan.len, &cache))
			add_cache(c, &cache);
}

static void caches_deinit(struct caches *c)
{
	intern_deinit(&c->names);
	free(c->v);
}

static void add_line(struct series *s, const struct balance *b, const struct balance_line *l,
		     const struct caches *caches)
{
	struct strbuf path = STRBUF_INIT, label = STRBUF_INIT;
	struct series_row *r = NULL;

	balance_add_path(b, l, false, "/", &path);
	balance_add_path(b, l, true, " > ", &label);
	s->failed |= path.failed || label.failed;
	if (!s->failed)
		r = row_of(s, path.buf, label.buf);
	if (r) {
		uint32_t i = l->depth == 3 && begins(path.buf, "slab/")
				     ? intern_find(&caches->names, l->id, strlen(l->id))
				     : INTERN_NONE;

		r->v[s->nr] = i == INTERN_NONE ? l->bytes : caches->v[i].bytes;
		r->object_bytes = i == INTERN_NONE ? 0 : caches->v[i].object_bytes;
	}
	strbuf_deinit(&path);
	strbuf_deinit(&label);
}

static void add_balance(struct series *s, const struct balance *b, const struct caches *caches)
{
	for (size_t i = 1; !s->failed && i < b->nr; i++)
		if (b->v[i].is_leaf)
			add_line(s, b, &b->v[i], caches);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Whether time ran out before all processes were examined. */
static bool is_incomplete(const struct holders *holders)
{
	const struct holder *h;
	size_t at = 0;

	while ((h = holders_next(holders, HOLDER_skipped, &at)))
		if (h->v[HOLDER_NR_late])
			return true;
	return false;
}

static int64_t previous(const struct series *s, const struct series_row *r)
{
	return s->nr ? r->v[s->nr - 1] : 0;
}

static void take_number(struct series *s, struct series_row *r, const struct holder *h, size_t n,
			const struct caches *caches)
{
	const bool is_lower_bound =
		h->v[HOLDER_NR_late] && h->v[numbers[n].number] < previous(s, r);
	const char *name = numbers[n].cache;
	uint32_t cache = INTERN_NONE;

	if (name)
		cache = intern_find(&caches->names, name, strlen(name));
	r->is_process = true;
	r->number = numbers[n].number;
	r->pid = (uint64_t)h->v[HOLDER_NR_pid];
	r->v[s->nr] = is_lower_bound ? previous(s, r) : h->v[numbers[n].number];
	r->counted = s->nr + 1;
	r->cache = cache == INTERN_NONE ? NULL : name;
	r->object_bytes = cache == INTERN_NONE ? 0 : caches->v[cache].object_bytes;
}

static void add_number(struct series *s, const struct holder *h, size_t n,
		       const struct caches *caches)
{
	struct strbuf path = STRBUF_INIT;
	struct series_row *r = NULL;

	/* the name, too: another process may have the pid later */
	strbuf_addf(&path, "process/%" PRId64 "/%s/%s", h->v[HOLDER_NR_pid],
		    holder_number_name(numbers[n].number), h->name);
	s->failed |= path.failed;
	if (!s->failed &&
	    (h->v[numbers[n].number] || intern_find(&s->paths, path.buf, path.len) != INTERN_NONE))
		r = row_of(s, path.buf, h->name);
	if (r)
		take_number(s, r, h, n, caches);
	strbuf_deinit(&path);
}

static void add_processes(struct series *s, const struct holders *holders,
			  const struct caches *caches)
{
	const bool incomplete = is_incomplete(holders);
	const struct holder *h;
	size_t at = 0;

	while (!s->failed && (h = holders_next(holders, HOLDER_process, &at)))
		for (size_t i = 0; i < NR_NUMBERS; i++)
			if (h->v[numbers[i].number] || incomplete)
				add_number(s, h, i, caches);
	for (size_t i = 0; incomplete && i < s->nr_rows; i++)
		if (s->rows[i].is_process && s->rows[i].counted <= s->nr &&
		    s->rows[i].counted + MISSED_MAX > s->nr)
			s->rows[i].v[s->nr] = previous(s, &s->rows[i]);
}

void series_add(struct series *s, uint64_t time_ns, const struct where_texts *texts,
		const struct partition *p)
{
	struct caches caches;

	if (s->failed || s->nr >= s->cap)
		return;
	caches_init(&caches, texts);
	s->failed |= caches.failed;
	add_balance(s, &p->balance, &caches);
	add_processes(s, &p->holders, &caches);
	caches_deinit(&caches);
	s->times_ns[s->nr] = time_ns;
	s->stop_wall_ns = source_facts_wall_clock_ns(&texts->facts);
	if (!s->nr++)
		s->start_wall_ns = s->stop_wall_ns;
	if (s->nr_rows >= s->forget_at || s->nr_rows >= SERIES_ROWS_MAX)
		forget_ended(s);
}

/* ---- what rises with a line ------------------------------------------------------------------ */

/* Whether a process can hold this memory by what the number counts. */
static bool can_hold(const struct series_row *line, size_t number)
{
	const char *of = numbers[number].of;

	if (of)
		return begins(line->path, of);
	return begins(line->path, "slab/") || begins(line->path, "vmalloc") ||
	       begins(line->path, "percpu") || begins(line->path, "kernel_stacks") ||
	       begins(line->path, "unaccounted");
}

/* Whether the line is the cache in which each counted thing has an object. */
static bool has_its_objects(const struct series_row *line, const struct series_row *process)
{
	const char *name = strrchr(line->path, '/');

	return process->cache && name && !strcmp(name + 1, process->cache);
}

/*
 * Whether the line grows by enough for the objects that the number counts. Lines other than their
 * cache must also grow alike: in the cache, other objects may come and go.
 */
static bool rises_with(const struct series_row *line, const struct series_row *process)
{
	const double object_bytes =
		holder_number_unit(process->number) ? (double)line->object_bytes : 0;

	return line->trend.per_hour >= PART_MIN * object_bytes * process->trend.per_hour &&
	       (has_its_objects(line, process) ||
		trend_correlation(&process->trend, &line->trend) >= TOGETHER);
}

struct named {
	const struct series_row *v[NAMED];
	size_t nr;
};

/* Keep the largest growths, one of each process: the first one, unless another is much larger. */
static void keep(struct named *n, const struct series_row *r)
{
	size_t at;

	for (size_t i = 0; i < n->nr; i++) {
		if (n->v[i]->pid != r->pid)
			continue;
		if (r->trend.risen / 2 < n->v[i]->trend.risen)
			return;
		n->nr--;
		memmove(&n->v[i], &n->v[i + 1], (n->nr - i) * sizeof(n->v[0]));
		break;
	}
	for (at = n->nr; at && n->v[at - 1]->trend.risen < r->trend.risen; at--)
		if (at < NAMED)
			n->v[at] = n->v[at - 1];
	if (at < NAMED)
		n->v[at] = r;
	n->nr += n->nr < NAMED;
}

static void name_processes(struct series *s, struct series_row *line,
			   const struct series_row *const *steady, size_t nr_steady)
{
	struct strbuf with = STRBUF_INIT;
	struct named named = {.nr = 0};
	char text[UNITS_BUF];

	for (size_t n = 0; n < NR_NUMBERS; n++)
		for (size_t i = 0; i < nr_steady && can_hold(line, n); i++)
			if (steady[i]->number == numbers[n].number && rises_with(line, steady[i]))
				keep(&named, steady[i]);
	for (size_t i = 0; i < named.nr; i++) {
		const struct series_row *r = named.v[i];
		const char *unit = holder_number_unit(r->number);

		strbuf_addf(&with, "%s%s %" PRIu64, i ? ", " : "", r->label, r->pid);
		if (unit)
			strbuf_addf(&with, " (+%" PRId64 " %s)", r->trend.risen, unit);
		else
			strbuf_addf(&with, " (+%s)",
				    units_bytes(text, sizeof(text), (uint64_t)r->trend.risen));
	}
	s->failed |= with.failed;
	line->with = with.len && !with.failed ? strbuf_detach(&with) : NULL;
	strbuf_deinit(&with);
}

void series_finish(struct series *s)
{
	const struct series_row **steady = calloc(s->nr_rows + 1, sizeof(*steady));
	size_t nr = 0;

	s->failed |= !steady;
	for (size_t i = 0; !s->failed && s->nr && i < s->nr_rows; i++) {
		struct series_row *r = &s->rows[i];

		trend_init(&r->trend, r->v, s->times_ns, s->nr);
		if (r->is_process && trend_is_steady(&r->trend))
			steady[nr++] = r;
	}
	for (size_t i = 0; !s->failed && i < s->nr_rows; i++)
		if (!s->rows[i].is_process && trend_is_steady(&s->rows[i].trend) &&
		    !series_row_is_reclaimable(&s->rows[i]))
			name_processes(s, &s->rows[i], steady, nr);
	free(steady);
}
