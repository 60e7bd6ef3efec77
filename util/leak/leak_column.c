// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_column.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/kmem/source_checks.h"
#include "util/report/key_column.h"

/* Minimum width of key names: in a narrow terminal, figures without a `keep` are dropped rather
 * than cut them further. */
#define NAME_WIDTH    20
#define NAME_SHORTEST 12
/* Call sites are cut last, after caches and owners. */
#define CALLSITE_CUT 5

/* ---- figures --------------------------------------------------------------------------------- */

/* Data that a column needs to be shown in text output. */
enum leak_need { NEEDS_NOTHING, NEEDS_CLASSES, NEEDS_FREES, NEEDS_TIMES, NEEDS_OWNERS };

struct leak_column {
	const char *name;   /* for --sort; NULL: not sortable */
	unsigned int place; /* its place in structured output; 0: after the numbered ones */
	enum leak_need needs;
	struct document_column column;
	int (*compare)(const struct leak_row *a, const struct leak_row *b); /* NULL: by value */
};

#define CELL(name, expression)                                                                     \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const struct leak_row *r = cell->row;                                              \
                                                                                                   \
		return expression;                                                                 \
	}

CELL(hits, value_u64(r->hits))
CELL(bytes, value_bytes(r->bytes))
CELL(oldest, value_ns_if(r->oldest_ns, r->oldest_ns))
CELL(youngest, value_ns_if(r->oldest_ns, r->youngest_ns))
CELL(confidence, r->frees_unknown ? value_none() : value_real(r->evidence.confidence, 3, 3))
CELL(evidence,
     r->frees_unknown ? value_none() : value_text(leak_confidence_word(r->evidence.confidence)))
CELL(finding, r->finding ? value_u64(r->finding) : value_none())
CELL(reason,
     value_text(r->evidence.reason == LEAK_SURE ? NULL : leak_reason_text(r->evidence.reason)))
CELL(use, value_text(leak_use_name(r->use)))
CELL(owner_pid, value_signed_id((int64_t)r->owner.pid))
CELL(owner_hits, value_u64(r->owner.hits))
CELL(owner_bytes, value_u64(r->owner.bytes))
CELL(live_bytes, value_numbers(r->history.live_bytes, HISTORY_MOMENTS))
CELL(cohort_allocations, value_numbers(r->history.allocs, HISTORY_MOMENTS))
CELL(cohort_live, value_numbers(r->history.survivors, HISTORY_MOMENTS))

static bool is_leaking(const struct leak_row *r)
{
	return r->use == LEAK_KERNEL && leak_behaviour_is_leak(r->behaviour);
}

enum value_role leak_behaviour_role(enum leak_behaviour b)
{
	if (!leak_behaviour_is_leak(b))
		return ROLE_PLAIN;
	return b == LEAK_LEAKING ? ROLE_ALARM : ROLE_CAUTION;
}

/* Only memory of the kernel can leak. */
static enum value_role role_of(const struct leak_row *r)
{
	return is_leaking(r) ? leak_behaviour_role(r->behaviour) : ROLE_PLAIN;
}

static struct value behaviour(const struct document_cell *cell)
{
	const struct leak_row *r = cell->row;
	struct value v = value_text(leak_behaviour_name(r->behaviour));

	v.role = role_of(r);
	return v;
}

CELL(leaking_bytes, value_bytes(is_leaking(r) ? r->bytes : 0))
CELL(leaking_hits, value_u64(is_leaking(r) ? r->hits : 0))

struct value leak_growth_value(int64_t growth, struct strbuf *scratch)
{
	struct value v = value_bytes_change(growth);
	char text[UNITS_BUF];
	uint64_t rate = growth < 0 ? -(uint64_t)growth : (uint64_t)growth;

	if (rate)
		strbuf_addf(scratch, "%c%s", growth < 0 ? '-' : '+',
			    units_bytes(text, sizeof(text), rate));
	else
		strbuf_addch(scratch, '0');
	v.shown = scratch->buf;
	return v;
}

/* Memory that is not the kernel's own is named by its use instead. */
static struct value root(const struct document_cell *cell)
{
	const struct leak_row *r = cell->row;

	return value_text(r->use == LEAK_KERNEL ? leak_behaviour_name(r->behaviour)
						: leak_use_name(r->use));
}

const struct document_column leak_folded_root = {.value = root};
const struct document_column leak_folded_weight = {.value = bytes};

/* Growth is only meaningful for rows that leak or grow. */
static struct value growth(const struct document_cell *cell)
{
	const struct leak_row *r = cell->row;
	struct value v = value_i64(r->growth);

	if (leak_behaviour_is_leak(r->behaviour))
		v = leak_growth_value(r->growth, cell->scratch);
	else
		v.shown = "-";
	v.role = role_of(r);
	return v;
}

