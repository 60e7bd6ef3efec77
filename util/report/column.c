// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/column.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/cli/similar.h"
#include "util/report/column_list.h"

uint64_t row_hits(const struct row_view *row)
{
	return row->live ? row->counts->live_hits : row->counts->hits;
}

uint64_t row_bytes(const struct row_view *row)
{
	return row->live ? row->counts->live_bytes : row->counts->bytes_alloc;
}

uint64_t row_bytes_req(const struct row_view *row)
{
	return row->live ? row->counts->live_bytes_req : row->counts->bytes_req;
}

uint64_t row_key(const struct row_view *row, enum kmem_key key)
{
	for (unsigned int i = 0; i < row->table->nr_by; i++)
		if (row->table->by[i] == key)
			return row->key[i];
	return key == KEY_CALLSITE ? row->counts->last_callsite : 0;
}

static double frag_percent(const struct row_view *row)
{
	return stat_fragmentation_percent(row_bytes_req(row), row_bytes(row));
}

static uint64_t bytes_per_hit(const struct row_view *row)
{
	return row_hits(row) ? row_bytes(row) / row_hits(row) : 0;
}

static uint64_t mean_lifetime(const struct stat_counts *c)
{
	return c->freed_hits ? c->lifetime_ns / c->freed_hits : 0;
}

static double short_percent(const struct stat_counts *c)
{
	return c->freed_hits ? 100.0 * (double)c->short_lived / (double)c->freed_hits : 0.0;
}

static uint64_t percentile(const struct row_view *row, unsigned int percent)
{
	return row->lifetimes ? lifetime_histogram_percentile(row->lifetimes, percent) : 0;
}

/* A rate over the latest interval. */
static uint64_t per_second(const struct row_view *row, uint64_t v)
{
	uint64_t ns = row->interval_ns;

	return ns ? units_round((double)v * 1e9 / (double)ns) : 0;
}

/* Nothing is known to be live before the first interval. */
uint64_t row_growth(const struct row_view *row)
{
	const uint64_t *live = row->recent->live;
	double change = (double)live[RECENT_MOMENTS - 1] - (double)live[0];
	double seconds = (double)row->history_ns / 1e9;
	uint64_t rate = seconds > 0 ? units_round(fabs(change) / seconds) : 0;

	return change < 0 ? -rate : rate;
}

#define FIGURE_FN(type, id, expression)                                                            \
	static type value_##id(const struct row_view *row)                                         \
	{                                                                                          \
		const struct stat_counts *c = row->counts;                                         \
                                                                                                   \
		(void)c;                                                                           \
		return expression;                                                                 \
	}
#define WHOLE_FN(id, name, heading, json, allocator, kind, sum, value)                             \
	FIGURE_FN(uint64_t, id, value)
#define PERCENT_FN(id, name, heading, json, allocator, value) FIGURE_FN(double, id, value)
COLUMN_FIGURES(WHOLE_FN, PERCENT_FN)

enum { ADDS_UP_SUM = true, ADDS_UP_LEVEL = false, ADDS_UP_NOT = false, ADDS_UP_NOW = false };
enum { ROWS_SUM = true, ROWS_LEVEL = true, ROWS_NOT = false, ROWS_NOW = false };
enum {
	IS_RECENT_SUM = false,
	IS_RECENT_LEVEL = false,
	IS_RECENT_NOT = false,
	IS_RECENT_NOW = true
};

#define KEY_COLUMN(id, name, allocator, kind, heading, ...)                                        \
	{name,	heading, name, ALLOCATOR_##allocator, COLUMN_KEY, KEY_##id, NULL, NULL,            \
	 false, false,	 false},
