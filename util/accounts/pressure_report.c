// SPDX-License-Identifier: GPL-2.0-or-later
/* --pressure: who waits for memory, and whose allocations fail. Findings, then tables of stalls by
 * kind, command, cgroup, call site and order, of failures, and of killed processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/accounts/pressure.h"
#include "util/base/units.h"
#include "util/report/findings.h"

static const struct {
	const char *id, *name;
	const char *times; /* in sentences, before the number */
} kinds[STALL_KINDS] = {
	[STALL_DIRECT] = {"direct", "direct reclaim", "direct reclaim"},
	[STALL_MEMCG] = {"memcg", "reclaim in a memory cgroup", "reclaim in a memory cgroup"},
	[STALL_NODE] = {"node", "reclaim in a node", "reclaim in a node"},
	[STALL_COMPACTION] = {"compaction", "compaction of a zone", "compaction"},
};

static uint64_t p99(const struct stall_row *r)
{
	return lifetime_histogram_percentile(&r->waits, 99);
}

static const char *text_of(const struct report_context *c, uint64_t number)
{
	return intern_get(&c->naming->names.strings, (uint32_t)number, NULL);
}

/* ---- findings ------------------------------------------------------------------------------- */

static const struct stall_row *longest(const struct pressure *p, enum pressure_by by)
{
	const struct stall_row *best = NULL;

	for (uint32_t i = 0; i < p->by[by].nr; i++) {
		const struct stall_row *r = table_row(&p->by[by], i);

		best = best && best->waits.max_ns >= r->waits.max_ns ? best : r;
	}
	return best;
}

static void say_waits(struct findings *f, const struct pressure *p)
{
	const struct stall_row *most = longest(p, BY_COMMAND);
	char a[UNITS_BUF], b[UNITS_BUF];
	const char *before = ":";

	strbuf_addf(&f->text, "In %.1f s ", findings_seconds(f->c));
	if (!most) {
		strbuf_addstr(&f->text, "no task waited for memory.");
		return;
	}
	strbuf_addf(&f->text, "%s command%s waited %s for memory",
		    findings_number(f, a, p->by[BY_COMMAND].nr),
		    p->by[BY_COMMAND].nr == 1 ? "" : "s",
		    units_duration(b, sizeof(b), p->total.wait_ns));
	for (int i = 0; i < STALL_KINDS; i++) {
		const struct stall_row *r = &p->kinds[i];

		if (!r->waits.nr)
			continue;
		strbuf_addf(&f->text, "%s %s %s time%s (p99 %s)", before, kinds[i].times,
			    findings_number(f, a, r->waits.nr), r->waits.nr == 1 ? "" : "s",
			    units_duration(b, sizeof(b), p99(r)));
		before = ",";
	}
	strbuf_addf(&f->text, ". The longest wait was %s, of %s.",
		    units_duration(a, sizeof(a), most->waits.max_ns), text_of(f->c, most->key));
}

static uint32_t failed_orders(const struct pressure *p)
{
	uint32_t orders = 0;

	for (uint32_t i = 0; i < p->failures.nr; i++) {
		const struct failure_row *r = table_row(&p->failures, i);

		if (r->failures && r->order >= 0 && r->order < 32)
			orders |= 1u << r->order;
	}
	return orders;
}

static void add_orders(struct strbuf *sb, uint32_t orders)
{
	const char *before = "";

	for (unsigned int i = 0; i < 32; i++) {
		if (!(orders >> i & 1))
			continue;
		strbuf_addf(sb, "%s%u", before, i);
		before = ", ";
	}
}