static const char *owner_name(const struct report_context *context, const struct leak_row *r)
{
	return intern_get(&context->naming->names.strings, r->owner.comm, NULL);
}

/* Whether the source has the row's owner. */
static bool has_owner(const struct report_context *context, const struct leak_row *r)
{
	return r->owner.pid || strcmp(owner_name(context, r), "unknown") != 0;
}

static struct value owner_comm(const struct document_cell *cell)
{
	return value_text(owner_name(cell->context, cell->row));
}

/* "leaker-1234", and the number of its objects if it does not hold all of them; a dash if the
 * source has no owners */
static struct value held_by(const struct document_cell *cell)
{
	const struct report_context *context = cell->context;
	const struct leak_row *r = cell->row;
	char digits[UNITS_BUF];

	if (!has_owner(context, r))
		return value_none();
	strbuf_addf(cell->scratch, "%s-%" PRId64, owner_name(context, r), (int64_t)r->owner.pid);
	if (r->owner.hits != r->hits)
		strbuf_addf(cell->scratch, " (%s)", report_number(context, digits, r->owner.hits));
	return value_text(cell->scratch->buf);
}

/* Leaking sorts as the largest. */
static int by_behaviour(const struct leak_row *a, const struct leak_row *b)
{
	return (int)b->behaviour - (int)a->behaviour;
}

static int by_confidence(const struct leak_row *a, const struct leak_row *b)
{
	return (a->evidence.confidence > b->evidence.confidence) -
	       (a->evidence.confidence < b->evidence.confidence);
}

/* One a line, in the order of the text's columns. */
static const struct leak_column figures[] = {
	/* clang-format off */
	{"behaviour", 5, NEEDS_CLASSES, {"behaviour", "Behaviour", .value = behaviour, .keep = 3}, by_behaviour},
	{"evidence", 8, NEEDS_FREES, {"evidence", "Evidence", .value = evidence}, by_confidence},
	{"bytes", 2, NEEDS_NOTHING, {"bytes", "Bytes", .value = bytes, .keep = 5, .adds_up = true, .sample = "inuse_space"}},
	{"hit", 1, NEEDS_NOTHING, {"hits", "Count", .value = hits, .adds_up = true, .sample = "inuse_objects"}},
	{NULL, 0, NEEDS_OWNERS, {NULL, "Held by", .value = held_by, .is_name = true, .cut = 4, .keep = 2}},
	{"growth", 6, NEEDS_FREES, {"growth_bytes_per_second", "Growth/s", .value = growth, .keep = 4}},
	{NULL, 15, NEEDS_TIMES, {"live_bytes", "Live over time", .value = live_bytes}},
	{"oldest", 3, NEEDS_TIMES, {"oldest_ns", "Oldest", .value = oldest}},
	{"youngest", 4, NEEDS_TIMES, {"youngest_ns", "Youngest", .value = youngest}},
	{NULL, 7, NEEDS_NOTHING, {"confidence", .value = confidence}},
	{NULL, 9, NEEDS_NOTHING, {"reason", .value = reason, .below = true}},
	{NULL, 10, NEEDS_NOTHING, {"use", .value = use}},
	{NULL, 11, NEEDS_NOTHING, {"comm", .value = owner_comm, .group = "owner"}},
	{NULL, 12, NEEDS_NOTHING, {"pid", .value = owner_pid, .group = "owner"}},
	{NULL, 13, NEEDS_NOTHING, {"hits", .value = owner_hits, .group = "owner"}},
	{NULL, 14, NEEDS_NOTHING, {"bytes", .value = owner_bytes, .group = "owner"}},
	{NULL, 16, NEEDS_NOTHING, {"cohort_allocations", .value = cohort_allocations, .audience = FOR_PROGRAMS}},
	{NULL, 17, NEEDS_NOTHING, {"cohort_live", .value = cohort_live, .audience = FOR_PROGRAMS}},
	{NULL, 18, NEEDS_NOTHING, {"finding", .value = finding}},
	{NULL, 0, NEEDS_NOTHING, {.value = leaking_bytes, .sample = "leaking_space", .audience = FOR_GRAPHS}},
	{NULL, 0, NEEDS_NOTHING, {.value = leaking_hits, .sample = "leaking_objects", .audience = FOR_GRAPHS}},
	/* clang-format on */
};

#define NR_FIGURES (sizeof(figures) / sizeof(figures[0]))

/* ---- columns --------------------------------------------------------------------------------- */

/* Returns the key's index in the rows' keys, or nr_by. */
static unsigned int index_of(const struct leak_rows *rows, enum kmem_key key)
{
	unsigned int i = 0;

	while (i < rows->nr_by && rows->by[i] != key)
		i++;
	return i;
}

