// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "folded", for flame graph tools: one "outermost;...;innermost WEIGHT" per line. A
 * comparison has two weights, the old one first, as difffolded.pl writes them.
 *
 * FOR_GRAPHS columns of a table except samples are frames, in order; a callchain is several. If
 * several allocators have stacks, the outermost frame is the allocator: bytes of slab objects are
 * also bytes of pages, so these must not be added up.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/render/form.h"
#include "util/render/value_text.h"

struct folded_state {
	FILE *out;
	struct render_options options; /* without separators, so digits are not grouped */
	struct strbuf line, frame, scratch;
	const char *allocator; /* of the section; NULL: none */
	const char *first;     /* the first allocator with stacks */
	bool has_several;      /* so has another one */
};

/* A frame must contain neither the separator nor a newline. */
static void add_frame(struct strbuf *line, const char *frame)
{
	if (line->len)
		strbuf_addch(line, ';');
	for (; *frame; frame++)
		strbuf_addch(line, *frame == ';'		  ? ':'
				   : (unsigned char)*frame < 0x20 ? '?'
								  : *frame);
}

/* A flame graph merges by function, so leave out the offset. */
static void add_callsite(struct folded_state *s, const struct value_callsite *c)
{
	strbuf_reset(&s->frame);
	if (c->symbol && !s->options.raw_ip)
		strbuf_addstr(&s->frame, c->symbol);
	else
		value_add_callsite(&s->frame, c, true);
	add_frame(&s->line, s->frame.buf);
}

static void add_value(struct folded_state *s, const struct value *v)
{
	switch (v->kind) {
	case VALUE_STACK:
		for (size_t i = v->stack.nr; i-- > 0;) {
			const struct value_callsite c =
				v->stack.name(v->stack.naming, v->stack.frames[i]);

			add_callsite(s, &c);
		}
		break;
	case VALUE_CALLSITE:
		add_callsite(s, &v->callsite);
		break;
	default:
		strbuf_reset(&s->frame);
		value_add_text(&s->frame, &s->options, v);
		add_frame(&s->line, s->frame.buf);
	}
}

static uint64_t weight_of(struct folded_state *s, const struct document_table *t,
			  const struct document_column *weight, const void *row)
{
	return weight ? document_table_value(t, weight, row, &s->scratch).u64 : 0;
}

static void write_row(struct folded_state *s, const struct document_table *t, const void *row)
{
	const uint64_t weight = weight_of(s, t, t->weight, row);
	const uint64_t old = weight_of(s, t, t->old_weight, row);

	if (!weight && !old)
		return;
	strbuf_reset(&s->line);
	if (s->has_several && s->allocator)
		add_frame(&s->line, s->allocator);
	if (t->root) {
		struct value root = document_table_value(t, t->root, row, &s->scratch);

		add_value(s, &root);
	}
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct value v;

		if (!(document_column_audience(&t->columns[i]) & FOR_GRAPHS) ||
		    t->columns[i].sample)
			continue;
		v = document_table_value(t, &t->columns[i], row, &s->scratch);
		add_value(s, &v);
	}
	fputs(s->line.len ? s->line.buf : "unknown", s->out);
	if (t->old_weight)
		fprintf(s->out, " %" PRIu64, old);
	fprintf(s->out, " %" PRIu64 "\n", weight);
}

static void open_section(void *state, const struct document_section *section)
{
	struct folded_state *s = state;

	if (section->kind)
		s->allocator = section->id;
}

static void close_section(void *state, const struct document_section *section)
{
	struct folded_state *s = state;

	if (section->kind)
		s->allocator = NULL;
}

static void count_allocator(void *state, const struct document_table *t)
{
	struct folded_state *s = state;

	if (!t->weight || !t->nr_rows || !s->allocator)
		return;
	s->has_several |= s->first && strcmp(s->first, s->allocator) != 0;
	s->first = s->allocator;
}

static void write_table(void *state, const struct document_table *t)
{
	struct document_row_buf buf;

	for (uint64_t i = 0; t->weight && i < t->nr_rows; i++)
		write_row(state, t, document_table_row(t, i, &buf));
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops counting = {.audience = FOR_GRAPHS,
						   .open = open_section,
						   .table = count_allocator,
						   .close = close_section};
	static const struct render_ops ops = {.audience = FOR_GRAPHS,
					      .open = open_section,
					      .table = write_table,
					      .close = close_section};
	struct folded_state s = {
		.out = out,
		.options = {.thousands_sep = "", .raw_ip = o->raw_ip},
		.line = STRBUF_INIT,
		.frame = STRBUF_INIT,
		.scratch = STRBUF_INIT,
	};
	int ret;

	render_section(&counting, &s, &d->root);
	render_section(&ops, &s, &d->root);
	ret = s.line.failed || s.frame.failed || s.scratch.failed ? -ENOMEM : 0;
	strbuf_deinit(&s.line);
	strbuf_deinit(&s.frame);
	strbuf_deinit(&s.scratch);
	return ret;
}

const struct form form_folded = {
	"folded", FOR_GRAPHS, HAS_TABLES | HAS_STACKS, "stacks to fold", WANTS_STACKS,
	NULL,	  render};
