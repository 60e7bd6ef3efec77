// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/source/facts.h"

static const struct histogram_row *row_of(const struct document_cell *cell)
{
	return cell->row;
}

static const struct histogram *histogram_of(const struct document_cell *cell)
{
	return ((const struct fields_context *)cell->context)->histogram;
}

static uint32_t id_of(const struct document_cell *cell)
{
	return row_of(cell)->ids[cell->column->index];
}

/* ---- values ---- */

static struct value value_string(const struct document_cell *cell)
{
	return value_text(profile_string(histogram_of(cell)->profile, id_of(cell)));
}

static struct value value_dso(const struct document_cell *cell)
{
	return value_text(dso_short_name(profile_string(histogram_of(cell)->profile, id_of(cell))));
}

/* Text output has "[k] name" or "[.] name", or an address of 16 digits. */
static struct value value_symbol(const struct document_cell *cell)
{
	const struct histogram *h = histogram_of(cell);
	const struct function *fn = function_at(h->functions, id_of(cell));
	struct value v = value_text(NULL);

	strbuf_addf(cell->scratch, "[%c] ", fn->in_user ? '.' : 'k');
	if (fn->name == INTERN_NONE) {
		strbuf_addf(cell->scratch, "0x%016" PRIx64, fn->start);
		v = value_hex(fn->start);
	} else {
		v = value_text(profile_string(h->profile, fn->name));
		strbuf_addstr(cell->scratch, v.text);
		if (fn->is_inlined)
			strbuf_addstr(cell->scratch, " (inlined)");
	}
	v.shown = cell->scratch->buf;
	return v;
}

static struct value value_cpu(const struct document_cell *cell)
{
	struct value v = value_signed_id((int32_t)id_of(cell));

	strbuf_addf(cell->scratch, "%03" PRId32, (int32_t)id_of(cell));
	v.shown = cell->scratch->buf;
	return v;
}

/* Text output has "   1234:command", with the command that the task has at the end. */
static struct value value_task(const struct document_cell *cell)
{
	struct profile *p = histogram_of(cell)->profile;
	uint32_t comm = threads_comm(&p->threads, id_of(cell));
	struct value v = value_signed_id((int32_t)id_of(cell));

	strbuf_addf(cell->scratch, "%7" PRId32 ":%s", (int32_t)id_of(cell),
		    comm == INTERN_NONE ? "" : profile_string(p, comm));
	v.shown = cell->scratch->buf;
	return v;
}

static struct value value_event(const struct document_cell *cell)
{
	return value_text(histogram_of(cell)->profile->facts->events[id_of(cell)]->name);
}

static struct value percent(const struct document_cell *cell, uint64_t weight)
{
	uint64_t whole = histogram_whole(histogram_of(cell));
	struct value v = value_percent(whole ? 100.0 * (double)weight / (double)whole : 0.0, 4, 2);

	v.unit = "%";
	return v;
}

static struct value value_overhead(const struct document_cell *cell)
{
	return percent(cell, row_of(cell)->period);
}

static struct value value_children(const struct document_cell *cell)
{
	return percent(cell, row_of(cell)->total);
}

static struct value value_samples(const struct document_cell *cell)
{
	return value_u64(row_of(cell)->nr);
}

static struct value value_period(const struct document_cell *cell)
{
	return value_u64(row_of(cell)->period);
}

static struct value value_call_tree(const struct document_cell *cell)
{
	struct fields_context *c = (struct fields_context *)(uintptr_t)cell->context;
	struct value v = {.kind = VALUE_TREE};

	c->failed |= histogram_tree(c->histogram, cell->row, &v.tree) != 0;
	return c->failed ? value_none() : v;
}

/* ---- the table ---- */

static const struct field {
	const char *name, *alias;
	const char *heading;
	struct value (*value)(const struct document_cell *cell);
	int width; /* minimum width of a figure */
	unsigned int parts;
} fields[HISTOGRAM_FIELDS] = {
	[FIELD_COMM] = {"comm", NULL, "Command", value_string, 0, PROFILE_COMM},
	[FIELD_DSO] = {"dso", NULL, "Shared Object", value_dso, 0, 0},
	[FIELD_SYMBOL] = {"symbol", "sym", "Symbol", value_symbol, 0, 0},
	[FIELD_CPU] = {"cpu", NULL, "CPU", value_cpu, 0, PROFILE_CPU},
	[FIELD_TID] = {"pid", "tid", "    Pid:Command", value_task, 0, PROFILE_TID},
	[FIELD_PID] = {"tgid", NULL, "   Tgid:Command", value_task, 0, PROFILE_PID},
	[FIELD_EVENT] = {"event", NULL, "Event", value_event, 0, 0},
	[FIELD_TRACE] = {"trace", NULL, "Trace output", value_string, 0, 0},
	[FIELD_SRCLINE] = {"srcline", NULL, "Source:Line", value_string, 0, 0},
	[FIELD_SRCFILE] = {"srcfile", NULL, "Source File", value_string, 0, 0},
	[FIELD_OVERHEAD] = {"overhead", NULL, "Overhead", value_overhead, 8, 0},
	[FIELD_CHILDREN] = {"overhead_children", NULL, "Children", value_children, 8, 0},
	[FIELD_SAMPLES] = {"sample", "samples", "Samples", value_samples, 12, 0},
	[FIELD_PERIOD] = {"period", NULL, "Period", value_period, 12, 0},
};

static bool is_name(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !strncmp(name, word, len);
}

void fields_add(struct histogram_fields *f, enum histogram_field field)
{
	if (!histogram_fields_have(f, field))
		f->v[f->nr++] = field;
}

int fields_parse(struct histogram_fields *f, const char *list, struct error *err)
{
	while (*list) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < HISTOGRAM_FIELDS && !is_name(fields[i].name, list, len) &&
		       !is_name(fields[i].alias, list, len))
			i++;
		if (i == HISTOGRAM_FIELDS)
			return error_set(err, EINVAL,
					 "'%.*s' is not a field ('perf report --help' lists them)",
					 (int)(len < 80 ? len : 80), list);
		fields_add(f, (enum histogram_field)i);
		list += len + (list[len] == ',');
	}
	return 0;
}

unsigned int fields_parts(const struct histogram_fields *f)
{
	unsigned int parts = 0;

	for (size_t i = 0; i < f->nr; i++)
		parts |= fields[f->v[i]].parts;
	return parts;
}

struct document_column fields_column(enum histogram_field field, bool children)
{
	const struct field *f = &fields[field];

	return (struct document_column){
		.id = f->name,
		.heading = field == FIELD_OVERHEAD && children ? "Self" : f->heading,
		.width = f->width,
		.is_name = field < HISTOGRAM_KEYS,
		.value = f->value,
		.index = field,
	};
}

struct document_column fields_tree_column(void)
{
	return (struct document_column){
		.id = "callchains",
		.below = true,
		.value = value_call_tree,
		.audience = FOR_PEOPLE | FOR_PROGRAMS,
	};
}