/* The frames below the row, without the call site, which the row itself shows. */
static struct value frames_below(const struct document_cell *cell)
{
	const struct report_context *context = cell->context;
	const struct leak_rows *rows = cell->column->arg;
	const struct leak_row *r = cell->row;
	unsigned int callsite = index_of(rows, KEY_CALLSITE);
	bool skip = callsite < rows->nr_by && r->key[callsite];
	struct value v =
		key_value(context->naming, KEY_STACK, r->key[cell->column->index], cell->scratch);

	if (v.stack.nr <= skip)
		return value_none();
	v.stack.frames += skip;
	v.stack.nr -= skip;
	return v;
}

/* The callchain, or else the call site. */
static struct value frames(const struct document_cell *cell)
{
	const struct report_context *context = cell->context;
	const struct leak_rows *rows = cell->column->arg;
	const struct leak_row *r = cell->row;
	unsigned int callsite = index_of(rows, KEY_CALLSITE);
	struct value v =
		key_value(context->naming, KEY_STACK, r->key[cell->column->index], cell->scratch);

	if (v.stack.nr || callsite == rows->nr_by)
		return v;
	return key_value(context->naming, KEY_CALLSITE, r->key[callsite], cell->scratch);
}

/* The call site is the innermost frame of a callchain. */
static void add_keys_for_graphs(struct document_columns *columns, const struct naming *n,
				const struct leak_rows *rows)
{
	bool has_stacks = index_of(rows, KEY_STACK) < rows->nr_by;

	for (unsigned int i = 0; i < rows->nr_by; i++) {
		struct document_column column = key_column(n, rows->by[i], i);

		column.audience = FOR_GRAPHS;
		if (rows->by[i] == KEY_STACK) {
			column.value = frames;
			column.arg = rows;
		}
		if (rows->by[i] != KEY_CALLSITE || !has_stacks)
			document_columns_add(columns, &column);
	}
}

/* Whether a key is shown in text output: not if all rows have the same value. */
static bool is_told(const struct report_context *context, const struct leak_rows *rows,
		    enum kmem_key key)
{
	const struct source_facts *facts = context->facts;

	/* in a source with several parts, the slab rows may have caches only */
	if (key == KEY_CALLSITE && facts->slab_by && index_of(rows, KEY_CACHE) < rows->nr_by)
		return false;
	return source_tells_key(facts, key);
}

static void add_keys_for_people(struct document_columns *columns,
				const struct report_context *context, const struct leak_rows *rows)
{
	for (unsigned int i = 0; i < rows->nr_by; i++) {
		struct document_column column = key_column(context->naming, rows->by[i], i);

		if (rows->by[i] == KEY_STACK || !is_told(context, rows, rows->by[i]))
			continue;
		column.audience = FOR_PEOPLE;
		column.width = NAME_WIDTH;
		column.shortest = NAME_SHORTEST;
		if (rows->by[i] == KEY_CALLSITE) {
			column.heading = "Call site";
			column.cut = CALLSITE_CUT;
		}
		document_columns_add(columns, &column);
	}
}

static bool is_known(enum leak_need need, const struct report_context *context,
		     const struct leak_rows *rows)
{
	if (need == NEEDS_FREES)
		return !rows->frees_unknown;
	if (need == NEEDS_CLASSES)
		return !rows->frees_unknown || rows->totals[LEAK_RECLAIMABLE].rows;
	for (size_t i = 0; i < rows->nr; i++)
		if (need == NEEDS_TIMES ? rows->v[i].oldest_ns != 0
					: has_owner(context, &rows->v[i]))
			return true;
	return false;
}

static void add_figures(struct document_columns *columns, const struct report_context *context,
			const struct leak_rows *rows)
{
	for (size_t i = 0; i < NR_FIGURES; i++) {
		struct document_column column = figures[i].column;

		if (figures[i].needs && !is_known(figures[i].needs, context, rows)) {
			if (!column.id)
				continue;
			column.audience = FOR_DATA;
		}
		document_columns_add(columns, &column);
	}
}

/* In the established order of the JSON keys. */
static void add_figures_by_place(struct document_columns *columns)
{
	for (size_t place = 1; place <= NR_FIGURES; place++)
		for (size_t i = 0; i < NR_FIGURES; i++)
			if (figures[i].place == place)
				document_columns_add(columns, &figures[i].column);
	for (size_t i = 0; i < NR_FIGURES; i++)
		if (!figures[i].place)
			document_columns_add(columns, &figures[i].column);
}

#define METRICS_COLUMNS 7

static const struct document_metric metric_bytes = {
	"leak_bytes", "Live bytes, with the verdict of perf kmem leak as labels."};
static const struct document_metric metric_objects = {
	"leak_objects", "Live objects, with the verdict of perf kmem leak as labels."};
