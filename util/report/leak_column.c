// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/leak_column.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/report/cell.h"
#include "util/report/key_format.h"

void leak_sparkline(struct strbuf *sb, const uint64_t live_bytes[HISTORY_MOMENTS])
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	uint64_t most = 0;

	for (int i = 0; i < HISTORY_MOMENTS; i++)
		most = live_bytes[i] > most ? live_bytes[i] : most;
	for (int i = 0; i < HISTORY_MOMENTS; i++)
		strbuf_addstr(
			sb,
			!live_bytes[i]
				? blocks[0]
				: blocks[1 + (int)(7.5 * (double)live_bytes[i] / (double)most)]);
}

/* Functions of a figure that is a number: how it compares, and both ways of writing it. */
#define PLAIN_FIGURE(name, value, format)                                                          \
	static void name##_plain(struct strbuf *sb, const struct leak_cell *c,                     \
				 const struct leak_row *r)                                         \
	{                                                                                          \
		(void)c;                                                                           \
		strbuf_addf(sb, format, r->value);                                                 \
	}
#define NUMBER_FIGURE(name, value, add_text, format)                                               \
	static int name##_compare(const struct leak_row *a, const struct leak_row *b)              \
	{                                                                                          \
		return ((a->value) > (b->value)) - ((a->value) < (b->value));                      \
	}                                                                                          \
	static void name##_text(struct strbuf *sb, const struct leak_cell *c,                      \
				const struct leak_row *r)                                          \
	{                                                                                          \
		(void)c;                                                                           \
		add_text;                                                                          \
	}                                                                                          \
	PLAIN_FIGURE(name, value, format)

static void add_growth(struct strbuf *sb, int64_t growth)
{
	char text[UNITS_BUF];
	uint64_t bytes = growth < 0 ? -(uint64_t)growth : (uint64_t)growth;

	if (bytes)
		strbuf_addf(sb, "%c%s", growth < 0 ? '-' : '+',
			    units_bytes(text, sizeof(text), bytes));
	else
		strbuf_addstr(sb, "0");
}

NUMBER_FIGURE(bytes, bytes, cell_add_bytes(sb, c->o, r->bytes), "%" PRIu64)
NUMBER_FIGURE(hits, hits, cell_add_grouped(sb, c->o, r->hits), "%" PRIu64)
/* of what neither leaks nor grows it says little */
NUMBER_FIGURE(growth, growth,
	      leak_behaviour_is_leak(r->behaviour) ? add_growth(sb, r->growth)
						   : strbuf_addch(sb, '-'),
	      "%" PRId64)
NUMBER_FIGURE(oldest, oldest_ns, cell_add_duration(sb, r->oldest_ns), "%" PRIu64)
NUMBER_FIGURE(youngest, youngest_ns, cell_add_duration(sb, r->youngest_ns), "%" PRIu64)
NUMBER_FIGURE(confidence, evidence.confidence,
	      strbuf_addstr(sb, leak_confidence_word(r->evidence.confidence)), "%.3f")
PLAIN_FIGURE(owner_pid, owner.pid, "%" PRId64)
PLAIN_FIGURE(owner_hits, owner.hits, "%" PRIu64)
PLAIN_FIGURE(owner_bytes, owner.bytes, "%" PRIu64)

/* Leaking is the largest. */
static int behaviour_compare(const struct leak_row *a, const struct leak_row *b)
{
	return (int)b->behaviour - (int)a->behaviour;
}

static void behaviour_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	strbuf_addstr(sb, leak_behaviour_name(r->behaviour));
}

static void evidence_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	strbuf_addstr(sb, leak_confidence_word(r->evidence.confidence));
}

static void reason_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	strbuf_addstr(sb, leak_reason_text(r->evidence.reason));
}

static void use_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	strbuf_addstr(sb, leak_use_name(r->use));
}

static void owner_comm_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	key_format_exact(sb, c->a, KEY_COMM, r->owner.comm);
}

/* "leaker-1234", and how many, when others hold some, too */
static void owner_text(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	key_format_text(sb, c->a, KEY_COMM, r->owner.comm, false);
	strbuf_addf(sb, "-%" PRId64, (int64_t)r->owner.pid);
	if (r->owner.hits == r->hits)
		return;
	strbuf_addstr(sb, " (");
	cell_add_grouped(sb, c->o, r->owner.hits);
	strbuf_addch(sb, ')');
}

static void live_text(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	leak_sparkline(sb, r->history.live_bytes);
}

static void live_plain(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r)
{
	(void)c;
	for (int i = 0; i < HISTORY_MOMENTS; i++)
		strbuf_addf(sb, "%s%" PRIu64, i ? " " : "", r->history.live_bytes[i]);
}

