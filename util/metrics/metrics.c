// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/printable.h"
#include "util/base/symbol.h"
#include "util/render/value_text.h"

/* Columns of one table that are metrics; further ones are left out. */
#define METRICS_MAX 8

/* Number of rows that keep a series, in units of the limit. */
#define KEPT_FACTOR 4
/* Larger limits have no use, and the products must not overflow. */
#define LIMIT_MAX (UINT64_C(1) << 20)

/* A row takes the series of another one if its share is more than this many times as large. */
#define TAKES_FROM 2

#define OTHER "_other"

/* A row that has a series. */
struct kept_row {
	uint32_t labels;	       /* their number */
	double share;		       /* of its largest metric; 0: not in the latest document */
	double v[METRICS_MAX];	       /* of the series */
	double seen[METRICS_MAX];      /* of the row, in the latest document */
	double in_others[METRICS_MAX]; /* the part of it that the others' series has */
	double written[METRICS_MAX];   /* the part that the series had in the document before */
};

/* A table, in all documents. */
struct metrics_table {
	const struct document_metric *first;
	uint32_t other; /* labels of the series of all other rows */
	struct kept_row *kept;
	size_t nr_kept;
	double others[METRICS_MAX];
	double left[METRICS_MAX]; /* of counters: counted by series that are no more */
	bool is_later;		  /* it is not the first document */
	bool has_others;	  /* or had, in an earlier document */
};

/* Rows of the table with the same labels, added up. */
struct row {
	uint64_t labels;
	bool is_kept, is_chosen;
	double share;
	double v[METRICS_MAX];
};

/* One table while it is added. */
struct input {
	struct metrics *m;
	const struct document_table *t;
	const char *allocator;
	const struct document_column *columns[METRICS_MAX];
	size_t nr_columns;
	struct table rows;
	double sums[METRICS_MAX];
	struct strbuf text, scratch;
};

void metrics_init(struct metrics *m, uint64_t limit)
{
	*m = (struct metrics){.limit = limit};
	intern_init(&m->labels);
}

void metrics_deinit(struct metrics *m)
{
	for (size_t i = 0; i < m->nr_families; i++)
		free(m->families[i].samples);
	free(m->families);
	for (size_t i = 0; i < m->nr_tables; i++)
		free(m->tables[i].kept);
	free(m->tables);
	intern_deinit(&m->labels);
}

/* Forget labels that no series has. */
static void sweep_labels(struct metrics *m)
{
	uint8_t *held;

	if (!intern_sweep_is_due(&m->labels))
		return;
	held = calloc(m->labels.nr + 1, 1);
	for (size_t i = 0; held && i < m->nr_tables; i++) {
		held[m->tables[i].other] = 1;
		for (size_t k = 0; k < m->tables[i].nr_kept; k++)
			held[m->tables[i].kept[k].labels] = 1;
	}
	m->failed |= !held || intern_sweep(&m->labels, held);
	free(held);
}

void metrics_begin(struct metrics *m)
{
	m->failed = false;
	for (size_t i = 0; i < m->nr_families; i++)
		free(m->families[i].samples);
	free(m->families);
	m->families = NULL;
	m->nr_families = 0;
	sweep_labels(m);
}

bool metrics_is_counter(const struct document_metric *metric)
{
	static const char end[] = "_total";
	const size_t len = strlen(metric->name);

	return len >= sizeof(end) - 1 && !strcmp(metric->name + len - (sizeof(end) - 1), end);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* value: its first `len` bytes, at most. An empty label is the same as none. */
static void add_label(struct strbuf *sb, const char *name, const char *value, size_t len)
{
	size_t start;

	if (!len)
		return;
	strbuf_addf(sb, "%s%s=\"", sb->len ? "," : "", name);
	start = sb->len;
	for (size_t i = 0; i < len && value[i]; i++) {
		if (value[i] == '"' || value[i] == '\\')
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, value[i]);
	}
	printable_strbuf(sb, start);
	strbuf_addch(sb, '"');
}

static void add_text_label(struct strbuf *sb, const char *name, const char *value)
{
	add_label(sb, name, value, strlen(value));
}

static bool is_label(const struct document_column *c)
{
	return document_column_audience(c) & FOR_METRICS && !c->metric;
}

