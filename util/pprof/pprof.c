// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "pprof": a profile for go tool pprof and other readers of its format (pprof.proto),
 * compressed with gzip.
 *
 * A sample is a row, and its FOR_GRAPHS columns are frames, as in folded stacks. Names without an
 * address (a cache, a command) are the outer frames, so that call sites stand below their caches.
 * An allocator's tables show the same bytes in several ways, so only one is written. The columns
 * with a `sample` (struct document_column) are its values; those of a comparison may be negative.
 *
 * Concatenated messages of the format are read as one message: each sample is written as a message
 * of its own, and only the items that samples refer to are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/render/form.h"

#if defined HAVE_PROTOBUF_C && defined HAVE_ZLIB
#include "util/pprof/pprof_profile.h"
#include "util/render/value_text.h"

/* The possible values of a sample, in the order in which they are written. A report has some of
 * them. */
static const struct sample_type {
	const char *type, *unit;
} sample_types[] = {
	{"leaking_space", "bytes"}, {"leaking_objects", "count"}, {"alloc_space", "bytes"},
	{"alloc_objects", "count"}, {"inuse_space", "bytes"},	  {"inuse_objects", "count"},
};

#define NR_SAMPLE_TYPES (sizeof(sample_types) / sizeof(sample_types[0]))

struct pprof {
	struct pprof_profile profile;
	struct render_options options;
	struct strbuf text, scratch;
	uint64_t *frames; /* of a sample: ids of locations, outermost first */
	size_t nr_frames, cap_frames;
	bool has[NR_SAMPLE_TYPES]; /* the types that the report has */
	bool failed;
};

/* ---- samples --------------------------------------------------------------------------------- */

static void add_frame(struct pprof *p, uint64_t location)
{
	if (p->nr_frames == p->cap_frames) {
		size_t cap = p->cap_frames ? 2 * p->cap_frames : 64;
		uint64_t *frames = reallocarray(p->frames, cap, sizeof(*frames));

		if (!frames) {
			p->failed = true;
			return;
		}
		p->frames = frames;
		p->cap_frames = cap;
	}
	p->frames[p->nr_frames++] = location;
}

static void add_stack(struct pprof *p, const struct value_stack *stack)
{
	if (!stack->nr)
		add_frame(p, pprof_profile_name(&p->profile, "unknown"));
	for (size_t i = stack->nr; i-- > 0;)
		add_frame(p, pprof_profile_frame(&p->profile, stack, i));
}

static bool has_address(const struct value *v)
{
	return v->kind == VALUE_STACK || v->kind == VALUE_CALLSITE;
}

static void add_value(struct pprof *p, const struct value *v)
{
	switch (v->kind) {
	case VALUE_STACK:
		add_stack(p, &v->stack);
		break;
	case VALUE_CALLSITE:
		add_frame(p, pprof_profile_callsite(&p->profile, &v->callsite));
		break;
	default:
		strbuf_reset(&p->text);
		value_add_text(&p->text, &p->options, v);
		add_frame(p, pprof_profile_name(&p->profile, p->text.buf));
	}
}

static bool is_frame(const struct document_column *c)
{
	return document_column_audience(c) & FOR_GRAPHS && !c->sample;
}

/* Add either the frames with an address, or those without. */
static void add_frames(struct pprof *p, const struct document_table *t, const void *row,
		       bool addresses)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct value v;

		if (!is_frame(&t->columns[i]))
			continue;
		v = document_table_value(t, &t->columns[i], row, &p->scratch);
		if (has_address(&v) == addresses)
			add_value(p, &v);
	}
}

static void turn_frames(struct pprof *p)
{
	for (size_t i = 0, j = p->nr_frames; i + 1 < j; i++) {
		uint64_t outer = p->frames[i];

		p->frames[i] = p->frames[--j];
		p->frames[j] = outer;
	}
}

/* The columns with the values of samples; NULL if the table lacks one. */
struct values {
	const struct document_column *columns[NR_SAMPLE_TYPES];
};

static struct values find_values(const struct document_table *t)
{
	struct values v = {.columns = {NULL}};

	for (size_t i = 0; i < t->nr_columns; i++)
		for (size_t type = 0; t->columns[i].sample && type < NR_SAMPLE_TYPES; type++)
			if (!strcmp(t->columns[i].sample, sample_types[type].type))
				v.columns[type] = &t->columns[i];
	return v;
}

