// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/report/findings.h"
#include "util/report/key_column.h"
#include "util/leak/leak_column.h"
#include "util/report/recording_part.h"
#include "util/report/table_part.h"
#include "util/report/timeline_part.h"
#include "util/source/facts_metrics.h"

/* Whether a percentage would be printed as 0.0; it is then left out. */
#define PERCENT_MIN 0.05

/* Caches that grew without events, in text. */
#define UNEXPLAINED_LINES 5

/* ---- sentences ------------------------------------------------------------------------------- */

/* An allocator's section, and the data of its sentences. */
struct subject {
	const struct leak_report *report;
	struct document_section *in;
	int account;
	const struct leak_rows *rows;
	const char *what; /* "object" */
	uint64_t allocated;
};

/* Formats a number for a sentence; buf of UNITS_BUF bytes. */
static const char *grouped(const struct subject *s, char *buf, uint64_t v)
{
	return report_number(s->report->context, buf, v);
}

static const char *size(char *buf, uint64_t bytes)
{
	return units_bytes(buf, UNITS_BUF, bytes);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Reports the number of allocations if none of them is live. */
static void say_nothing_is_left(const struct subject *s)
{
	char number[UNITS_BUF], age[UNITS_BUF];
	uint64_t min_age_ns = s->report->leak->min_age_ns;

	if (!s->allocated) {
		document_add_line(s->in, "No %ss were allocated.", s->what);
		return;
	}
	document_add_line(s->in, "None of %s %s%s that %s allocated is left%s%s%s%s.",
			  grouped(s, number, s->allocated), s->what, plural(s->allocated),
			  s->allocated == 1 ? "was" : "were", min_age_ns ? " for " : "",
			  min_age_ns ? units_duration(age, sizeof(age), min_age_ns) : "",
			  min_age_ns ? " or longer" : "",
			  s->rows->nr_untraced ? ", as far as can be judged" : "");
}

/* "  leaking  1,234 (1.2 MiB, +3.4 KiB a second): old allocations survive, and ..." */
static void say_total(const struct subject *s, const struct leak_total *total, bool has_growth,
		      const char *label, const char *meaning)
{
	char hits[UNITS_BUF], bytes[UNITS_BUF], rate[UNITS_BUF];
	struct strbuf sb = STRBUF_INIT;

	if (!total->rows)
		return;
	strbuf_addf(&sb, "%s (%s", grouped(s, hits, total->hits), size(bytes, total->bytes));
	if (has_growth && total->growth > 0)
		strbuf_addf(&sb, ", +%s a second", size(rate, (uint64_t)total->growth));
	strbuf_addf(&sb, "): %s", meaning);
	s->in->document->failed |= sb.failed;
	document_add_item(s->in, label, sb.buf);
	strbuf_deinit(&sb);
}

static void say_behaviour(const struct subject *s, enum leak_behaviour behaviour)
{
	static const struct {
		const char *label, *meaning;
	} texts[] = {
		[LEAK_LEAKING] = {"leaking",
				  "old allocations survive, and new ones keep being added"},
		[LEAK_GROWING] = {"growing",
				  "live bytes rise, although some allocations are freed"},
		[LEAK_PLATEAU] = {"plateau",
				  "old allocations survive, but live bytes no longer rise"},
		[LEAK_TRANSIENT] = {"transient", "only the youngest allocations are live"},
		[LEAK_UNKNOWN] = {"live", "growth unknown (this source has no frees): diff "
					  "compares two dumps"},
	};
	const char *meaning = texts[behaviour].meaning;

	if (behaviour == LEAK_UNKNOWN && s->rows->missing_free)
		meaning = "growth unknown";
	say_total(s, &s->rows->totals[behaviour], leak_behaviour_is_leak(behaviour),
		  texts[behaviour].label, meaning);
}

/* Memory that is not a leak, however much there is of it. */
static const struct other {
	const char *label, *meaning;
	bool is_use; /* or a behaviour of the kernel's own memory */
	enum leak_use use;
} others[] = {
	{"reclaimable", "the kernel takes it back when memory is short", .is_use = false},
	{"page cache", "not a kernel leak", true, LEAK_PAGE_CACHE},
	{"user", "not a kernel leak", true, LEAK_USER},
	{"slab pages", "hold slab objects: leak --slab of a recording judges these", true,
	 LEAK_SLAB_PAGES},
	{"attached", "belongs to objects that are judged themselves", true, LEAK_ATTACHED},
	{"processes", "page tables, stacks and vmas of processes that still run", true,
	 LEAK_PROCESS},
};

static const struct leak_total *total_of(const struct leak_rows *rows, const struct other *other)
{
	return other->is_use ? &rows->uses[other->use] : &rows->totals[LEAK_RECLAIMABLE];
}

/* With --all an item for each, otherwise one with their sum. */
static void say_others(const struct subject *s)
{
	struct leak_total sum = {.hits = 0};
	struct strbuf sb = STRBUF_INIT;
	char hits[UNITS_BUF], bytes[UNITS_BUF];

	for (size_t i = 0; i < NR_OF(others); i++) {
		const struct leak_total *t = total_of(s->rows, &others[i]);

		if (!t->rows)
			continue;
		sum.hits += t->hits;
		sum.bytes += t->bytes;
		if (!s->report->all) {
			strbuf_addf(&sb, "%s%s %s", sum.rows++ ? ", " : "", others[i].label,
				    size(bytes, t->bytes));
			continue;
		}
		strbuf_reset(&sb);
		strbuf_addf(&sb, "%s (%s): %s", grouped(s, hits, t->hits), size(bytes, t->bytes),
			    others[i].meaning);
		document_add_item(s->in, others[i].label, sb.buf);
	}
	if (sum.rows) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "%s (%s): %s (--all lists them)", grouped(s, hits, sum.hits),
			    size(bytes, sum.bytes), sb.buf);
		sb.failed |= text.failed;
		document_add_item(s->in, "not listed", text.buf);
		strbuf_deinit(&text);
	}
	s->in->document->failed |= sb.failed;
	strbuf_deinit(&sb);
}

