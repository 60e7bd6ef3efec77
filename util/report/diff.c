// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/symbol.h"
#include "util/render/value_text.h"
#include "util/report/key_column.h"
#include "util/source/site_names.h"

/* A row's name: the text of its keys. */
struct row_name {
	struct strbuf text; /* joined by NUL */
	struct strbuf scratch;
	bool nameless; /* it contains an address without a name */
};

/* Add function and offset, or only the function if the kernels differ. */
static void add_address(const struct diff *d, struct row_name *name, const struct value_callsite *c)
{
	name->nameless |= c->address && !c->symbol;
	if (c->symbol && !d->same_kernel)
		strbuf_add(&name->text, c->symbol, symbol_bare_length(c->symbol));
	else
		value_add_callsite(&name->text, c, false);
}

static void add_stack(const struct diff *d, struct row_name *name, const struct value_stack *stack)
{
	for (size_t i = 0; i < stack->nr; i++) {
		const struct value_callsite c = stack->name(stack->naming, stack->frames[i]);

		if (i)
			strbuf_addstr(&name->text, " < ");
		add_address(d, name, &c);
	}
	if (!stack->nr)
		strbuf_addstr(&name->text, "unknown");
}

/* Add a key as text that is identical in both recordings. */
static void add_key(const struct diff *d, struct row_name *name, const struct naming *n,
		    enum kmem_key key, uint64_t number)
{
	struct value v;

	strbuf_reset(&name->scratch);
	v = key_value(n, key, number, &name->scratch);
	if (v.kind == VALUE_CALLSITE)
		add_address(d, name, &v.callsite);
	else if (v.kind == VALUE_STACK)
		add_stack(d, name, &v.stack);
	else if (v.kind == VALUE_TEXT)
		strbuf_addstr(&name->text, v.text);
	else
		value_add_plain(&name->text, &v);
	strbuf_addch(&name->text, '\0');
}

/*
 * Compose the row's name. If the kernel was loaded at another address, an address without a name
 * cannot be compared: the side is then appended after the keys, where it is not shown.
 */
static void name_row(const struct diff *d, struct row_name *name, const struct naming *n,
		     const struct stat_table *t, uint32_t row, int side)
{
	strbuf_reset(&name->text);
	name->nameless = false;
	for (unsigned int k = 0; k < t->nr_by; k++)
		add_key(d, name, n, t->by[k], stat_table_keys(t, row)[k]);
	if (name->nameless && !d->same_boot)
		strbuf_addch(&name->text, side == DIFF_OLD ? 'o' : 'n');
}

static int join_side(struct diff *d, struct table *rows, const struct stat_table *t, int side)
{
	struct row_name name = {.text = STRBUF_INIT, .scratch = STRBUF_INIT};
	int ret = 0;
	uint32_t i;

	stat_table_for_each (i, t) {
		const struct stat_counts *c = stat_table_counts(t, i);
		struct diff_row *row;
		uint64_t number;

		if (!c->hits && !c->live_hits)
			continue;
		name_row(d, &name, d->side[side]->naming, t, i, side);
		d->nr_nameless += name.nameless && !d->same_boot;
		number = intern_add(&d->names, name.text.buf, name.text.len);
		row = number == INTERN_NONE || name.text.failed || name.scratch.failed
			      ? NULL
			      : table_insert(rows, &number);
		if (!row) {
			ret = -ENOMEM;
			break;
		}
		row->key[side] = stat_table_keys(t, i);
		stat_counts_add_all(&row->side[side], c);
	}
	strbuf_deinit(&name.text);
	strbuf_deinit(&name.scratch);
	return ret;
}

static const struct column *bytes_column(void)
{
	return column_find("bytes", strlen("bytes"));
}

double diff_figure(const struct diff *d, const struct diff_row *row, const struct column *c,
		   int side)
{
	const struct row_view view = {.counts = &row->side[side]};
	double v = c->percent ? c->percent(&view) : (double)c->value(&view);

	return c->adds_up && d->per_second && !(d->seconds_between > 0) && d->seconds[side] > 0
		       ? v / d->seconds[side]
		       : v;
}

double diff_change(const struct diff *d, const struct diff_row *row, const struct column *c)
{
	double v = diff_figure(d, row, c, DIFF_NEW) - diff_figure(d, row, c, DIFF_OLD);

	return c->adds_up && d->seconds_between > 0 ? v / d->seconds_between : v;
}