static bool has_label(const struct document_table *t, const char *id)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (is_label(&t->columns[i]) && !strcmp(t->columns[i].id, id))
			return true;
	return false;
}

/*
 * A call site is its function, without suffixes of the compiler: series go on after an update of
 * the kernel. An address without a name is different after each boot.
 */
static void add_callsite(struct input *in, const char *name, const struct value_callsite *c)
{
	if (!c->symbol) {
		add_text_label(&in->text, name, "unknown");
		return;
	}
	add_label(&in->text, name, c->symbol,
		  c->dso ? strlen(c->symbol) : symbol_bare_length(c->symbol));
	if (c->module && !has_label(in->t, "module"))
		add_text_label(&in->text, "module", c->module);
}

static void add_value(struct input *in, const char *name, const struct value *v)
{
	if (v->kind == VALUE_CALLSITE) {
		add_callsite(in, name, &v->callsite);
	} else if (v->kind == VALUE_TEXT) {
		add_text_label(&in->text, name, v->text);
	} else {
		struct strbuf plain = STRBUF_INIT; /* the value may be in the scratch */

		value_add_plain(&plain, v);
		add_text_label(&in->text, name, plain.len ? plain.buf : "");
		in->m->failed |= plain.failed;
		strbuf_deinit(&plain);
	}
}

/* Returns the number of the row's labels, or of those of all others if it is NULL. INTERN_NONE if
 * out of memory. */