static void say_totals(const struct subject *s)
{
	for (int i = 0; i < LEAK_BEHAVIOURS; i++)
		if (i != LEAK_RECLAIMABLE)
			say_behaviour(s, (enum leak_behaviour)i);
	say_total(s, &s->rows->uses[LEAK_SHMEM], true, "shared",
		  "memory of files of tmpfs and shared mappings: stays until it is removed");
	say_others(s);
}

/* The kernel's count of the cache does not contradict a leak. */
static bool is_doubtful(const struct untraced_site *u)
{
	return !u->cleared && (!u->count.known || u->count.grew);
}

static bool is_listed(const struct leak_report *r, const struct untraced_site *u)
{
	return r->all || is_doubtful(u);
}

static void say_untraced(const struct subject *s)
{
	const struct leak_rows *rows = s->rows;
	char number[UNITS_BUF], sites[UNITS_BUF], bytes[UNITS_BUF];
	/* of cleared sites, and of others */
	struct leak_total totals[2] = {{.hits = 0}}, *cleared = &totals[1], *doubtful = &totals[0];
	bool listed[2] = {false, false};

	for (size_t i = 0; i < rows->nr_untraced; i++) {
		struct leak_total *t = &totals[rows->untraced[i].cleared];

		listed[rows->untraced[i].cleared] |= is_listed(s->report, &rows->untraced[i]);
		t->hits += rows->untraced[i].live_hits;
		t->bytes += rows->untraced[i].live_bytes;
		t->rows++;
	}
	if (doubtful->rows)
		document_add_line(
			s->in,
			"%s more (%s) cannot be judged: most frees of objects that %s call site%s "
			"%s are not traced%s.",
			grouped(s, number, doubtful->hits), size(bytes, doubtful->bytes),
			grouped(s, sites, doubtful->rows), plural(doubtful->rows),
			doubtful->rows == 1 ? "allocates" : "allocate",
			listed[0] ? "" : " (--all lists them)");
	if (cleared->rows)
		document_add_line(
			s->in,
			"%s more (%s) of %s call site%s seem live but were freed without an event: "
			"by the kernel's own count, their caches did not grow%s.",
			grouped(s, number, cleared->hits), size(bytes, cleared->bytes),
			grouped(s, sites, cleared->rows), plural(cleared->rows),
			listed[1] ? "" : " (--all lists them)");
}