static void say_failures(struct findings *f, const struct pressure *p)
{
	uint32_t orders = failed_orders(p);
	char a[UNITS_BUF];

	if (!p->has_failures) {
		strbuf_addstr(&f->text, "\nFailed allocations were not recorded.");
		return;
	}
	if (!p->nr_failures) {
		strbuf_addstr(&f->text, "\nNo allocation failed.");
		return;
	}
	strbuf_addf(&f->text, "\n%s allocation%s failed", findings_number(f, a, p->nr_failures),
		    p->nr_failures == 1 ? "" : "s");
	if (orders) {
		strbuf_addf(&f->text, "; of pages: order%s ", orders & (orders - 1) ? "s" : "");
		add_orders(&f->text, orders);
	}
	strbuf_addch(&f->text, '.');
}

static void say_kills(struct findings *f, const struct pressure *p)
{
	char a[UNITS_BUF];

	if (!p->nr_kills)
		return;
	strbuf_addf(&f->text, "\nThe OOM killer chose %s process%s",
		    findings_number(f, a, p->nr_kills), p->nr_kills == 1 ? "" : "es");
	if (p->nr_kills == 1)
		strbuf_addf(&f->text, ": %s (pid %" PRIu32 ")", text_of(f->c, p->kills[0].comm),
			    p->kills[0].pid);
	strbuf_addch(&f->text, '.');
}

/* Stalls without both events, and what else the figures lack. */
static void say_limits(struct findings *f, const struct pressure *p)
{
	char a[UNITS_BUF];

	if (p->nr_open)
		strbuf_addf(&f->text, "\n%s wait%s had not ended at the end, and %s not counted.",
			    findings_number(f, a, p->nr_open), p->nr_open == 1 ? "" : "s",
			    p->nr_open == 1 ? "is" : "are");
	if (p->unmatched_ends)
		strbuf_addf(&f->text, "\n%s wait%s had begun before the start, and %s not counted.",
			    findings_number(f, a, p->unmatched_ends),
			    p->unmatched_ends == 1 ? "" : "s",
			    p->unmatched_ends == 1 ? "is" : "are");
	if (p->lost_ends)
		strbuf_addf(&f->text, "\nThe ends of %s waits were lost; they are not counted.",
			    findings_number(f, a, p->lost_ends));
	if (!p->has_chain)
		strbuf_addstr(&f->text, "\nThe events were recorded without callchains: call sites "
					"are unknown (record --pressure).");
}

/* Pages of a higher order are scarce because memory is fragmented. */
static void say_next(struct findings *f, const struct pressure *p)
{
	if (!(failed_orders(p) & ~1u) && !p->compact_tries)
		return;
	if (accounts_have(f->c->accounts, ACCOUNT_extfrag))
		strbuf_addstr(&f->text, "\nWho fragments memory: see EXTERNAL FRAGMENTATION.");
	else
		strbuf_addstr(&f->text, "\nWho fragments memory: record and report with --pressure "
					"--extfrag.");
	strbuf_addstr(&f->text, " Which blocks hold it: stat --pageblocks of a page_owner dump.");
}

static void add_findings(struct document_section *in, const struct report_context *c,
			 const struct pressure *p)
{
	struct findings f = {.c = c, .text = STRBUF_INIT};

	say_waits(&f, p);
	say_failures(&f, p);
	say_kills(&f, p);
	say_limits(&f, p);
	say_next(&f, p);
	findings_finish(&f, in);
}

static void add_summary(struct document_section *in, const struct report_context *c,
			const struct pressure *p)
{
	struct document_section *s = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	const struct document_value figures[] = {
		{"stalls", value_u64(p->total.waits.nr)},
		{"wait_ns", value_u64(p->total.wait_ns)},
		{"commands_waiting", value_u64(p->by[BY_COMMAND].nr)},
		{"failures", value_u64_if(p->has_failures, p->nr_failures)},
		{"oom_kills", value_u64(p->nr_kills)},
		{"compaction_tries", value_u64(p->compact_tries)},
		{"compaction_tries_run", value_u64(p->compact_tries_run)},
		{"background_compactions", value_u64(p->background_compactions)},
		{"background_compaction_ns", value_u64(p->background_ns)},
		{"stalls_open", value_u64(p->nr_open)},
		{"stalls_begun_before", value_u64(p->unmatched_ends)},
		{"stalls_end_lost", value_u64(p->lost_ends)},
	};

	findings_add_time(s, c);
	document_add_values(s, figures, sizeof(figures) / sizeof(figures[0]));
}

