// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "chrome": live memory over time, as counters of the Trace Event Format, which Perfetto
 * and Chrome's own viewer draw.
 *
 * A section with a "timeline" is a process of that trace. Each of the timeline's series is a
 * counter with a value for each step. Its rows are one counter together, with a value for each row.
 * Times are microseconds with three decimals.
 */
#include <errno.h>
#include <string.h>

#include "util/render/form.h"
#include "util/render/json.h"
#include "util/render/value_text.h"

struct chrome {
	struct json j;
	struct render_options options;
	struct strbuf name, scratch;
	uint64_t pid;
};

/* The steps of a timeline. */
struct steps {
	uint64_t start_ns, step_ns;
	const struct document_figure *peak_ns, *peak_bytes; /* NULL if unknown */
};

static void open_event(struct chrome *c, const char *phase, const char *name)
{
	json_open(&c->j, NULL, '{', true);
	json_string(&c->j, "ph", phase);
	json_u64(&c->j, "pid", c->pid);
	json_string(&c->j, "name", name);
}

static void add_time(struct chrome *c, uint64_t ns)
{
	json_double(&c->j, "ts", (double)ns / 1000, 3);
}

static void write_process_name(struct chrome *c, const char *name)
{
	open_event(c, "M", "process_name");
	json_open(&c->j, "args", '{', true);
	json_string(&c->j, "name", name);
	json_close(&c->j, '}');
	json_close(&c->j, '}');
}

/* Live bytes are those at the end of a step; events are counted from its start on. */
static uint64_t time_of(const struct steps *steps, const char *series, size_t step)
{
	return steps->start_ns + (step + !strcmp(series, "live_bytes")) * steps->step_ns;
}

static void write_series(struct chrome *c, const struct steps *steps,
			 const struct document_figure *f)
{
	for (size_t i = 0; i < f->value.numbers.nr; i++) {
		open_event(c, "C", f->id);
		add_time(c, time_of(steps, f->id, i));
		json_open(&c->j, "args", '{', true);
		json_u64(&c->j, f->id, f->value.numbers.v[i]);
		json_close(&c->j, '}');
		json_close(&c->j, '}');
	}
}

/* "1 kmem_cache_alloc+12, vm_area_struct": the number distinguishes rows with the same names. */
static const char *name_row(struct chrome *c, const struct document_table *t, uint64_t i,
			    const void *row)
{
	const char *sep = " ";

	strbuf_reset(&c->name);
	strbuf_addf(&c->name, "%llu", (unsigned long long)i + 1);
	for (size_t k = 0; k < t->nr_columns; k++) {
		struct value v;

		if (!(document_column_audience(&t->columns[k]) & FOR_GRAPHS))
			continue;
		v = document_table_value(t, &t->columns[k], row, &c->scratch);
		strbuf_addstr(&c->name, sep);
		value_add_text(&c->name, &c->options, &v);
		sep = ", ";
	}
	return c->name.buf;
}

static const struct document_column *live_column(const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].id && !strcmp(t->columns[i].id, "live_bytes"))
			return &t->columns[i];
	return NULL;
}

static void write_rows_at(struct chrome *c, const struct steps *steps,
			  const struct document_table *t, const struct document_column *live,
			  size_t step)
{
	struct document_row_buf buf;

	open_event(c, "C", "live_bytes of rows");
	add_time(c, time_of(steps, live->id, step));
	json_open(&c->j, "args", '{', true);
	for (uint64_t i = 0; i < t->nr_rows; i++) {
		const void *row = document_table_row(t, i, &buf);
		struct value v = document_table_value(t, live, row, &c->scratch);

		if (step < v.numbers.nr)
			json_u64(&c->j, name_row(c, t, i, row), v.numbers.v[step]);
	}
	json_close(&c->j, '}');
	json_close(&c->j, '}');
}

static void write_rows(struct chrome *c, const struct steps *steps, const struct document_table *t)
{
	const struct document_column *live = live_column(t);
	struct document_row_buf buf;
	size_t nr;

	if (!live || !t->nr_rows)
		return;
	nr = document_table_value(t, live, document_table_row(t, 0, &buf), &c->scratch).numbers.nr;
	for (size_t i = 0; i < nr; i++)
		write_rows_at(c, steps, t, live, i);
}