static bool is_reclaimable(const struct subject *s, const char *cache)
{
	const struct naming *n = s->report->context->naming;
	uint32_t name = intern_find(&n->names.strings, cache, strlen(cache));

	return name != INTERN_NONE &&
	       reclaimable_caches_has(&n->reclaimable, &n->names.strings, name);
}

/* Caches that grew without events, whoever allocated from them. */
static void say_unexplained(const struct subject *s)
{
	const struct leak_caches *caches = &s->rows->caches;
	char grew[UNITS_BUF], bytes[UNITS_BUF];
	unsigned int nr = 0;

	for (size_t i = 0; i < caches->nr && nr < UNEXPLAINED_LINES; i++) {
		const struct leak_cache *c = &caches->v[i];

		if (!c->unexplained)
			break;
		if (!s->report->all && is_reclaimable(s, c->name))
			continue;
		nr++;
		document_add_line(s->in,
				  "%s: %s objects more (%s) by the kernel's own count, allocated "
				  "without an event: no call site known.",
				  c->name, grouped(s, grew, c->unexplained),
				  size(bytes, c->unexplained * c->object_bytes));
	}
}

/* Whether sites are distinguished by their caches. */
static bool has_caches(int id)
{
	return account_table[id]->allocator->leak->sites.by[1] == KEY_CACHE;
}

/* Whether the source does not report which caches are reclaimable. */
static bool reclaimable_by_name(const struct leak_report *r, int id)
{
	return has_caches(id) && !r->context->naming->reclaimable.known;
}

static void say_summary(const struct subject *s)
{
	const struct leak_rows *rows = s->rows;
	char number[UNITS_BUF], sites[UNITS_BUF], bytes[UNITS_BUF];

	if (rows->nr) {
		const char *by = has_caches(s->account) ? s->report->context->facts->slab_by : NULL;
		uint64_t nr = by ? rows->nr : rows->callsites;

		document_add_line(s->in, "%s %s%s (%s) %s allocated and %s freed, %s %s %s%s:",
				  grouped(s, number, rows->hits), s->what, plural(rows->hits),
				  size(bytes, rows->bytes), rows->hits == 1 ? "was" : "were",
				  rows->missing_free ? "perhaps" : "not", by ? "of" : "by",
				  grouped(s, sites, nr), by ? by : "call site", plural(nr));
		say_totals(s);
	} else {
		say_nothing_is_left(s);
	}
	if (rows->missing_free)
		document_add_line(s->in,
				  "The recording has no %s events, so it is unknown which of these "
				  "were freed.",
				  rows->missing_free);
	if (100 * rows->losses.lost >= PERCENT_MIN && !rows->losses.sampled)
		document_add_line(
			s->in,
			"%.1f%% of the %s free events are missing, so some of this was freed.",
			100 * rows->losses.lost, account_table[s->account]->id);
	say_untraced(s);
	say_unexplained(s);
	if (rows->totals[LEAK_RECLAIMABLE].rows && reclaimable_by_name(s->report, s->account))
		document_add_line(
			s->in,
			"Reclaimable caches are recognised by name: the source does not report "
			"reclaim_account.");
}

static void add_summaries(struct document_section *in, const struct leak_report *r)
{
	const struct kmem_accounts *accounts = r->context->accounts;

	if (!document_is_for(in, FOR_PEOPLE))
		return;
	for (int id = 0; id < ACCOUNTS_NR; id++) {
		const struct allocator_ops *ops = account_table[id]->allocator;

		if (accounts_allocator(accounts, id))
			say_summary(
				&(struct subject){r, in, id, &r->leak->rows[id], ops->leak->object,
						  ops->totals(accounts->v[id].state).allocations});
	}
}

/* ---- caches, as the kernel counts them ------------------------------------------------------- */

#define CACHE_CELL(name, expression)                                                               \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const struct leak_cache *c = cell->row;                                            \
                                                                                                   \
		return expression;                                                                 \
	}

CACHE_CELL(cache_name, value_text(c->name))
CACHE_CELL(cache_live_hits, value_u64(c->live_hits))
CACHE_CELL(cache_in_use, value_u64(c->growth.used))
CACHE_CELL(cache_growth, value_i64(c->growth.objects))
CACHE_CELL(cache_uncertainty, value_u64(c->growth.uncertainty))
CACHE_CELL(cache_old_frees, value_u64(c->old_frees))
CACHE_CELL(cache_dead, value_u64(c->dead))
CACHE_CELL(cache_untraced_allocs, value_u64(c->untraced_allocs))
CACHE_CELL(cache_unexplained, value_u64(c->unexplained))

