// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/source/unpacking.h"

/* Number of rows' callchains kept at a time: 128 MB. */
#define CHAINS_MAX (16u << 20)

/* Parts of unpacked_held_max(), and the steps for each of its bytes: 5 s. */
#define BYTES_PER_ROW  256
#define BYTES_PER_NODE 256
#define STEPS_PER_BYTE 4

/* A function of a callchain. */
struct chain_frame {
	struct function_place place;
	uint32_t function;
	uint16_t number; /* number of the frame in the chain */
	uint16_t level;	 /* index in the frame's functions, innermost first */
};

void histogram_limits_init(struct histogram_limits *l, uint64_t stored_bytes)
{
	const uint64_t max = unpacked_held_max(stored_bytes), nodes = max / BYTES_PER_NODE;

	*l = (struct histogram_limits){
		.rows_left = max / BYTES_PER_ROW,
		.trees.steps = max * STEPS_PER_BYTE,
		.trees.nodes_max = nodes < CALL_TREE_NONE ? (uint32_t)nodes : CALL_TREE_NONE,
	};
}

bool histogram_fields_have(const struct histogram_fields *f, enum histogram_field field)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->v[i] == field)
			return true;
	return false;
}

/* ---- callchains ---- */

static bool is_hidden(const struct histogram *h, uint32_t function)
{
	return h->options->hide_unresolved && function_is_unknown(h->functions, function);
}

/* Put the functions of a callchain, innermost first, into h->frames. */
static int expand(struct histogram *h, const struct profile_row *row, size_t *ret_nr)
{
	const struct profile_chain chain = profile_chain(h->profile, row);
	size_t nr = 0;

	for (size_t i = 0; i < chain.nr; i++) {
		const struct function_place place = function_place_in(&chain, i);
		const uint32_t *functions;
		size_t nr_functions = functions_of(h->functions, place, &functions);

		if (!nr_functions)
			return -ENOMEM;
		for (uint16_t level = 0; level < nr_functions && nr < CHAIN_MAX; level++)
			if (!is_hidden(h, functions[level]))
				h->frames[nr++] = (struct chain_frame){place, functions[level],
								       (uint16_t)i, level};
	}
	*ret_nr = nr;
	return 0;
}

/* ---- rows ---- */

/* INTERN_NONE if out of memory. */
static uint32_t id_of(struct histogram *h, enum histogram_field key, const struct profile_row *row,
		      const struct chain_frame *at)
{
	switch (key) {
	case FIELD_COMM:
		return profile_row_comm(h->profile, row);
	case FIELD_DSO:
		return function_at(h->functions, at->function)->dso;
	case FIELD_SYMBOL:
		return at->function;
	case FIELD_CPU:
		return (uint32_t)row->cpu;
	case FIELD_TID:
		return row->tid;
	case FIELD_PID:
		return row->pid;
	case FIELD_EVENT:
		return row->event;
	case FIELD_TRACE:
		return row->text;
	case FIELD_SRCLINE:
		return functions_line(h->functions, at->place, at->level);
	case FIELD_SRCFILE:
		return functions_file(h->functions, at->place, at->level);
	default:
		return 0;
	}
}

/* The row with the key; *ret_row is NULL if the limit is reached. Errors: -ENOMEM. */
static int find_row(struct histogram *h, const struct histogram_row *key,
		    struct histogram_row **ret_row)
{
	struct histogram_limits *limits = h->options->limits;

	/* an insertion might move rows even if it adds none */
	*ret_row = table_find(&h->rows, key);
	if (*ret_row)
		return 0;
	if (!limits->rows_left) {
		limits->rows_reached = true;
		return 0;
	}
	limits->rows_left--;
	*ret_row = table_insert(&h->rows, key);
	return *ret_row ? 0 : -ENOMEM;
}

/* The row that a function of a sample counts for; *ret_row is NULL if the limit is reached. *last:
 * number of the row found last; most callchains resemble the previous ones. Errors: -ENOMEM. */