static void write_peak(struct chrome *c, const struct steps *steps)
{
	if (!steps->peak_ns || !steps->peak_bytes || steps->peak_ns->value.kind == VALUE_NONE)
		return;
	open_event(c, "i", "most live bytes");
	json_string(&c->j, "s", "p");
	add_time(c, steps->peak_ns->value.u64);
	json_open(&c->j, "args", '{', true);
	json_u64(&c->j, "bytes", steps->peak_bytes->value.u64);
	json_close(&c->j, '}');
	json_close(&c->j, '}');
}

static struct steps find_steps(const struct document_section *timeline)
{
	struct steps steps = {.start_ns = 0};

	for (size_t i = 0; i < timeline->nr_items; i++) {
		const struct document_figure *f = &timeline->items[i].figure;

		if (timeline->items[i].kind != DOCUMENT_FIGURE)
			continue;
		if (!strcmp(f->id, "start_ns"))
			steps.start_ns = f->value.u64;
		else if (!strcmp(f->id, "step_ns"))
			steps.step_ns = f->value.u64;
		else if (!strcmp(f->id, "peak_ns"))
			steps.peak_ns = f;
		else if (!strcmp(f->id, "peak_bytes"))
			steps.peak_bytes = f;
	}
	return steps;
}

static void write_timeline(struct chrome *c, const char *process,
			   const struct document_section *timeline)
{
	const struct steps steps = find_steps(timeline);

	c->pid++;
	write_process_name(c, process);
	for (size_t i = 0; i < timeline->nr_items; i++) {
		const struct document_item *item = &timeline->items[i];

		if (item->kind == DOCUMENT_TABLE)
			write_rows(c, &steps, &item->table);
		else if (item->kind == DOCUMENT_FIGURE && item->figure.value.kind == VALUE_NUMBERS)
			write_series(c, &steps, &item->figure);
	}
	write_peak(c, &steps);
}

static void write_section(struct chrome *c, const struct document_section *s)
{
	for (size_t i = 0; i < s->nr_items; i++) {
		const struct document_section *child = s->items[i].section;

		if (s->items[i].kind != DOCUMENT_SECTION)
			continue;
		if (s->id && child->id && !strcmp(child->id, "timeline"))
			write_timeline(c, s->id, child);
		else
			write_section(c, child);
	}
}

/* Facts of the recording: its figures that are a name or a number. */
static void write_recording(struct chrome *c, const struct document_section *root)
{
	const struct document_section *s = NULL;

	for (size_t i = 0; i < root->nr_items; i++)
		if (root->items[i].kind == DOCUMENT_SECTION && root->items[i].section->id &&
		    !strcmp(root->items[i].section->id, "recording"))
			s = root->items[i].section;
	json_open(&c->j, "otherData", '{', false);
	for (size_t i = 0; s && i < s->nr_items; i++) {
		const struct document_figure *f = &s->items[i].figure;

		if (s->items[i].kind != DOCUMENT_FIGURE)
			continue;
		if (f->value.kind == VALUE_TEXT)
			json_string(&c->j, f->id, f->value.text);
		else if (f->value.kind == VALUE_U64)
			json_u64(&c->j, f->id, f->value.u64);
	}
	json_close(&c->j, '}');
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	struct chrome c = {
		.options = {.thousands_sep = "", .raw_ip = o->raw_ip},
		.name = STRBUF_INIT,
		.scratch = STRBUF_INIT,
	};
	int ret;

	json_init(&c.j, out);
	json_open(&c.j, NULL, '{', false);
	json_string(&c.j, "displayTimeUnit", "ns");
	write_recording(&c, &d->root);
	json_open(&c.j, "traceEvents", '[', false);
	write_section(&c, &d->root);
	json_close(&c.j, ']');
	json_close(&c.j, '}');
	ret = json_finish(&c.j);
	if (c.name.failed || c.scratch.failed)
		ret = -ENOMEM;
	strbuf_deinit(&c.name);
	strbuf_deinit(&c.scratch);
	return ret;
}

const struct form form_chrome = {
	.name = "chrome",
	.audience = FOR_GRAPHS | FOR_PROGRAMS,
	.needs = HAS_TIMELINE,
	.lacks = "timeline to draw",
	.wants = WANTS_TIMELINE,
	.render = render,
};