/* ---- tables of stalls ----------------------------------------------------------------------- */

static int by_wait(const void *x, const void *y)
{
	const struct stall_row *a = x, *b = y;

	if (a->wait_ns != b->wait_ns)
		return a->wait_ns < b->wait_ns ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

static struct value orders_of(uint32_t orders, struct strbuf *scratch)
{
	add_orders(scratch, orders);
	return value_text(scratch->buf);
}

COLUMN_FN(kind_name, struct stall_row, value_text(kinds[r->key].name))
COLUMN_FN(text_key, struct stall_row, value_text(text_of(c, r->key)))
COLUMN_FN(callsite_key, struct stall_row, findings_callsite(c, r->key))
COLUMN_FN(number_key, struct stall_row, value_i64((int32_t)r->key))
COLUMN_FN(stalls, struct stall_row, value_u64(r->waits.nr))
COLUMN_FN(nested, struct stall_row, value_u64(r->nested))
COLUMN_FN(wait, struct stall_row, value_ns(r->wait_ns))
COLUMN_FN(half, struct stall_row, value_ns(lifetime_histogram_percentile(&r->waits, 50)))
COLUMN_FN(most, struct stall_row, value_ns(p99(r)))
COLUMN_FN(max, struct stall_row, value_ns(r->waits.max_ns))
COLUMN_FN(orders, struct stall_row, orders_of(r->orders, cell->scratch))
COLUMN_FN(order_numbers, struct stall_row,
	  value_numbers(r->order_list, (size_t)__builtin_popcount(r->orders)))

/* Text and CSV have them as text, JSON as numbers. */
#define ORDERS                                                                                     \
	{"orders", "Orders", 8, true, orders, .audience = FOR_PEOPLE | FOR_SHEETS},                \
	{                                                                                          \
		"orders", NULL, 0, false, order_numbers, .audience = FOR_PROGRAMS                  \
	}

#define WAITS                                                                                      \
	{"wait_ns", "Waited", 9, false, wait}, {"p50_ns", "p50", 9, false, half},                  \
		{"p99_ns", "p99", 9, false, most},                                                 \
	{                                                                                          \
		"max_ns", "Longest", 9, false, max                                                 \
	}

static const struct document_column kind_columns[] = {
	{"kind", "Waiting in", 26, true, kind_name},
	{"stalls", "Times", 9, false, stalls},
	{"nested", "Nested", 7, false, nested},
	WAITS,
	ORDERS,
};

/* A row's key, then the same columns for each table; that by order has no list of orders. */
#define STALL_COLUMNS(id, heading, width, is_name, value)                                          \
	{                                                                                          \
		{id, heading, width, is_name, value}, {"stalls", "Times", 9, false, stalls},       \
			WAITS, ORDERS                                                              \
	}
#define NR_STALL_COLUMNS 8

static const struct stall_table {
	const char *id, *total_id;
	struct document_column columns[NR_STALL_COLUMNS];
	unsigned int nr_columns;
} stall_tables[PRESSURE_TABLES] = {
	[BY_COMMAND] = {"commands", "commands_total",
			STALL_COLUMNS("comm", "Command", 16, true, text_key), NR_STALL_COLUMNS},
	[BY_CGROUP] = {"cgroups", "cgroups_total",
		       STALL_COLUMNS("cgroup", "Cgroup", 24, true, text_key), NR_STALL_COLUMNS},
	[BY_CALLSITE] = {"callers", "callers_total",
			 STALL_COLUMNS("callsite", "Allocated by", 34, true, callsite_key),
			 NR_STALL_COLUMNS},
	[BY_ORDER] = {"orders", "orders_total",
		      STALL_COLUMNS("order", "Order", 5, false, number_key), NR_STALL_COLUMNS - 2},
};

static void list_orders(struct stall_row *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		unsigned int at = 0;

		for (unsigned int order = 0; order <= PAGE_ORDER_MAX; order++)
			if (rows[i].orders >> order & 1)
				rows[i].order_list[at++] = order;
	}
}