void leak_caches_report(struct document_section *in, const struct report_context *context,
			const struct leak_caches *caches)
{
	static const struct document_column columns[] = {
		{"cache", .value = cache_name},
		{"live_hits", .value = cache_live_hits},
		{"frees_unmatched", .value = cache_old_frees},
		{"kernel_in_use", .value = cache_in_use},
		{"kernel_growth", .value = cache_growth},
		{"kernel_uncertainty", .value = cache_uncertainty},
		{"untraced_frees", .value = cache_dead},
		{"untraced_allocations", .value = cache_untraced_allocs},
		{"kernel_unexplained", .value = cache_unexplained},
	};

	if (caches->nr)
		document_add_table(in,
				   &(struct document_table){
					   .id = "caches",
					   .total_id = "caches_total",
					   .columns = columns,
					   .nr_columns = sizeof(columns) / sizeof(columns[0]),
					   .rows = caches->v,
					   .row_size = sizeof(*caches->v),
					   .nr_rows = caches->nr,
					   .rows_total = caches->nr,
					   .context = context,
				   },
				   FOR_PROGRAMS);
}

/* ---- callchains ------------------------------------------------------------------------------ */

static struct value chain(const struct document_cell *cell)
{
	const struct report_context *context = cell->context;
	const struct leak_stack *s = cell->row;
	const struct stat_table *chains = cell->column->arg;

	return key_value(context->naming, KEY_STACK, *stat_table_keys(chains, s->chain),
			 cell->scratch);
}

#define STACK_CELL(name, expression)                                                               \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const struct leak_stack *s = cell->row;                                            \
                                                                                                   \
		return expression;                                                                 \
	}

STACK_CELL(stack_behaviour, value_text(leak_behaviour_name(s->behaviour)))
STACK_CELL(stack_use, value_text(leak_use_name(s->use)))
STACK_CELL(stack_bytes, value_bytes(s->bytes))
STACK_CELL(stack_hits, value_u64(s->hits))

static int by_stack_bytes(const void *x, const void *y)
{
	const struct leak_stack *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return a->place != b->place ? (a->place > b->place) - (a->place < b->place)
				    : (a->chain > b->chain) - (a->chain < b->chain);
}

/* For pictures: the callchains of all rows. */
static void add_stacks(struct document_section *in, const struct leak_report *r,
		       const struct leak_rows *rows)
{
	const struct document_column columns[] = {
		{"stack", "Callchain", .value = chain, .arg = rows->chains, .is_key = true},
		{"behaviour", "Behaviour", .value = stack_behaviour},
		{"use", "Use", .value = stack_use},
		{"bytes", "Bytes", .value = stack_bytes, .adds_up = true},
		{"hits", "Count", .value = stack_hits, .adds_up = true},
	};
	struct document_columns own;

	if (!rows->chains || !document_is_for(in, FOR_PROGRAMS))
		return;
	document_columns_init(&own, in->document, NR_OF(columns));
	document_columns_add_all(&own, columns, NR_OF(columns));
	document_add_table(
		in,
		&(struct document_table){
			.id = "stacks",
			.columns = own.v,
			.nr_columns = own.nr,
			.rows = findings_sorted(in->document, &rows->stacks, by_stack_bytes),
			.row_size = sizeof(struct leak_stack),
			.nr_rows = rows->stacks.nr,
			.rows_total = rows->stacks.nr,
			.context = r->context,
		},
		FOR_PROGRAMS);
}

/* ---- live memory ----------------------------------------------------------------------------- */

static uint64_t at_most(uint64_t nr, uint64_t lines)
{
	return nr < lines ? nr : lines;
}

/* Array of pointers to rows. */
static const void *row_by_pointer(const struct document_table *t, uint64_t i, void *buf)
{
	const void *const *rows = t->rows;

	(void)buf;
	return rows[i];
}