static const struct document_metric metric_growth = {
	"leak_growth_bytes_per_second", "Growth of the live bytes, with the verdict as labels."};

/* The owner of a suspect. That of other rows changes all the time, and each would be a series. */
static struct value suspect_owner(const struct document_cell *cell)
{
	const struct leak_row *r = cell->row;

	return leak_behaviour_is_leak(r->behaviour) ? owner_comm(cell) : value_none();
}

/* Add the metrics. The verdict is in the labels. */
static void add_metrics(struct document_columns *columns, const struct report_context *context,
			const struct leak_rows *rows)
{
	static const struct document_column verdict[] = {
		{"behaviour", .value = behaviour, .audience = FOR_METRICS},
		{"evidence", .value = evidence, .audience = FOR_METRICS},
		{"use", .value = use, .audience = FOR_METRICS},
		{"owner", .value = suspect_owner, .audience = FOR_METRICS},
		{"bytes", .value = bytes, .metric = &metric_bytes, .audience = FOR_METRICS},
		{"hits", .value = hits, .metric = &metric_objects, .audience = FOR_METRICS},
		{"growth", .value = growth, .metric = &metric_growth, .audience = FOR_METRICS},
	};

	key_columns_add(columns, context->naming, rows->by, rows->nr_by, FOR_METRICS);
	document_columns_add_all(columns, verdict, NR_OF(verdict));
}

void leak_columns_init(struct document_columns *columns, struct document *d,
		       const struct report_context *context, const struct leak_rows *rows)
{
	const struct document_column below = {.value = frames_below,
					      .below = true,
					      .arg = rows,
					      .index = index_of(rows, KEY_STACK)};

	document_columns_init(columns, d, NR_FIGURES + 5 * STAT_KEYS_MAX + METRICS_COLUMNS);
	add_keys_for_people(columns, context, rows);
	key_columns_add(columns, context->naming, rows->by, rows->nr_by, FOR_SHEETS);
	key_columns_add(columns, context->naming, rows->by, rows->nr_by, FOR_PROGRAMS);
	add_keys_for_graphs(columns, context->naming, rows);
	add_metrics(columns, context, rows);
	if (d->audience == FOR_PROGRAMS)
		add_figures_by_place(columns);
	else
		add_figures(columns, context, rows);
	if (below.index < rows->nr_by)
		document_columns_add(columns, &below);
}

/* ---- order ----------------------------------------------------------------------------------- */

static const struct leak_column *find(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_FIGURES; i++)
		if (figures[i].name && strlen(figures[i].name) == len &&
		    !strncmp(figures[i].name, name, len))
			return &figures[i];
	return NULL;
}

static int unknown(const char *name, size_t len, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < NR_FIGURES; i++)
		if (figures[i].name)
			strbuf_addf(&known, " %s", figures[i].name);
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
	const struct naming *naming;
	struct strbuf scratch;
};

static int compare_keys(const struct sorting *s, enum kmem_key key, const struct leak_row *a,
			const struct leak_row *b)
{
	unsigned int i = index_of(s->rows, key);

	return i < s->rows->nr_by ? key_compare_by_name(s->naming, key, a->key[i], b->key[i]) : 0;
}

static struct value value_of(struct sorting *s, const struct leak_column *c,
			     const struct leak_row *row)
{
	return document_column_value(&c->column, row, NULL, &s->scratch);
}

static int compare_figures(struct sorting *s, const struct leak_column *c, const struct leak_row *a,
			   const struct leak_row *b)
{
	struct value va, vb;

	if (c->compare)
		return c->compare(a, b);
	va = value_of(s, c, a);
	vb = value_of(s, c, b);
	return value_compare(&va, &vb);
}

/* Equal rows are sorted by their keys. */
static int compare(const void *x, const void *y, void *ctx)
{
	const struct leak_row *a = x, *b = y;
	struct sorting *s = ctx;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < s->sort->nr; i++) {
		const struct leak_sort_key *k = &s->sort->v[i];

		ret = k->column ? compare_figures(s, k->column, a, b)
				: compare_keys(s, k->key, a, b);
		ret = k->ascending ? ret : -ret;
	}
	for (unsigned int i = 0; !ret && i < s->rows->nr_by; i++)
		ret = kmem_key_compare(s->rows->by[i], &s->naming->names, a->key[i], b->key[i]);
	return ret ? ret : (int)a->use - (int)b->use;
}

void leak_sort_rows(struct leak_rows *rows, const struct leak_sort *sort,
		    const struct naming *naming)
{
	struct sorting s = {rows, sort, naming, STRBUF_INIT};

	if (sort->nr && rows->nr)
		qsort_r(rows->v, rows->nr, sizeof(*rows->v), compare, &s);
	strbuf_deinit(&s.scratch);
}