/* A table without rows is in JSON only. One without total_id is always complete. */
static void add_table(struct document_section *in, const struct report_context *c,
		      const struct document_table *t)
{
	struct document_table table = *t;

	if (t->total_id && t->rows_total > c->options->lines)
		table.nr_rows = c->options->lines;
	else
		table.nr_rows = t->rows_total;
	table.context = c;
	table.look = LOOK_GRID;
	document_add_table(in, &table, t->rows_total ? FOR_ALL : FOR_PROGRAMS);
}

static void add_kinds(struct document_section *in, const struct report_context *c,
		      const struct pressure *p)
{
	struct stall_row *rows = document_own(in->document, calloc(STALL_KINDS, sizeof(*rows)));
	unsigned int nr = 0;

	if (!rows)
		return;
	for (unsigned int i = 0; i < STALL_KINDS; i++) {
		if (!p->kinds[i].waits.nr)
			continue;
		rows[nr] = p->kinds[i];
		rows[nr++].key = i;
	}
	list_orders(rows, nr);
	add_table(in, c,
		  &(struct document_table){
			  .id = "kinds",
			  .columns = kind_columns,
			  .nr_columns = sizeof(kind_columns) / sizeof(kind_columns[0]),
			  .rows = rows,
			  .row_size = sizeof(*rows),
			  .rows_total = nr,
		  });
}

static bool has_cgroups(const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->has_cgroup)
			return true;
	return false;
}

static void add_stalls(struct document_section *in, const struct report_context *c,
		       const struct pressure *p, enum pressure_by by)
{
	const struct stall_table *t = &stall_tables[by];
	struct stall_row *rows = findings_sorted(in->document, &p->by[by], by_wait);

	list_orders(rows, rows ? p->by[by].nr : 0);
	add_table(in, c,
		  &(struct document_table){
			  .id = t->id,
			  .total_id = t->total_id,
			  .columns = t->columns,
			  .nr_columns = t->nr_columns,
			  .rows = rows,
			  .row_size = sizeof(*rows),
			  .rows_total = p->by[by].nr,
		  });
}

/* ---- failures and kills --------------------------------------------------------------------- */

static int by_failures(const void *x, const void *y)
{
	const struct failure_row *a = x, *b = y;

	if (a->failures != b->failures)
		return a->failures < b->failures ? 1 : -1;
	return memcmp(a, b, FAILURE_KEY_BYTES);
}

static struct value gfp_of(const struct report_context *c, uint32_t gfp, struct strbuf *scratch)
{
	gfp_format_compact(scratch, &c->naming->gfp, gfp);
	return value_text(scratch->buf);
}

static void for_each_flag(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			  void *ctx)
{
	gfp_for_each(s->source, s->number, fn, ctx);
}

static struct value gfp_names(const struct report_context *c, uint32_t gfp)
{
	return (struct value){.kind = VALUE_STRINGS,
			      .strings = {for_each_flag, &c->naming->gfp, gfp, NULL}};
}

COLUMN_FN(failures, struct failure_row, value_u64(r->failures))
COLUMN_FN(failed_order, struct failure_row, r->order < 0 ? value_none() : value_i64(r->order))
COLUMN_FN(failed_bytes, struct failure_row, value_bytes(r->bytes))
COLUMN_FN(failed_gfp, struct failure_row, gfp_of(c, r->gfp_flags, cell->scratch))
COLUMN_FN(failed_mask, struct failure_row, value_hex(r->gfp_flags))
COLUMN_FN(failed_names, struct failure_row, gfp_names(c, r->gfp_flags))
COLUMN_FN(failed_comm, struct failure_row, value_text(text_of(c, r->comm)))
COLUMN_FN(failed_callsite, struct failure_row, findings_callsite(c, r->callsite))