/* Rows with one use, in text output. */
static void add_use(struct document_section *in, const struct leak_report *r,
		    const struct leak_rows *rows, const struct document_columns *columns,
		    enum leak_use use, const char *title)
{
	const struct leak_row **v;
	uint64_t nr = 0;

	if (!document_is_for(in, FOR_PEOPLE) || !rows->uses[use].rows ||
	    (use != LEAK_KERNEL && use != LEAK_SHMEM && !r->all))
		return;
	v = document_own(in->document, calloc(rows->nr, sizeof(*v)));
	for (size_t i = 0; v && i < rows->nr; i++)
		if (rows->v[i].use == use && (r->all || rows->v[i].behaviour != LEAK_RECLAIMABLE))
			v[nr++] = &rows->v[i];
	if (!nr)
		return;
	document_add_table(in,
			   &(struct document_table){
				   .title = title,
				   .columns = columns->v,
				   .nr_columns = columns->nr,
				   .rows = v,
				   .row = row_by_pointer,
				   .nr_rows = at_most(nr, r->lines),
				   .rows_total = nr,
				   .context = r->context,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE);
}

/* The aliases of merged caches shown in the rows. */
static void add_aliases(struct document_section *in, const struct leak_report *r,
			const struct leak_rows *rows)
{
	struct merged_caches merged;
	unsigned int key = 0;

	while (key < rows->nr_by && rows->by[key] != KEY_CACHE)
		key++;
	if (!document_is_for(in, FOR_PEOPLE) || key == rows->nr_by)
		return;
	merged_caches_init(&merged, in, r->context->naming);
	for (size_t i = 0; i < rows->nr && i < r->lines; i++)
		merged_caches_add(&merged, rows->v[i].key[key]);
	merged_caches_deinit(&merged);
}

static void add_total(struct document_section *in, const char *id, const struct leak_total *t)
{
	struct document_section *s = document_add_section(in, id, NULL, FOR_PROGRAMS);

	if (!s)
		return;
	s->is_compact = true;
	document_add_figure(s, "rows", value_u64(t->rows), FOR_PROGRAMS);
	document_add_figure(s, "hits", value_u64(t->hits), FOR_PROGRAMS);
	document_add_figure(s, "bytes", value_u64(t->bytes), FOR_PROGRAMS);
	document_add_figure(s, "growth_bytes_per_second", value_i64(t->growth), FOR_PROGRAMS);
}

static struct value frees_lost(bool known, const struct leak_losses *losses)
{
	return known ? value_percent(100 * losses->lost, 3, 1) : value_none();
}

static void add_figures(struct document_section *in, const struct leak_rows *rows, bool by_name)
{
	struct document_section *behaviours, *uses;

	document_add_figure(in, "hits", value_u64(rows->hits), FOR_PROGRAMS);
	document_add_figure(in, "bytes", value_u64(rows->bytes), FOR_PROGRAMS);
	document_add_figure(in, "callsites", value_u64(rows->callsites), FOR_PROGRAMS);
	document_add_figure(in, "frees_lost_percent",
			    frees_lost(!rows->frees_unknown, &rows->losses), FOR_PROGRAMS);
	behaviours = document_add_section(in, "behaviours", NULL, FOR_PROGRAMS);
	for (int i = 0; i < LEAK_BEHAVIOURS; i++)
		if (i != LEAK_UNKNOWN || rows->frees_unknown)
			add_total(behaviours, leak_behaviour_name((enum leak_behaviour)i),
				  &rows->totals[i]);
	document_add_figure(in, "reclaimable_by_name", value_bool(by_name), FOR_PROGRAMS);
	uses = document_add_section(in, "uses", NULL, FOR_PROGRAMS);
	for (int i = 0; i < LEAK_USES; i++)
		add_total(uses, leak_use_name((enum leak_use)i), &rows->uses[i]);
	document_add_figure(in, "moments_ns", value_numbers(rows->moments_ns, HISTORY_MOMENTS),
			    FOR_PROGRAMS);
}

static void add_allocator(struct document_section *in, const struct leak_report *r, int id)
{
	const struct leak_allocator *leak = account_table[id]->allocator->leak;
	const struct leak_rows *rows = &r->leak->rows[id];
	struct document_section *s = document_add_section(in, account_table[id]->id, NULL, FOR_ALL);
	struct document_columns columns;
	uint64_t lines = in && in->document->audience == FOR_METRICS ? LINES_ALL : r->lines;

	if (!s)
		return;
	s->kind = "allocator";
	add_figures(s, rows, reclaimable_by_name(r, id));
	leak_who_add_data(s, r->context, id, &rows->whos);
	leak_columns_init(&columns, s->document, r->context, rows);
	document_add_table(s,
			   &(struct document_table){
				   .id = "rows",
				   .total_id = "rows_total",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = rows->v,
				   .row_size = sizeof(*rows->v),
				   .nr_rows = at_most(rows->nr, lines),
				   .rows_total = rows->nr,
				   .context = r->context,
				   .weight = &leak_folded_weight,
				   .root = &leak_folded_root,
			   },
			   FOR_DATA | FOR_GRAPHS | FOR_METRICS);
	add_stacks(s, r, rows);
	for (int use = 0; use < LEAK_USES; use++)
		add_use(s, r, rows, &columns, (enum leak_use)use, leak->titles[use]);
	leak_caches_report(s, r->context, &rows->caches);
	add_aliases(s, r, rows);
	timeline_part_add(s, r->context, accounts_allocator(r->context->accounts, id));
}

/* ---- sites that cannot be judged ------------------------------------------------------------- */

#define CELL(name, expression)                                                                     \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const struct untraced_site *u = cell->row;                                         \
                                                                                                   \
		return expression;                                                                 \
	}