/* Rates are rounded: values of samples are whole numbers. */
static int64_t whole(const struct value *v)
{
	switch (v->kind) {
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		return v->i64;
	case VALUE_REAL:
		return (int64_t)(v->real < 0 ? v->real - 0.5 : v->real + 0.5);
	default:
		return (int64_t)v->u64;
	}
}

static void write_sample(struct pprof *p, const struct document_table *t,
			 const struct values *values, const void *row, Pprof__Label *label)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *one = &sample;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	int64_t numbers[NR_SAMPLE_TYPES] = {0};
	size_t nr = 0;

	p->nr_frames = 0;
	add_frames(p, t, row, false);
	add_frames(p, t, row, true);
	turn_frames(p);
	for (size_t i = 0; i < NR_SAMPLE_TYPES; i++) {
		struct value v = {.kind = VALUE_U64};

		if (values->columns[i])
			v = document_table_value(t, values->columns[i], row, &p->scratch);
		numbers[nr] = whole(&v);
		nr += p->has[i];
	}
	sample.location_id = p->frames;
	sample.n_location_id = p->nr_frames;
	sample.value = numbers;
	sample.n_value = nr;
	sample.label = &label;
	sample.n_label = 1;
	piece.sample = &one;
	piece.n_sample = 1;
	pprof_profile_write(&p->profile, &piece);
}

static void write_table(struct pprof *p, const struct document_table *t, const char *allocator)
{
	const struct values values = find_values(t);
	struct document_row_buf buf;
	Pprof__Label label = PPROF__LABEL__INIT;

	label.key = pprof_profile_string(&p->profile, "allocator");
	label.str = pprof_profile_string(&p->profile, allocator);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		write_sample(p, t, &values, document_table_row(t, i, &buf), &label);
}

/* ---- the choice of tables -------------------------------------------------------------------- */

static bool has_callchains(const struct document_table *t, const struct document_column *c,
			   struct strbuf *scratch)
{
	struct document_row_buf buf;

	for (uint64_t i = 0; i < t->nr_rows; i++) {
		struct value v =
			document_table_value(t, c, document_table_row(t, i, &buf), scratch);

		if (v.kind != VALUE_STACK)
			return false;
		if (v.stack.nr > 1)
			return true;
	}
	return false;
}

/* How precisely a table locates allocations: a column with callchains outweighs all keys. 0 if it
 * has no samples. */
static size_t rank(const struct document_table *t, struct strbuf *scratch)
{
	bool has_sample = false;
	size_t rank = 0;

	for (size_t i = 0; i < t->nr_columns; i++) {
		has_sample |= t->columns[i].sample != NULL;
		if (is_frame(&t->columns[i]))
			rank += has_callchains(t, &t->columns[i], scratch) ? t->nr_columns : 1;
	}
	return has_sample ? rank : 0;
}

/* The table to write for an allocator. */
struct choice {
	const char *allocator;
	const struct document_table *table;
	size_t rank;
};

#define CHOICES_MAX 8

struct choices {
	struct choice v[CHOICES_MAX];
	size_t nr;
};

/* Keep the first of the tables with the highest rank. */
static void choose_table(struct pprof *p, const struct document_table *t, const char *allocator,
			 struct choices *choices)
{
	size_t best = rank(t, &p->scratch), i = 0;

	while (i < choices->nr && strcmp(choices->v[i].allocator, allocator) != 0)
		i++;
	if (!best || i == CHOICES_MAX || (i < choices->nr && best <= choices->v[i].rank))
		return;
	choices->v[i] = (struct choice){allocator, t, best};
	choices->nr += i == choices->nr;
}

/* allocator: the id of the enclosing section that has a kind; NULL if none. */
static void choose(struct pprof *p, const struct document_section *s, const char *allocator,
		   struct choices *choices)
{
	if (s->kind && s->id)
		allocator = s->id;
	for (size_t i = 0; i < s->nr_items; i++) {
		const struct document_item *item = &s->items[i];

		if (item->kind == DOCUMENT_SECTION)
			choose(p, item->section, allocator, choices);
		else if (item->kind == DOCUMENT_TABLE && allocator)
			choose_table(p, &item->table, allocator, choices);
	}
}

/* ---- the profile ----------------------------------------------------------------------------- */

/* Choose the types of the first table: the others are from the same report. Without a table, choose
 * all. */
static void choose_types(struct pprof *p, const struct choices *choices)
{
	const struct values values =
		choices->nr ? find_values(choices->v[0].table) : (struct values){.columns = {NULL}};

	for (size_t i = 0; i < NR_SAMPLE_TYPES; i++)
		p->has[i] = !choices->nr || values.columns[i];
}