static uint32_t labels_of(struct input *in, const void *row)
{
	const struct value other = value_text(OTHER);

	strbuf_reset(&in->text);
	if (in->allocator)
		add_text_label(&in->text, "allocator", in->allocator);
	for (size_t i = 0; i < in->t->nr_columns; i++) {
		const struct document_column *c = &in->t->columns[i];
		struct value v = other;

		if (!is_label(c))
			continue;
		if (row)
			v = document_table_value(in->t, c, row, &in->scratch);
		add_value(in, c->id, &v);
	}
	return in->text.failed ? INTERN_NONE
			       : intern_add_passing(&in->m->labels, in->text.buf, in->text.len);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* In base units: seconds instead of nanoseconds. */
static double number(const struct value *v)
{
	switch (v->kind) {
	case VALUE_U64:
	case VALUE_BYTES:
		return (double)v->u64;
	case VALUE_NS:
		return (double)v->u64 / 1e9;
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		return (double)v->i64;
	case VALUE_REAL:
		return v->real;
	case VALUE_PERCENT:
		return v->real / 100;
	case VALUE_BOOL:
		return v->yes;
	default:
		return 0;
	}
}

static void take_row(struct input *in, const void *data)
{
	struct row key = {.labels = labels_of(in, data)}, *row;

	row = key.labels == INTERN_NONE ? NULL : table_insert(&in->rows, &key);
	if (!row) {
		in->m->failed = true;
		return;
	}
	for (size_t i = 0; i < in->nr_columns; i++) {
		const struct value v =
			document_table_value(in->t, in->columns[i], data, &in->scratch);

		row->v[i] += number(&v);
		in->sums[i] += number(&v);
	}
}

static struct row *row_at(const struct input *in, uint32_t i)
{
	return table_row(&in->rows, i);
}

/* The share of each row in the sum of a metric: the largest one over all metrics. */
static void compute_shares(struct input *in)
{
	for (size_t i = 0; i < in->nr_columns; i++) {
		double sum = 0;

		for (uint32_t r = 0; r < in->rows.nr; r++)
			sum += fabs(row_at(in, r)->v[i]);
		for (uint32_t r = 0; sum > 0 && r < in->rows.nr; r++)
			row_at(in, r)->share =
				fmax(row_at(in, r)->share, fabs(row_at(in, r)->v[i]) / sum);
	}
}

struct order {
	double v;
	uint32_t row;
};

static int compare_order(const void *x, const void *y)
{
	const struct order *a = x, *b = y;

	if (a->v != b->v)
		return a->v > b->v ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static uint64_t limit_of(const struct metrics *m)
{
	if (!m->limit)
		return 1;
	return m->limit < LIMIT_MAX ? m->limit : LIMIT_MAX;
}

/* Choose the largest rows of each metric. */
static void choose(struct input *in)
{
	struct order *order = calloc((size_t)in->rows.nr + 1, sizeof(*order));

	in->m->failed |= !order;
	for (size_t i = 0; order && i < in->nr_columns; i++) {
		for (uint32_t r = 0; r < in->rows.nr; r++)
			order[r] = (struct order){fabs(row_at(in, r)->v[i]), r};
		qsort(order, in->rows.nr, sizeof(*order), compare_order);
		for (uint32_t r = 0; r < in->rows.nr && r < limit_of(in->m) && order[r].v > 0; r++)
			row_at(in, order[r].row)->is_chosen = true;
	}
	free(order);
}

/* ---- rows with a series ---------------------------------------------------------------------- */

static bool is_counter(const struct input *in, size_t i)
{
	return metrics_is_counter(in->columns[i]->metric);
}

static bool has_counters(const struct input *in)
{
	for (size_t i = 0; i < in->nr_columns; i++)
		if (is_counter(in, i))
			return true;
	return false;
}

/* The part of the row's figure that its series has. */
static double own(const struct kept_row *kept, size_t i)
{
	return kept->seen[i] - kept->in_others[i];
}

/* Update a series. The row may have been away for a while, and then begins again. */
static void update(const struct input *in, struct kept_row *kept)
{
	const uint64_t key = kept->labels;
	struct row *row = table_find(&in->rows, &key);

	if (row)
		row->is_kept = true;
	kept->share = row ? row->share : 0;
	for (size_t i = 0; i < in->nr_columns; i++) {
		const double v = row ? row->v[i] : 0;
		const bool begins = v < kept->seen[i];

		kept->written[i] = begins ? 0 : own(kept, i);
		if (is_counter(in, i))
			kept->v[i] += begins ? v : v - kept->seen[i];
		else
			kept->v[i] = v;
		kept->seen[i] = v;
		if (begins)
			kept->in_others[i] = 0;
	}
}

/* The series of a new row. In the first document a counter has all that the row ever had. */
static struct kept_row new_kept(const struct input *in, const struct metrics_table *t,
				const struct row *row)
{
	struct kept_row kept = {.labels = (uint32_t)row->labels, .share = row->share};

	for (size_t i = 0; i < in->nr_columns; i++) {
		kept.seen[i] = row->v[i];
		kept.in_others[i] = t->is_later && is_counter(in, i) ? row->v[i] : 0;
		kept.v[i] = row->v[i] - kept.in_others[i];
	}
	return kept;
}

static int compare_shares(const void *x, const void *y)
{
	const struct kept_row *a = x, *b = y;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->labels < b->labels ? -1 : a->labels > b->labels;
}

/* A row without its series any more: the others' must not count again what this one counted. */
static void leave(const struct input *in, struct metrics_table *t, const struct kept_row *kept)
{
	for (size_t i = 0; i < in->nr_columns; i++)
		if (is_counter(in, i))
			t->left[i] += kept->written[i];
}

/*
 * Give the chosen rows a series, after those that have one. If there are too many, the smallest
 * lose theirs.
 */
static void keep_rows(struct input *in, struct metrics_table *t)
{
	const uint64_t most = KEPT_FACTOR * limit_of(in->m);
	struct kept_row *all = calloc(t->nr_kept + in->rows.nr + 1, sizeof(*all));
	size_t nr = 0, nr_old;

	if (!all) {
		in->m->failed = true;
		return;
	}
	for (size_t i = 0; i < t->nr_kept; i++) {
		update(in, &t->kept[i]);
		if (t->kept[i].share > 0 || has_counters(in))
			all[nr++] = t->kept[i];
	}
	nr_old = nr;
	for (uint32_t i = 0; i < in->rows.nr; i++)
		if (row_at(in, i)->is_chosen && !row_at(in, i)->is_kept)
			all[nr++] = new_kept(in, t, row_at(in, i));
	if (nr > most) {
		for (size_t i = 0; i < nr_old; i++)
			all[i].share *= TAKES_FROM;
		qsort(all, nr, sizeof(*all), compare_shares);
		while (nr > most)
			leave(in, t, &all[--nr]);
	}
	free(t->kept);
	t->kept = all;
	t->nr_kept = nr;
}

/* ---- samples --------------------------------------------------------------------------------- */

static struct metrics_family *family_of(struct metrics *m, const struct document_metric *metric)
{
	struct metrics_family *v;

	for (size_t i = 0; i < m->nr_families; i++)
		if (!strcmp(m->families[i].metric->name, metric->name))
			return &m->families[i];
	v = reallocarray(m->families, m->nr_families + 1, sizeof(*v));
	if (!v)
		return NULL;
	m->families = v;
	v[m->nr_families] = (struct metrics_family){.metric = metric};
	return &v[m->nr_families++];
}

static void add_sample(struct input *in, size_t column, uint32_t labels, double value)
{
	struct metrics_family *f = family_of(in->m, in->columns[column]->metric);

	struct metrics_sample *v = f ? array_room(f->samples, f->nr, &f->cap, sizeof(*v)) : NULL;

	if (!v) {
		in->m->failed = true;
		return;
	}
	f->samples = v;
	f->samples[f->nr++] = (struct metrics_sample){labels, value};
}

static void add_samples(struct input *in, struct metrics_table *t)
{
	for (size_t i = 0; i < in->nr_columns; i++) {
		double others = in->sums[i] - t->left[i];

		for (size_t k = 0; k < t->nr_kept; k++) {
			add_sample(in, i, t->kept[k].labels, t->kept[k].v[i]);
			others -= own(&t->kept[k], i);
		}
		if (!is_counter(in, i) || others > t->others[i])
			t->others[i] = others;
		t->has_others |= others != 0;
	}
	for (size_t i = 0; t->has_others && i < in->nr_columns; i++)
		add_sample(in, i, t->other, t->others[i]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Returns the state of the table. NULL if out of memory. */
static struct metrics_table *table_of(struct input *in)
{
	const struct document_metric *first = in->columns[0]->metric;
	const uint32_t other = labels_of(in, NULL);
	struct metrics *m = in->m;
	struct metrics_table *v;

	if (other == INTERN_NONE)
		return NULL;
	for (size_t i = 0; i < m->nr_tables; i++)
		if (m->tables[i].first == first && m->tables[i].other == other)
			return &m->tables[i];
	v = reallocarray(m->tables, m->nr_tables + 1, sizeof(*v));
	if (!v)
		return NULL;
	m->tables = v;
	v[m->nr_tables] = (struct metrics_table){.first = first, .other = other};
	return &v[m->nr_tables++];
}

static bool has_labels(const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (is_label(&t->columns[i]))
			return true;
	return false;
}

static void add(struct input *in)
{
	struct metrics_table *t = table_of(in);
	struct document_row_buf buf;

	if (!t) {
		in->m->failed = true;
		return;
	}
	for (uint64_t i = 0; i < in->t->nr_rows; i++)
		take_row(in, document_table_row(in->t, i, &buf));
	compute_shares(in);
	choose(in);
	for (uint32_t i = 0; i < in->rows.nr; i++) {
		struct row *row = row_at(in, i);

		/* a single figure, which may be 0; names that are like that of the others */
		if (!has_labels(in->t))
			row->is_chosen = true;
		else if (row->labels == t->other)
			row->is_chosen = false;
	}
	keep_rows(in, t);
	add_samples(in, t);
	t->is_later = true;
}

void metrics_add(struct metrics *m, const struct document_table *t, const char *allocator)
{
	struct input in = {.m = m,
			   .t = t,
			   .allocator = allocator,
			   .text = STRBUF_INIT,
			   .scratch = STRBUF_INIT};

	for (size_t i = 0; i < t->nr_columns && in.nr_columns < METRICS_MAX; i++)
		if (document_column_audience(&t->columns[i]) & FOR_METRICS && t->columns[i].metric)
			in.columns[in.nr_columns++] = &t->columns[i];
	if (!in.nr_columns)
		return;
	table_init(&in.rows, sizeof(struct row), sizeof(uint64_t));
	add(&in);
	m->failed |= in.text.failed || in.scratch.failed;
	table_deinit(&in.rows);
	strbuf_deinit(&in.text);
	strbuf_deinit(&in.scratch);
}