/* ---- the order of rows ----------------------------------------------------------------------- */

struct ordering {
	const struct diff *d;
	const struct column *bytes;
};

static double change(const struct ordering *o, const struct diff_row *r)
{
	return fabs(diff_figure(o->d, r, o->bytes, DIFF_NEW) -
		    diff_figure(o->d, r, o->bytes, DIFF_OLD));
}

bool diff_has_noise(const struct diff *d)
{
	return d->recordings[DIFF_OLD] > 1 || d->recordings[DIFF_NEW] > 1;
}

double diff_noise(const struct diff_row *row)
{
	return fmax(row->most[DIFF_OLD] - row->least[DIFF_OLD],
		    row->most[DIFF_NEW] - row->least[DIFF_NEW]);
}

bool diff_is_beyond_noise(const struct diff *d, const struct diff_row *row)
{
	return diff_has_noise(d) && (row->least[DIFF_NEW] > row->most[DIFF_OLD] ||
				     row->least[DIFF_OLD] > row->most[DIFF_NEW]);
}

/* All orders of n and m figures are equally likely. In two of them the sides do not overlap. */
double diff_rows_for_one_by_chance(const struct diff *d)
{
	double orders = 1;

	for (unsigned int i = 1; i <= d->recordings[DIFF_NEW]; i++)
		orders = orders * (d->recordings[DIFF_OLD] + i) / i;
	return orders / 2;
}

/* Rows with equal changes are sorted by their names. */
static int by_change(const void *x, const void *y, void *ctx)
{
	const struct diff_row *a = x, *b = y;
	const struct ordering *o = ctx;
	const int beyond = diff_is_beyond_noise(o->d, b) - diff_is_beyond_noise(o->d, a);
	double ca = change(o, a), cb = change(o, b);
	const char *na, *nb;
	size_t la, lb;
	int ret;

	if (beyond)
		return beyond;
	if (ca != cb)
		return ca > cb ? -1 : 1;
	na = intern_get(&o->d->names, (uint32_t)a->name, &la);
	nb = intern_get(&o->d->names, (uint32_t)b->name, &lb);
	ret = memcmp(na, nb, la < lb ? la : lb);
	return ret ? ret : (la > lb) - (la < lb);
}

void diff_sort(struct diff *d)
{
	struct ordering order = {d, bytes_column()};

	for (size_t i = 0; i < d->nr_tables; i++)
		qsort_r(d->tables[i].v, d->tables[i].nr, sizeof(*d->tables[i].v), by_change,
			&order);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The ranges of rows in one recording of each side. */
static void init_ranges(const struct diff *d, struct diff_row *row)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		row->least[side] = row->most[side] = diff_figure(d, row, bytes_column(), side);
}

static int join(struct diff *d, const struct stat_table *old, const struct stat_table *new,
		enum allocator allocator)
{
	struct diff_table *t = &d->tables[d->nr_tables];
	struct table rows;
	int ret;

	for (unsigned int i = 0; i < old->nr_by; i++)
		if (old->by[i] == KEY_PTR || old->by[i] == KEY_PAGE)
			return 0;
	table_init(&rows, sizeof(struct diff_row), sizeof(uint64_t));
	ret = join_side(d, &rows, old, DIFF_OLD);
	if (!ret)
		ret = join_side(d, &rows, new, DIFF_NEW);
	t->v = ret ? NULL : reallocarray(NULL, rows.nr + 1u, sizeof(*t->v));
	if (t->v) {
		t->allocator = allocator;
		memcpy(t->by, old->by, sizeof(t->by));
		t->nr_by = old->nr_by;
		t->nr = rows.nr;
		for (uint32_t i = 0; i < rows.nr; i++) {
			memcpy(&t->v[i], table_row(&rows, i), sizeof(*t->v));
			init_ranges(d, &t->v[i]);
		}
		d->nr_tables++;
	} else {
		ret = -ENOMEM;
	}
	table_deinit(&rows);
	return ret;
}

/* Fewer functions than this do not distinguish kernels. */
#define FUNCTIONS_MIN 8

/* Whether at least half of the functions of the smaller list, with their sizes, are in the other.
 */