static int row_of(struct histogram *h, const struct profile_row *from, const struct chain_frame *at,
		  uint32_t *last, struct histogram_row **ret_row)
{
	const struct histogram_fields *keys = &h->options->keys;
	struct histogram_row key = {.period = 0};

	for (size_t i = 0; i < keys->nr; i++) {
		uint32_t id = id_of(h, keys->v[i], from, at);

		/* numbers of CPUs and tasks may have any value */
		if (id == INTERN_NONE &&
		    (keys->v[i] == FIELD_SRCLINE || keys->v[i] == FIELD_SRCFILE))
			return -ENOMEM;
		key.ids[keys->v[i]] = id;
	}
	if (*last < h->rows.nr) {
		*ret_row = table_row(&h->rows, *last);
		if (!memcmp((*ret_row)->ids, key.ids, sizeof(key.ids)))
			return 0;
	}
	if (find_row(h, &key, ret_row))
		return -ENOMEM;
	if (*ret_row)
		*last = table_index(&h->rows, *ret_row);
	return 0;
}

/* The action on rows that a row of the profile counts for. */
typedef void (*visit_fn)(struct histogram *h, struct histogram_row *row,
			 const struct profile_row *from, uint32_t start, size_t nr, bool own);

static int visit_children(struct histogram *h, const struct profile_row *from, uint32_t number,
			  size_t nr, visit_fn fn)
{
	for (size_t i = 0; i < nr; i++) {
		uint32_t at = (uint32_t)(h->options->caller_first ? nr - 1 - i : i);
		struct histogram_row *row;

		if (row_of(h, from, &h->frames[at], &h->last_rows[at], &row))
			return -ENOMEM;
		if (!row || row->visit == number)
			continue; /* left out, or recursion */
		row->visit = number;
		fn(h, row, from, at, nr, false);
	}
	return 0;
}

static bool uses_chains(const struct histogram *h)
{
	return h->options->trees || h->options->children;
}

static int visit(struct histogram *h, uint32_t i, visit_fn fn)
{
	const struct profile_row *from = profile_row(h->profile, i);
	struct chain_frame leaf = {.place.frame = from->leaf};
	struct histogram_row *row;
	size_t nr = 0;

	leaf.function = functions_own(h->functions, from->leaf);
	if (leaf.function == FUNCTION_NONE || (uses_chains(h) && expand(h, from, &nr)))
		return -ENOMEM;
	if (row_of(h, from, &leaf, &h->last_rows[CHAIN_MAX], &row))
		return -ENOMEM;
	if (row) {
		row->visit = i + 1;
		fn(h, row, from, h->options->caller_first && nr ? (uint32_t)nr - 1 : 0, nr, true);
	}
	return h->options->children ? visit_children(h, from, i + 1, nr, fn) : 0;
}

static bool is_wanted(const struct histogram *h, const struct profile_row *row, uint32_t function)
{
	return !h->options->wants || h->options->wants(h->options->ctx, row, function);
}

/* Whether a row of the profile belongs to the event, and its function is not hidden. Returns 1, 0
 * or -ENOMEM. */
static int is_counted(struct histogram *h, uint32_t event, const struct profile_row *row,
		      uint32_t *ret_function)
{
	if (event != HISTOGRAM_ALL_EVENTS && row->event != event)
		return 0;
	*ret_function = functions_own(h->functions, row->leaf);
	if (*ret_function == FUNCTION_NONE)
		return -ENOMEM;
	return !is_hidden(h, *ret_function);
}

/* Visit the rows that the profile's rows count for, if these belong to the event and pass the
 * filter. */
