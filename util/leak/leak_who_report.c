// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_who_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/leak/leak_column.h"
#include "util/render/value_text.h"
#include "util/report/key_column.h"

/* Default number of rows in text. */
#define WHO_LINES 8

static const char *text_of(const struct report_context *c, uint64_t name)
{
	return intern_get(&c->naming->names.strings, (uint32_t)name, NULL);
}

#define CELL(name, type, expression)                                                               \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const type *r = cell->row;                                                         \
                                                                                                   \
		return expression;                                                                 \
	}

/* ---- text ------------------------------------------------------------------------------------ */

void leak_holder_add_name(struct strbuf *sb, const struct report_context *c,
			  const struct leak_holder *h)
{
	const struct leak_who *who = h->who;
	char digits[UNITS_BUF];

	strbuf_addstr(sb, text_of(c, who->name));
	if (who->processes > 1)
		strbuf_addf(sb, " (%s processes)", report_number(c, digits, who->processes));
	else if (h->whos->by == KEY_COMM)
		strbuf_addf(sb, "-%" PRId64, (int64_t)who->most.pid);
	if (who->knows_running && !who->running)
		strbuf_addstr(sb, who->processes > 1 ? ", all ended" : " (ended)");
}

void leak_holder_add_site(struct strbuf *sb, const struct report_context *c,
			  const struct leak_holder *h)
{
	const struct value_callsite site = naming_callsite(c->naming, h->who->key[0]);

	value_add_callsite(sb, &site, c->options->raw_ip);
}

static struct value held_by(const struct document_cell *cell)
{
	leak_holder_add_name(cell->scratch, cell->context, cell->row);
	return value_text(cell->scratch->buf);
}

static struct value held_bytes(const struct document_cell *cell)
{
	const struct leak_holder *h = cell->row;
	struct value v = value_bytes(h->who->bytes);
	char text[UNITS_BUF];

	strbuf_addstr(cell->scratch, units_bytes(text, sizeof(text), h->who->bytes));
	v.shown = cell->scratch->buf;
	return v;
}

static struct value with_role(struct value v, const struct leak_holder *h)
{
	v.role = leak_behaviour_role(h->who->behaviour);
	return v;
}

CELL(held_behaviour, struct leak_holder,
     with_role(value_text(leak_behaviour_name(r->who->behaviour)), r))
CELL(held_evidence, struct leak_holder, value_text(leak_confidence_word(r->who->confidence)))
CELL(held_growth, struct leak_holder,
     with_role(leak_growth_value(r->who->growth, cell->scratch), r))
CELL(held_memory, struct leak_holder, value_text(account_table[r->account]->id))

static struct value held_site(const struct document_cell *cell)
{
	const struct report_context *c = cell->context;
	const struct leak_holder *h = cell->row;

	return value_callsite(naming_callsite(c->naming, h->who->key[0]));
}

static const struct document_column evidence_column = {NULL, "Evidence", .value = held_evidence,
						       .keep = 4};
static const struct document_column memory_column = {NULL, "Memory", .value = held_memory,
						     .is_name = true, .keep = 1};
static const struct document_column columns_for_people[] = {
	{NULL, "Who", .value = held_by, .is_name = true, .is_key = true, .cut = 4, .width = 20},
	{NULL, "Behaviour", .value = held_behaviour, .keep = 3},
	{NULL, "Bytes", .value = held_bytes, .keep = 6},
	{NULL, "Growth/s", .value = held_growth, .keep = 5},
	{NULL, "Most of it by", .value = held_site, .is_name = true, .cut = 3, .keep = 2},
};

static int by_rank(const void *x, const void *y)
{
	const struct leak_holder *a = x, *b = y;
	int ret = leak_who_compare(a->who, b->who);

	return ret ? ret : a->account - b->account;
}

static bool is_judged(const struct leak *l)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (l->rows[i].hits && !l->rows[i].frees_unknown)
			return true;
	return false;
}

/* Whether text lists a row that leaks or grows, with enough evidence for a holder. */
static bool is_any_row_accused(const struct leak_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct leak_row *r = &rows->v[i];

		if (leak_behaviour_is_leak(r->behaviour) &&
		    (r->use == LEAK_KERNEL || r->use == LEAK_SHMEM) && !r->frees_unknown &&
		    leak_level(r->evidence.confidence) != LEAK_LOW)
			return true;
	}
	return false;
}

/* The commands of a row may leak together although none does alone. */
static void say_no_holder(struct document_section *in, const struct leak *l)
{
	const struct leak_whos *of = NULL;

	for (int i = 0; !of && i < ACCOUNTS_NR; i++)
		if (is_any_row_accused(&l->rows[i]))
			of = &l->rows[i].whos;
	if (of)
		document_add_line(in,
				  "With high or medium evidence, rows below leak or grow, but no "
				  "%s alone at one call site.",
				  of->by == KEY_CGROUP ? "control group" : "command");
	else
		document_add_line(in, "Nothing leaks or grows with high or medium evidence.");
}

/* The first row's command. */
static void add_next(struct document_section *in, const struct report_context *c,
		     const struct leak_holder *h, const struct leak_advice *advice)
{
	const char *name = text_of(c, h->who->name), *options = advice->options[h->account];
	struct strbuf filter = STRBUF_INIT, command = STRBUF_INIT;

	if (!advice->command || !printable_is_word(name))
		return;
	strbuf_addf(&filter, " --%s %s", kmem_key_name(h->whos->by), name);
	if (!filter.failed)
		strbuf_addf(&command, "%s --%s%s%s%s", advice->command,
			    account_table[h->account]->id, filter.buf, options, advice->workload);
	if (filter.failed || command.failed)
		in->document->failed = true;
	/* otherwise this is that command */
	else if (*options || !strstr(advice->command, filter.buf))
		document_add_command(in, "Next", command.buf);
	strbuf_deinit(&filter);
	strbuf_deinit(&command);
}