static bool share_functions(const struct site_names *a, const struct site_names *b)
{
	const struct table *few = a->ranges.nr < b->ranges.nr ? &a->ranges : &b->ranges;
	const struct table *many = few == &a->ranges ? &b->ranges : &a->ranges;
	uint32_t shared = 0;

	for (uint32_t i = 0; i < few->nr; i++)
		shared += table_find(many, table_row(few, i)) != NULL;
	return few->nr < FUNCTIONS_MIN || shared >= few->nr - shared;
}

bool diff_same_kernel(const struct source_facts *a, const struct source_facts *b)
{
	/* text files of a kernel do not name it */
	if (!a->osrelease && !b->osrelease && a->site_names && b->site_names)
		return share_functions(a->site_names, b->site_names);
	if (!a->osrelease || !b->osrelease || strcmp(a->osrelease, b->osrelease) != 0 || !a->arch ||
	    !b->arch || strcmp(a->arch, b->arch) != 0)
		return false;
	/* a release can have many builds */
	return !a->kernel_build_id_size || a->kernel_build_id_size != b->kernel_build_id_size ||
	       !memcmp(a->kernel_build_id, b->kernel_build_id, a->kernel_build_id_size);
}

/* Whether both kernels were loaded at the same address. True if one recording lacks the address. */
static bool is_same_place(const struct source_facts *a, const struct source_facts *b)
{
	return !a->kernel_text_address || !b->kernel_text_address ||
	       a->kernel_text_address == b->kernel_text_address;
}

int diff_seconds_between(const struct source_facts *old, const struct source_facts *new,
			 double *ret_seconds, struct error *err)
{
	const struct source_facts *f[DIFF_SIDES] = {old, new};
	uint64_t taken_ns[DIFF_SIDES];

	*ret_seconds = 0;
	if (!old->is_snapshot && !new->is_snapshot)
		return 0;
	for (int i = 0; i < DIFF_SIDES; i++) {
		if (!f[i]->is_snapshot)
			return error_set(
				err, ENODATA,
				"'%s' is a recording, and '%s' is not: --per-second has no "
				"time to divide by",
				f[i]->path, f[!i]->path);
		taken_ns[i] = source_facts_wall_clock_ns(f[i]);
		if (!taken_ns[i])
			return error_set(
				err, ENODATA,
				"'%s' has no date, so --per-second has no time to divide by "
				"(a snapshot has a date)",
				f[i]->path);
	}
	if (taken_ns[DIFF_NEW] <= taken_ns[DIFF_OLD])
		return error_set(
			err, ENODATA,
			"'%s' was not taken after '%s': --per-second has no time to divide "
			"by",
			new->path, old->path);
	*ret_seconds = (double)(taken_ns[DIFF_NEW] - taken_ns[DIFF_OLD]) / 1e9;
	return 0;
}

/* Totals of recordings with such lengths say more about the lengths than about the change. */
#define LENGTHS_APART 1.1

bool diff_lengths_differ(const struct report_context *old, const struct report_context *new)
{
	const double a = (double)old->length_ns, b = (double)new->length_ns;

	if (old->facts->is_snapshot || new->facts->is_snapshot || !old->length_ns ||
	    !new->length_ns)
		return false;
	return a > LENGTHS_APART * b || b > LENGTHS_APART * a;
}

/* Join an account's tables by keys. */
static int join_account(struct diff *d, int id)
{
	const struct allocator_accounts *old = accounts_allocator(d->side[DIFF_OLD]->accounts, id);
	const struct allocator_accounts *new = accounts_allocator(d->side[DIFF_NEW]->accounts, id);
	int ret = 0;

	for (unsigned int i = 0; !ret && old && i < d->side[DIFF_OLD]->kmem->tables[id].nr; i++)
		ret = join(d, &old->tables[i], &new->tables[i], account_table[id]->allocator->bit);
	return ret;
}

int diff_init(struct diff *d, const struct report_context *old, const struct report_context *new,
	      bool per_second, double seconds_between)
{
	int ret = 0;

	*d = (struct diff){
		.side = {old, new},
		.seconds = {(double)old->length_ns / 1e9, (double)new->length_ns / 1e9},
		.seconds_between = seconds_between,
		.per_second = per_second,
		.same_kernel = diff_same_kernel(old->facts, new->facts),
		.recordings = {1, 1},
	};
	d->same_boot = d->same_kernel && is_same_place(old->facts, new->facts);
	intern_init(&d->names);
	d->tables = calloc(ACCOUNTS_NR * (size_t)TABLES_MAX, sizeof(*d->tables));
	if (!d->tables)
		ret = -ENOMEM;
	for (int id = 0; !ret && id < ACCOUNTS_NR; id++)
		ret = join_account(d, id);
	if (ret)
		diff_deinit(d);
	else
		diff_sort(d);
	return ret;
}