CELL(allocations, value_u64(u->allocations))
CELL(frees_seen, value_u64(u->frees_seen))
CELL(frees_unseen, value_u64(u->frees_unseen))
CELL(live_hits, value_u64(u->live_hits))
CELL(live_bytes, value_bytes(u->live_bytes))

static struct value allocator(const struct document_cell *cell)
{
	return value_text(cell->column->arg);
}

CELL(kernel_growth, u->count.known ? value_change(u->count.growth.objects) : value_none())
CELL(kernel_uncertainty, value_u64_if(u->count.known, u->count.growth.uncertainty))
CELL(cleared, value_bool(u->cleared))
CELL(verdict, value_text(u->cleared ? "did not grow" : u->count.known ? "may leak" : NULL))
CELL(clearing, value_text(u->cleared ? LEAK_CLEARED_TEXT : NULL))

static const struct document_column untraced_figures[] = {
	{"allocations", "Allocations", .value = allocations},
	{"frees_seen", "Frees seen", .value = frees_seen},
	{"frees_unseen", "Frees unseen", .value = frees_unseen},
	{"live_hits", .value = live_hits},
	{"live_bytes", "Live bytes", .value = live_bytes},
};

/* From the kernel's own count of the cache, if there is one. */
static const struct document_column counted_figures[] = {
	{"kernel_growth", "Cache grew", .value = kernel_growth},
	{"kernel_uncertainty", "Give or take", .value = kernel_uncertainty},
	{NULL, "Verdict", .value = verdict, .is_name = true, .audience = FOR_PEOPLE},
	{"cleared", .value = cleared, .audience = FOR_DATA},
	{"reason", .value = clearing, .audience = FOR_DATA},
};

/* Pointers to the sites that text lists; owned by the document. */
static const void **listed_sites(struct document *d, const struct leak_report *r,
				 const struct leak_rows *rows, uint64_t *ret_nr)
{
	const void **v = document_own(d, calloc(rows->nr_untraced, sizeof(*v)));

	*ret_nr = 0;
	for (size_t i = 0; v && i < rows->nr_untraced; i++)
		if (is_listed(r, &rows->untraced[i]))
			v[(*ret_nr)++] = &rows->untraced[i];
	return v;
}

/* In text a separate table, in structured output one list with those of other allocators. */
static void add_untraced(struct document_section *in, const struct leak_report *r, int id,
			 enum document_audience audience)
{
	const struct leak_allocator *leak = account_table[id]->allocator->leak;
	const struct leak_rows *rows = &r->leak->rows[id];
	const struct document_column of = {"allocator", .value = allocator,
					   .arg = account_table[id]->id};
	struct document_columns columns;
	const void **listed = NULL;
	uint64_t nr = rows->nr_untraced;