struct leak_holder *leak_holders(struct document *d, const struct leak *l, size_t *ret_nr)
{
	size_t nr = 0;
	struct leak_holder *v;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		nr += l->rows[i].whos.nr;
	*ret_nr = nr;
	v = nr ? document_own(d, calloc(nr, sizeof(*v))) : NULL;
	if (!v)
		return NULL;
	nr = 0;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		for (size_t k = 0; k < l->rows[i].whos.nr; k++)
			v[nr++] = (struct leak_holder){&l->rows[i].whos.v[k], &l->rows[i].whos, i};
	qsort(v, nr, sizeof(*v), by_rank);
	return v;
}

/* Columns with one value for all rows are left out. */
static void add_columns(struct document_columns *columns, struct document *d,
			const struct leak_holder *v, size_t nr, const char **ret_title)
{
	bool is_of_several = false, has_levels = false;

	for (size_t i = 1; i < nr; i++) {
		is_of_several |= v[i].account != v[0].account;
		has_levels |= leak_level(v[i].who->confidence) != leak_level(v[0].who->confidence);
	}
	document_columns_init(columns, d, NR_OF(columns_for_people) + 2);
	document_columns_add_all(columns, columns_for_people, NR_OF(columns_for_people));
	if (has_levels)
		document_columns_add(columns, &evidence_column);
	if (is_of_several)
		document_columns_add(columns, &memory_column);
	*ret_title = has_levels ? "WHO HOLDS WHAT LEAKS OR GROWS"
		     : leak_level(v[0].who->confidence) == LEAK_HIGH
			     ? "WHO HOLDS WHAT LEAKS OR GROWS (EVIDENCE: HIGH)"
			     : "WHO HOLDS WHAT LEAKS OR GROWS (EVIDENCE: MEDIUM)";
}

void leak_who_add(struct document_section *in, const struct report_context *c, const struct leak *l,
		  const struct leak_advice *advice, uint64_t lines)
{
	struct document_columns columns;
	struct document_section *s;
	const char *title;
	struct leak_holder *v;
	size_t nr;

	if (!document_is_for(in, FOR_PEOPLE) || !is_judged(l))
		return;
	v = leak_holders(in->document, l, &nr);
	if (!v) {
		if (!nr)
			say_no_holder(in, l);
		return;
	}
	add_columns(&columns, in->document, v, nr, &title);
	if (lines > WHO_LINES)
		lines = WHO_LINES;
	s = document_add_styled(in, title, STYLE_LINES);
	document_add_table(s,
			   &(struct document_table){
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = v,
				   .row_size = sizeof(*v),
				   .nr_rows = nr < lines ? nr : lines,
				   .rows_total = nr,
				   .context = c,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE);
	add_next(s, c, &v[0], advice);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

CELL(name, struct leak_who, value_text(text_of(cell->context, r->name)))
CELL(pid, struct leak_who, value_signed_id((int64_t)r->most.pid))
CELL(processes, struct leak_who, value_u64(r->processes))
CELL(running, struct leak_who, value_u64_if(r->knows_running, r->running))
CELL(behaviour, struct leak_who, value_text(leak_behaviour_name(r->behaviour)))
CELL(confidence, struct leak_who, value_real(r->confidence, 3, 3))
CELL(evidence, struct leak_who, value_text(leak_confidence_word(r->confidence)))
CELL(hits, struct leak_who, value_u64(r->hits))
CELL(bytes, struct leak_who, value_u64(r->bytes))
CELL(growth, struct leak_who, value_i64(r->growth))
CELL(sites, struct leak_who, value_u64(r->sites))

static const struct document_column figures[] = {
	{"pid", .value = pid},
	{"processes", .value = processes},
	{"running", .value = running},
	{"behaviour", .value = behaviour},
	{"confidence", .value = confidence},
	{"evidence", .value = evidence},
	{"hits", .value = hits},
	{"bytes", .value = bytes},
	{"growth_bytes_per_second", .value = growth},
	{"sites", .value = sites},
};

void leak_who_add_data(struct document_section *in, const struct report_context *c, int account,
		       const struct leak_whos *whos)
{
	const struct table_spec *sites = &account_table[account]->allocator->leak->sites;
	const struct document_column named = {.id = kmem_key_name(whos->by), .value = name};
	struct document_columns columns;

	if (!document_is_for(in, FOR_DATA))
		return;
	document_columns_init(&columns, in->document, NR_OF(figures) + 16);
	document_columns_add(&columns, &named);
	document_columns_add_all(&columns, figures, NR_OF(figures));
	key_columns_add(&columns, c->naming, sites->by, sites->nr_by, FOR_SHEETS);
	key_columns_add(&columns, c->naming, sites->by, sites->nr_by, FOR_PROGRAMS);
	document_add_table(in,
			   &(struct document_table){
				   .id = "who",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = whos->v,
				   .row_size = sizeof(*whos->v),
				   .nr_rows = whos->nr,
				   .rows_total = whos->nr,
				   .context = c,
				   .is_aside = true,
			   },
			   FOR_DATA);
}