/* The factor of totals in a repeat, which need not be as long as its side. */
static double scale_of(const struct diff *d, const struct report_context *repeat, int side)
{
	if (d->seconds_between > 0 || !repeat->length_ns)
		return 1;
	if (d->per_second)
		return 1e9 / (double)repeat->length_ns;
	return diff_lengths_differ(d->side[side], repeat)
		       ? d->seconds[side] * 1e9 / (double)repeat->length_ns
		       : 1;
}

/* Add the bytes of a repeat's rows to those of the same name. index: of the row by its name,
 * plus 1. */
static int add_bytes(struct diff *d, const struct report_context *repeat,
		     const struct stat_table *t, int side, const uint32_t *index, double *bytes)
{
	struct row_name name = {.text = STRBUF_INIT, .scratch = STRBUF_INIT};
	uint32_t i, number;
	bool failed = false;

	stat_table_for_each (i, t) {
		const struct row_view view = {.counts = stat_table_counts(t, i)};

		name_row(d, &name, repeat->naming, t, i, side);
		failed |= name.text.failed || name.scratch.failed;
		number = intern_find(&d->names, name.text.buf, name.text.len);
		if (number != INTERN_NONE && index[number])
			bytes[index[number] - 1] += (double)bytes_column()->value(&view);
	}
	strbuf_deinit(&name.text);
	strbuf_deinit(&name.scratch);
	return failed ? -ENOMEM : 0;
}

static int widen_ranges(struct diff *d, struct diff_table *t, const struct report_context *repeat,
			const struct stat_table *of_repeat, int side)
{
	const double scale = scale_of(d, repeat, side);
	uint32_t *index = calloc(d->names.nr + 1, sizeof(*index));
	double *bytes = calloc(t->nr + 1, sizeof(*bytes));
	int ret = index && bytes ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < t->nr; i++)
		index[t->v[i].name] = (uint32_t)i + 1;
	if (!ret)
		ret = add_bytes(d, repeat, of_repeat, side, index, bytes);
	for (size_t i = 0; !ret && i < t->nr; i++) {
		t->v[i].least[side] = fmin(t->v[i].least[side], scale * bytes[i]);
		t->v[i].most[side] = fmax(t->v[i].most[side], scale * bytes[i]);
	}
	free(index);
	free(bytes);
	return ret;
}

/* The recording's table that has these keys. */
static const struct stat_table *same_table(const struct report_context *repeat,
					   const struct diff_table *t)
{
	for (int id = 0; id < ACCOUNTS_NR; id++) {
		const struct allocator_accounts *a = accounts_allocator(repeat->accounts, id);

		for (unsigned int i = 0; a && i < repeat->kmem->tables[id].nr; i++)
			if (account_table[id]->allocator->bit == t->allocator &&
			    a->tables[i].nr_by == t->nr_by &&
			    !memcmp(a->tables[i].by, t->by, t->nr_by * sizeof(t->by[0])))
				return &a->tables[i];
	}
	return NULL;
}

int diff_add_repeat(struct diff *d, const struct report_context *repeat, int side)
{
	int ret = 0;

	d->recordings[side]++;
	for (size_t i = 0; !ret && i < d->nr_tables; i++) {
		const struct stat_table *t = same_table(repeat, &d->tables[i]);

		if (t)
			ret = widen_ranges(d, &d->tables[i], repeat, t, side);
	}
	return ret;
}

void diff_deinit(struct diff *d)
{
	for (size_t i = 0; d->tables && i < d->nr_tables; i++)
		free(d->tables[i].v);
	free(d->tables);
	d->tables = NULL;
	d->nr_tables = 0;
	intern_deinit(&d->names);
}

const char *diff_row_key(const struct diff *d, const struct diff_row *row, unsigned int i)
{
	const char *name = intern_get(&d->names, (uint32_t)row->name, NULL);

	while (i--)
		name += strlen(name) + 1;
	return name;
}