	if (!document_is_for(in, audience) || !nr)
		return;
	if (audience == FOR_PEOPLE)
		listed = listed_sites(in->document, r, rows, &nr);
	if (!nr)
		return;
	document_columns_init(&columns, in->document,
			      NR_OF(untraced_figures) + NR_OF(counted_figures) + 8);
	document_columns_add(&columns, &of);
	key_columns_add(&columns, r->context->naming, leak->sites.by, leak->nr_untraced_keys,
			audience);
	if (audience == FOR_PEOPLE && columns.nr)
		columns.v[0].heading = leak->untraced_heading;
	document_columns_add_all(&columns, untraced_figures, NR_OF(untraced_figures));
	if (rows->caches.nr)
		document_columns_add_all(&columns, counted_figures, NR_OF(counted_figures));
	document_add_table(in,
			   &(struct document_table){
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = listed ? (const void *)listed : rows->untraced,
				   .row_size = sizeof(*rows->untraced),
				   .row = listed ? row_by_pointer : NULL,
				   .nr_rows = listed ? at_most(nr, r->lines) : nr,
				   .rows_total = nr,
				   .context = r->context,
				   .look = LOOK_GRID,
			   },
			   audience);
}

static void add_all_untraced(struct document_section *in, const struct leak_report *r,
			     enum document_audience audience)
{
	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (account_table[id]->allocator)
			add_untraced(in, r, id, audience);
}

/* ---- the report ------------------------------------------------------------------------------ */

void leak_interval_add(struct document_section *root, const struct report_context *c,
		       const struct leak_interval *interval)
{
	const uint64_t wall_ns = source_facts_wall_clock_ns(c->facts);
	const uint64_t length_ns = interval->time.end_ns - interval->begin_ns;
	struct document_section *s;
	char date[UNITS_BUF], length[UNITS_BUF];

	root->is_compact = true;
	s = document_add_section(root, "interval", NULL, FOR_PROGRAMS);
	document_add_figure(s, "number", value_u64(interval->number), FOR_PROGRAMS);
	document_add_figure(s, "start_ns", value_u64(interval->time.start_ns), FOR_PROGRAMS);
	document_add_figure(s, "end_ns", value_u64(interval->time.end_ns), FOR_PROGRAMS);
	document_add_figure(s, "last", value_bool(interval->time.last), FOR_PROGRAMS);
	units_date(date, sizeof(date), wall_ns ? wall_ns + length_ns : 0);
	document_add_comment(root, "interval %" PRIu64 ", ends %s after the start%s%s",
			     interval->number, units_duration(length, sizeof(length), length_ns),
			     *date ? ", " : "", date);
}

void report_leak(struct document *d, void *ctx)
{
	const struct leak_report *r = ctx;
	const struct report_context *c = r->context;
	struct document_section *in, *list;

	document_add_versions(d);
	source_facts_add_metrics(c->facts, &d->root);
	recording_add_sample_metric(&d->root, c->facts, c->accounts);
	if (r->interval)
		leak_interval_add(&d->root, c, r->interval);
	recording_add_facts(&d->root, "recording", c);
	if (c->options->header)
		recording_add_header(&d->root, c);
	recording_add_filters(&d->root, c->kmem, c->options->header);
	recording_add_warnings(&d->root, c);
	if (r->has_windows)
		document_add_line(&d->root,
				  "Allocations in the time span that were live at its end:");
	leak_who_add(&d->root, c, r->leak, &r->advice, r->lines);
	add_summaries(document_add_styled(&d->root, "LIVE MEMORY", STYLE_LINES), r);
	in = document_add_section(&d->root, "leak", NULL, FOR_ALL);
	document_add_figure(in, "end_ns", value_u64(r->leak->end_ns), FOR_PROGRAMS);
	document_add_figure(in, "frees_lost_percent",
			    frees_lost(leak_unjudged(r->leak) == ACCOUNTS_NR, &r->leak->losses),
			    FOR_PROGRAMS);
	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (accounts_allocator(c->accounts, id))
			add_allocator(in, r, id);
	add_all_untraced(in, r, FOR_PEOPLE);
	list = document_add_section(in, "frees_not_traced", NULL, FOR_PROGRAMS);
	if (!list)
		return;
	list->is_list = true;
	add_all_untraced(list, r, FOR_PROGRAMS);
}