static int visit_all(struct histogram *h, uint32_t event, visit_fn fn)
{
	for (uint32_t i = 0; i < h->rows.nr; i++)
		((struct histogram_row *)table_row(&h->rows, i))->visit = 0;
	for (uint32_t i = 0; i < h->profile->rows.nr; i++) {
		const struct profile_row *from = profile_row(h->profile, i);
		uint32_t function;
		int ret = is_counted(h, event, from, &function);

		if (ret > 0 && is_wanted(h, from, function))
			ret = visit(h, i, fn);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void count(struct histogram *h, struct histogram_row *row, const struct profile_row *from,
		  uint32_t start, size_t nr, bool own)
{
	uint32_t depth = (uint32_t)nr;

	row->total += from->period;
	if (own) {
		row->period += from->period;
		row->nr += from->nr;
		h->wanted_period += from->period;
		h->wanted_nr += from->nr;
	} else {
		depth = h->options->caller_first ? start + 1 : (uint32_t)nr - start;
	}
	row->nr_chains += nr > 0;
	if (depth > row->depth)
		row->depth = depth;
}

static int count_all(struct histogram *h, uint32_t event)
{
	for (uint32_t i = 0; i < h->profile->rows.nr; i++) {
		const struct profile_row *from = profile_row(h->profile, i);
		uint32_t function;
		int ret = is_counted(h, event, from, &function);

		if (ret < 0)
			return ret;
		h->period += ret ? from->period : 0;
		h->nr += ret ? from->nr : 0;
	}
	return visit_all(h, event, count);
}

/* ---- the rows to show, sorted ---------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_strings(const struct histogram *h, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(profile_string(h->profile, a), profile_string(h->profile, b));
}

/* Sort by name; rows without one come last, by address. */
static int compare_functions(const void *functions, uint32_t x, uint32_t y)
{
	const struct functions *f = functions;
	const struct function *a = function_at(f, x), *b = function_at(f, y);
	int ret = 0;

	if (a->name != INTERN_NONE && b->name != INTERN_NONE)
		ret = strcmp(profile_string(f->profile, a->name),
			     profile_string(f->profile, b->name));
	else if (a->name != b->name)
		return a->name == INTERN_NONE ? 1 : -1;
	return ret ? ret : compare_numbers(a->start, b->start);
}

static int compare_field(const struct histogram *h, enum histogram_field field,
			 const struct histogram_row *a, const struct histogram_row *b)
{
	switch (field) {
	case FIELD_COMM:
	case FIELD_TRACE:
	case FIELD_SRCLINE:
	case FIELD_SRCFILE:
		return compare_strings(h, a->ids[field], b->ids[field]);
	case FIELD_DSO: {
		const char *x = profile_string(h->profile, a->ids[field]);
		const char *y = profile_string(h->profile, b->ids[field]);
		int ret = strcmp(dso_short_name(x), dso_short_name(y));

		return ret ? ret : strcmp(x, y);
	}
	case FIELD_SYMBOL:
		return compare_functions(h->functions, a->ids[field], b->ids[field]);
	case FIELD_CPU:
	case FIELD_TID:
	case FIELD_PID:
	case FIELD_EVENT:
		return compare_numbers(a->ids[field], b->ids[field]);
	case FIELD_OVERHEAD:
	case FIELD_PERIOD:
		return compare_numbers(b->period, a->period);
	case FIELD_SAMPLES:
		return compare_numbers(b->nr, a->nr);
	case FIELD_CHILDREN:
		break;
	default:
		return 0;
	}
	if (a->total != b->total || a->ids[FIELD_COMM] != b->ids[FIELD_COMM])
		return compare_numbers(b->total, a->total);
	/* callers are above callees if they always occur together */
	return h->options->caller_first ? compare_numbers(b->depth, a->depth)
					: compare_numbers(a->depth, b->depth);
}

static int compare_rows(const void *x, const void *y, void *histogram)
{
	const struct histogram *h = histogram;
	const struct histogram_row *a = table_row(&h->rows, *(const uint32_t *)x);
	const struct histogram_row *b = table_row(&h->rows, *(const uint32_t *)y);
	int ret = 0;

	for (size_t i = 0; i < h->options->order.nr && !ret; i++)
		ret = compare_field(h, h->options->order.v[i], a, b);
	/* names may be equal */
	return ret ? ret : memcmp(a->ids, b->ids, sizeof(a->ids));
}

static uint64_t weight_of(const struct histogram *h, const struct histogram_row *row)
{
	return h->options->children ? row->total : row->period;
}

static bool has_percent(const struct histogram *h, const struct histogram_row *row, double percent)
{
	return (double)weight_of(h, row) * 100.0 >= percent * (double)histogram_whole(h);
}

static int choose_rows(struct histogram *h)
{
	h->order = calloc((size_t)h->rows.nr + 1, sizeof(*h->order));
	if (!h->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->rows.nr; i++)
		if (has_percent(h, table_row(&h->rows, i), h->options->min_percent))
			h->order[h->nr_shown++] = i;
	qsort_r(h->order, h->nr_shown, sizeof(*h->order), compare_rows, h);
	for (uint32_t i = 0; i < h->nr_shown; i++)
		((struct histogram_row *)table_row(&h->rows, h->order[i]))->shown = i;
	return 0;
}

/* ---- call trees ---- */

/* Whether a row has a branch to show. */
static bool has_tree(const struct histogram *h, const struct histogram_row *row)
{
	const struct call_tree_shape *shape = &h->options->shape;

	return row->nr_chains && has_percent(h, row, h->options->min_percent) &&
	       (shape->look == TREE_FRACTAL ||
		weight_of(h, row) >= call_tree_least(shape, histogram_whole(h)));
}

static void keep_chain(struct histogram *h, struct histogram_row *row,
		       const struct profile_row *from, uint32_t start, size_t nr, bool own)
{
	(void)own;
	if (nr && row->first_chain != HISTOGRAM_NO_CHAIN)
		h->chains[row->first_chain++] =
			(struct chain_place){table_index(&h->profile->rows, from),
					     h->frames[start].number, h->frames[start].level};
}

static struct histogram_row *shown_row(const struct histogram *h, uint32_t i)
{
	return table_row(&h->rows, h->order[i]);
}

/* Keep the callchains of the row at this position, and of as many of the next ones as the limit
 * allows. */
static int keep_chains(struct histogram *h, uint32_t from)
{
	uint32_t to = from;
	size_t nr = 0;

	for (uint32_t i = 0; i < h->rows.nr; i++)
		((struct histogram_row *)table_row(&h->rows, i))->first_chain = HISTOGRAM_NO_CHAIN;
	for (; to < h->nr_shown; to++) {
		struct histogram_row *row = shown_row(h, to);
		const size_t more = has_tree(h, row) ? row->nr_chains : 0;

		if (to > from && nr + more > CHAINS_MAX)
			break;
		if (more)
			row->first_chain = (uint32_t)nr;
		nr += more;
	}
	free(h->chains);
	h->chains = calloc(nr + 1, sizeof(*h->chains));
	if (!h->chains || visit_all(h, h->event, keep_chain))
		return -ENOMEM;
	for (uint32_t i = from; i < to; i++) {
		struct histogram_row *row = shown_row(h, i);

		if (row->first_chain != HISTOGRAM_NO_CHAIN)
			row->first_chain -= row->nr_chains;
	}
	return 0;
}

static int make_tree(struct histogram *h, const struct chain_tree_options *options,
		     const struct histogram_row *row)
{
	if (row->first_chain == HISTOGRAM_NO_CHAIN && keep_chains(h, row->shown))
		return -ENOMEM;
	return chain_tree_make(&h->tree, options, h->chains + row->first_chain, row->nr_chains);
}

static const char *name(const void *functions, uint32_t item, struct strbuf *scratch)
{
	return function_name(functions, item, scratch);
}

int histogram_tree(struct histogram *h, const struct histogram_row *row,
		   struct value_tree *ret_tree)
{
	struct value_tree tree = {.whole = histogram_whole(h),
				  .weight = weight_of(h, row),
				  .name = name,
				  .naming = h->functions};
	const struct chain_tree_options from = {.functions = h->functions,
						.shape = &h->options->shape,
						.whole = tree.whole,
						.caller_first = h->options->caller_first,
						.hide_unresolved = h->options->hide_unresolved};
	int ret = 0;

	call_tree_deinit(&h->tree);
	call_tree_init(&h->tree, &h->options->limits->trees);
	if (h->chains && has_tree(h, row) && h->options->limits->trees.steps)
		ret = make_tree(h, &from, row);
	if (!ret)
		ret = call_tree_arrange(&h->tree, &h->options->shape, compare_functions,
					h->functions, &tree);
	*ret_tree = tree;
	return ret;
}

int histogram_init(struct histogram *h, struct profile *profile, struct functions *functions,
		   const struct histogram_options *options, uint32_t event)
{
	*h = (struct histogram){
		.profile = profile, .functions = functions, .options = options, .event = event};
	table_init(&h->rows, sizeof(struct histogram_row), offsetof(struct histogram_row, period));
	call_tree_init(&h->tree, &options->limits->trees);
	h->frames = calloc(CHAIN_MAX, sizeof(*h->frames));
	h->last_rows = calloc(CHAIN_MAX + 1, sizeof(*h->last_rows));
	if (h->frames && h->last_rows && !count_all(h, event) && !choose_rows(h) &&
	    (!options->trees || !keep_chains(h, 0)))
		return 0;
	histogram_deinit(h);
	return -ENOMEM;
}

void histogram_deinit(struct histogram *h)
{
	table_deinit(&h->rows);
	call_tree_deinit(&h->tree);
	free(h->order);
	free(h->chains);
	free(h->frames);
	free(h->last_rows);
}