static const struct document_column failure_columns[] = {
	{"failures", "Failures", 9, false, failures},
	{"order", "Order", 6, false, failed_order},
	{"bytes", "Bytes", 10, false, failed_bytes},
	{"gfp", "GFP flags", 12, true, failed_gfp, .audience = FOR_PEOPLE | FOR_SHEETS},
	{"gfp_flags", NULL, 0, false, failed_mask, .audience = FOR_PROGRAMS},
	{"gfp", NULL, 0, true, failed_names, .audience = FOR_PROGRAMS},
	{"comm", "Command", 16, true, failed_comm},
	{"callsite", "Allocated by", 34, true, failed_callsite},
};

COLUMN_FN(kill_time, struct oom_kill,
	  value_real(r->time_ns > c->span.start_ns ? (double)(r->time_ns - c->span.start_ns) / 1e9
						   : 0,
		     9, 3))
COLUMN_FN(kill_ns, struct oom_kill, value_u64(r->time_ns))
COLUMN_FN(kill_comm, struct oom_kill, value_text(text_of(c, r->comm)))
COLUMN_FN(kill_pid, struct oom_kill, value_id(r->pid))
COLUMN_FN(kill_by, struct oom_kill, value_text(text_of(c, r->killer)))
COLUMN_FN(kill_callsite, struct oom_kill, findings_callsite(c, r->callsite))

static const struct document_column kill_columns[] = {
	{NULL, "At second", 10, false, kill_time},
	{"time_ns", NULL, 0, false, kill_ns},
	{"comm", "Killed", 16, true, kill_comm},
	{"pid", "PID", 7, false, kill_pid},
	{"killer", "For memory of", 16, true, kill_by},
	{"callsite", "Requested by", 34, true, kill_callsite},
};

/* Rows whose failures were moved to another row come last; they are not shown. */
static uint64_t used_rows(const struct failure_row *rows, uint32_t nr)
{
	while (nr && !rows[nr - 1].failures)
		nr--;
	return nr;
}

static void add_failures(struct document_section *in, const struct report_context *c,
			 const struct pressure *p)
{
	struct failure_row *rows = findings_sorted(in->document, &p->failures, by_failures);

	add_table(in, c,
		  &(struct document_table){
			  .id = "failed",
			  .total_id = "failed_total",
			  .columns = failure_columns,
			  .nr_columns = sizeof(failure_columns) / sizeof(failure_columns[0]),
			  .rows = rows,
			  .row_size = sizeof(*rows),
			  .rows_total = rows ? used_rows(rows, p->failures.nr) : 0,
		  });
}

static void add_kills(struct document_section *in, const struct report_context *c,
		      const struct pressure *p)
{
	add_table(in, c,
		  &(struct document_table){
			  .id = "killed",
			  .total_id = "killed_total",
			  .columns = kill_columns,
			  .nr_columns = sizeof(kill_columns) / sizeof(kill_columns[0]),
			  .rows = p->kills,
			  .row_size = sizeof(*p->kills),
			  .rows_total = p->nr_kills < OOM_KILLS_MAX ? p->nr_kills : OOM_KILLS_MAX,
		  });
}

void pressure_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct pressure *p = state;
	struct document_section *s =
		document_add_section(in, "pressure", "MEMORY PRESSURE", FOR_ALL);

	if (!s)
		return;
	add_findings(s, c, p);
	add_summary(s, c, p);
	add_kinds(s, c, p);
	add_stalls(s, c, p, BY_COMMAND);
	if (has_cgroups(c->facts))
		add_stalls(s, c, p, BY_CGROUP);
	add_stalls(s, c, p, BY_CALLSITE);
	add_stalls(s, c, p, BY_ORDER);
	add_failures(s, c, p);
	add_kills(s, c, p);
}