static void write_types(struct pprof *p, const struct document_column *weight)
{
	Pprof__ValueType types[NR_SAMPLE_TYPES], *list[NR_SAMPLE_TYPES];
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < NR_SAMPLE_TYPES; i++) {
		Pprof__ValueType *type = &types[piece.n_sample_type];

		if (!p->has[i])
			continue;
		pprof__value_type__init(type);
		type->type = pprof_profile_string(&p->profile, sample_types[i].type);
		type->unit = pprof_profile_string(&p->profile, sample_types[i].unit);
		if (!piece.n_sample_type ||
		    (weight && weight->sample && !strcmp(weight->sample, sample_types[i].type)))
			piece.default_sample_type = type->type;
		list[piece.n_sample_type++] = type;
	}
	piece.sample_type = list;
	pprof_profile_write(&p->profile, &piece);
}

static void write_comment(struct pprof *p, const struct document_figure *f)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	int64_t comment;

	strbuf_reset(&p->text);
	strbuf_addf(&p->text, "%s: ", f->id);
	value_add_text(&p->text, &p->options, &f->value);
	comment = pprof_profile_string(&p->profile, p->text.buf);
	piece.comment = &comment;
	piece.n_comment = 1;
	pprof_profile_write(&p->profile, &piece);
}

/* Facts of the recording: its time in the format's own fields, the others as comments. */
static void write_recording(struct pprof *p, const struct document_section *s)
{
	static const char *const shown[] = {"hostname", "kernel", "cmdline", "lost_samples",
					    "lost_percent"};
	Pprof__Profile when = PPROF__PROFILE__INIT;
	uint64_t first = 0, last = 0;

	for (size_t i = 0; i < s->nr_items; i++) {
		const struct document_figure *f = &s->items[i].figure;

		if (s->items[i].kind != DOCUMENT_FIGURE || !f->id || f->value.kind == VALUE_NONE)
			continue;
		if (!strcmp(f->id, "wall_clock_ns"))
			when.time_nanos = (int64_t)f->value.u64;
		else if (!strcmp(f->id, "start_ns"))
			first = f->value.u64;
		else if (!strcmp(f->id, "stop_ns"))
			last = f->value.u64;
		for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
			if (!strcmp(f->id, shown[k]))
				write_comment(p, f);
	}
	when.duration_nanos = last > first ? (int64_t)(last - first) : 0;
	pprof_profile_write(&p->profile, &when);
}

static void write_profile(struct pprof *p, const struct document_section *root)
{
	struct choices choices = {.nr = 0};

	for (size_t i = 0; i < root->nr_items; i++) {
		const struct document_item *item = &root->items[i];

		if (item->kind == DOCUMENT_SECTION && item->section->id &&
		    !strcmp(item->section->id, "recording"))
			write_recording(p, item->section);
		else if (item->kind == DOCUMENT_FIGURE && item->figure.id &&
			 !strcmp(item->figure.id, "filters"))
			write_comment(p, &item->figure);
	}
	choose(p, root, NULL, &choices);
	choose_types(p, &choices);
	write_types(p, choices.nr ? choices.v[0].table->weight : NULL);
	for (size_t i = 0; i < choices.nr; i++)
		write_table(p, choices.v[i].table, choices.v[i].allocator);
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	struct pprof p = {
		.options = {.thousands_sep = ""},
		.text = STRBUF_INIT,
		.scratch = STRBUF_INIT,
	};
	int ret = pprof_profile_init(&p.profile, out, o->raw_ip);

	if (ret)
		return ret;
	write_profile(&p, &d->root);
	ret = pprof_profile_finish(&p.profile);
	if (p.failed || p.text.failed || p.scratch.failed)
		ret = -ENOMEM;
	strbuf_deinit(&p.text);
	strbuf_deinit(&p.scratch);
	free(p.frames);
	return ret;
}

#define MISSING NULL
#else
#define MISSING "libprotobuf-c and zlib ('make config' shows what was found)"

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	(void)out, (void)o, (void)d;
	return -EOPNOTSUPP;
}
#endif

const struct form form_pprof = {
	.name = "pprof",
	.audience = FOR_GRAPHS | FOR_PROGRAMS,
	.needs = HAS_TABLES | HAS_SAMPLES,
	.lacks = "stacks for a profile",
	.wants = WANTS_STACKS | WANTS_PICTURES,
	.missing = MISSING,
	.is_binary = true,
	.render = render,
};