#define WHOLE_COLUMN(id, name, heading, json, allocator, kind, sum, value)                         \
	{                                                                                          \
		name,	       heading,	   json,	   ALLOCATOR_##allocator,                  \
		COLUMN_##kind, KEY_NR,	   value_##id,	   NULL,                                   \
		ADDS_UP_##sum, ROWS_##sum, IS_RECENT_##sum},
#define PERCENT_COLUMN(id, name, heading, json, allocator, value)                                  \
	{name,	heading, json, ALLOCATOR_##allocator, COLUMN_PERCENT, KEY_NR, NULL, value_##id,    \
	 false, false,	 false},

/* Each key is a column, too. */
static const struct column columns[] = {KMEM_KEYS(KEY_COLUMN)
						COLUMN_FIGURES(WHOLE_COLUMN, PERCENT_COLUMN)};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

const struct column *column_at(size_t i)
{
	return i < NR_COLUMNS ? &columns[i] : NULL;
}

/* Names that users are likely to type. Those used in JSON are accepted anyway. */
static const struct {
	const char *alias, *name;
} aliases[] = {
	{"command", "comm"},	    {"process", "pid"},
	{"thread", "tid"},	    {"function", "callsite"},
	{"symbol", "callsite"},	    {"caller", "callsite"},
	{"call_site", "callsite"},  {"callchain", "stack"},
	{"object", "ptr"},	    {"pfn", "page"},
	{"migratetype", "migtype"}, {"migrate_type", "migtype"},
	{"gfp_flags", "gfp"},	    {"count", "hit"},
	{"ping-pong", "pingpong"},  {"fragmentation", "frag"},
	{"requested", "req"},	    {"live-hits", "live-hit"},
	{"live-bytes", "live"},	    {"mean-lifetime", "lifetime"},
	{"median", "p50"},
};

static bool is_named(const char *known, const char *name, size_t len)
{
	return strlen(known) == len && !memcmp(known, name, len);
}

const struct column *column_find(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (is_named(columns[i].name, name, len) || is_named(columns[i].json, name, len))
			return &columns[i];
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (is_named(aliases[i].alias, name, len))
			return column_find(aliases[i].name, strlen(aliases[i].name));
	return NULL;
}

const char *column_similar(const char *name, size_t len, bool keys)
{
	struct similar similar;

	similar_init(&similar, name, len);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (!columns[i].is_recent && (!keys || columns[i].kind == COLUMN_KEY))
			similar_try(&similar, columns[i].name, strlen(columns[i].name));
	return similar.best;
}

bool column_fits(const struct column *c, const enum kmem_key *by, unsigned int nr_by)
{
	for (unsigned int i = 0; i < nr_by; i++) {
		bool has_callsite = by[i] == KEY_PTR || by[i] == KEY_PAGE || by[i] == KEY_STACK;

		if (by[i] == c->key || (has_callsite && c->key == KEY_CALLSITE))
			return true;
	}
	return c->kind != COLUMN_KEY;
}

bool column_needs_lifetimes(const struct column *c)
{
	return c->value == value_P50 || c->value == value_P99;
}

const struct column *column_of_key(enum kmem_key key)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (columns[i].kind == COLUMN_KEY && columns[i].key == key)
			return &columns[i];
	return NULL;
}

int column_compare(const struct column *c, const struct row_view *a, const struct row_view *b)
{
	if (c->kind == COLUMN_KEY)
		return kmem_key_compare(c->key, a->table->names, row_key(a, c->key),
					row_key(b, c->key));
	if (c->kind == COLUMN_PERCENT) {
		double va = c->percent(a), vb = c->percent(b);

		return (va > vb) - (va < vb);
	} else if (c->kind == COLUMN_CHANGE) {
		int64_t va = (int64_t)c->value(a), vb = (int64_t)c->value(b);

		return (va > vb) - (va < vb);
	} else {
		uint64_t va = c->value(a), vb = c->value(b);

		return (va > vb) - (va < vb);
	}
}

static int unknown_column(const char *name, size_t len, struct error *err)
{
	const char *similar = column_similar(name, len, false);

	if (similar)
		return error_set(err, EINVAL, "unknown key '%.*s', did you mean '%s'?", (int)len,
				 name, similar);
	return error_set(err, EINVAL, "unknown key '%.*s'", (int)len, name);
}

int column_list_parse(struct column_list *l, const char *text, struct error *err)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		const struct column *c = column_find(text, len);

		if (!c)
			return unknown_column(text, len, err);
		if (c->is_recent)
			return error_set(err, EINVAL,
					 "'%s' is a per-interval rate, available only in top",
					 c->name);
		if (l->nr == COLUMNS_MAX)
			return error_set(err, E2BIG, "more than %d keys", COLUMNS_MAX);
		l->v[l->nr++] = c;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