/* In text what stands right is left out first. */
static const struct leak_column columns[] = {
	{"behaviour", "Behaviour", "behaviour", 0, behaviour_compare, behaviour_plain,
	 behaviour_plain},
	{"evidence", "Evidence", "evidence", 0, confidence_compare, confidence_text,
	 evidence_plain},
	{"bytes", "Bytes", "bytes", 0, bytes_compare, bytes_text, bytes_plain},
	{"hit", "Count", "hits", 0, hits_compare, hits_text, hits_plain},
	{NULL, "Held by", NULL, 3, NULL, owner_text, NULL},
	{"growth", "Growth/s", "growth_bytes_per_second", 0, growth_compare, growth_text,
	 growth_plain},
	{NULL, "Live over time", "live_bytes", 0, NULL, live_text, live_plain},
	{"oldest", "Oldest", "oldest_ns", 0, oldest_compare, oldest_text, oldest_plain},
	{"youngest", "Youngest", "youngest_ns", 0, youngest_compare, youngest_text, youngest_plain},
	{NULL, NULL, "confidence", 0, NULL, NULL, confidence_plain},
	{NULL, NULL, "reason", 0, NULL, NULL, reason_plain},
	{NULL, NULL, "use", 0, NULL, NULL, use_plain},
	{NULL, NULL, "owner_comm", 0, NULL, NULL, owner_comm_plain},
	{NULL, NULL, "owner_pid", 0, NULL, NULL, owner_pid_plain},
	{NULL, NULL, "owner_hits", 0, NULL, NULL, owner_hits_plain},
	{NULL, NULL, "owner_bytes", 0, NULL, NULL, owner_bytes_plain},
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

const struct leak_column *leak_column_at(size_t i)
{
	return i < NR_COLUMNS ? &columns[i] : NULL;
}

static const struct leak_column *find(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (columns[i].name && strlen(columns[i].name) == len &&
		    !strncmp(columns[i].name, name, len))
			return &columns[i];
	return NULL;
}

static int unknown(const char *name, size_t len, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (columns[i].name)
			strbuf_addf(&known, " %s", columns[i].name);
	ret = error_set(err, EINVAL,
			"leak does not sort by '%.*s' (it does by:%s, and by any key of --by)",
			(int)len, name, known.buf);
	strbuf_deinit(&known);
	return ret;
}

int leak_sort_parse(struct leak_sort *sort, const char *text, struct error *err)
{
	for (;;) {
		struct leak_sort_key k = {.ascending = text[0] == '-', .key = KEY_NR};
		size_t len;

		text += k.ascending;
		len = strcspn(text, ",");
		k.column = find(text, len);
		if (!k.column)
			k.key = kmem_key_find(text, len);
		if (!k.column && k.key == KEY_NR)
			return unknown(text, len, err);
		if (sort->nr == LEAK_SORT_MAX)
			return error_set(err, E2BIG, "more than %d sort keys", LEAK_SORT_MAX);
		sort->v[sort->nr++] = k;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

int leak_sort_check(const struct leak_sort *sort, const enum kmem_key *by, unsigned int nr_by,
		    struct error *err)
{
	for (unsigned int i = 0; i < sort->nr; i++) {
		unsigned int k = 0;

		while (k < nr_by && by[k] != sort->v[i].key)
			k++;
		if (!sort->v[i].column && k == nr_by)
			return error_set(err, EINVAL,
					 "leak cannot sort by %s: its rows are not grouped by it "
					 "(--by)",
					 kmem_key_name(sort->v[i].key));
	}
	return 0;
}

struct sorting {
	const struct leak_rows *rows;
	const struct leak_sort *sort;
	const struct kmem_analysis *a;
};

static int compare_keys(const struct sorting *s, enum kmem_key key, const struct leak_row *a,
			const struct leak_row *b)
{
	for (unsigned int i = 0; i < s->rows->nr_by; i++)
		if (s->rows->by[i] == key)
			return kmem_key_compare(key, &s->a->naming.names, a->key[i], b->key[i]);
	return 0;
}

/* Equal ones in the order of what they are grouped by. */
static int compare(const void *x, const void *y, void *ctx)
{
	const struct leak_row *a = x, *b = y;
	const struct sorting *s = ctx;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < s->sort->nr; i++) {
		const struct leak_sort_key *k = &s->sort->v[i];

		ret = k->column ? k->column->compare(a, b) : compare_keys(s, k->key, a, b);
		ret = k->ascending ? ret : -ret;
	}
	for (unsigned int i = 0; !ret && i < s->rows->nr_by; i++)
		ret = compare_keys(s, s->rows->by[i], a, b);
	return ret;
}

void leak_sort_rows(struct leak_rows *rows, const struct leak_sort *sort,
		    const struct kmem_analysis *a)
{
	struct sorting s = {rows, sort, a};

	if (sort->nr && rows->nr)
		qsort_r(rows->v, rows->nr, sizeof(*rows->v), compare, &s);
}
