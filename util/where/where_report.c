// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/where_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/source/facts_metrics.h"

/* Defaults of text output: children of a line, and rows of growth. */
#define CHILDREN_FOR_PEOPLE 4
#define GROWTH_FOR_PEOPLE   15

/* Children below this part of all memory are summed up in text output, unless -l is given. */
#define SMALLEST_PART 2000

#define NS_PER_HOUR 3.6e12

struct line_row {
	const struct balance_line *line; /* NULL: sum of lines that are left out */
	const struct balance *balance;
	int64_t bytes;
	char *label, *path;
};

static struct value bytes_value(int64_t bytes)
{
	return bytes < 0 ? value_bytes_change(bytes) : value_bytes((uint64_t)bytes);
}

/* ---- the balance ----------------------------------------------------------------------------- */

static struct value line_bytes(const struct document_cell *cell)
{
	return bytes_value(((const struct line_row *)cell->row)->bytes);
}

static struct value line_percent(const struct document_cell *cell)
{
	const struct line_row *r = cell->row;
	const int64_t total = r->balance->v[BALANCE_ROOT].bytes;
	struct value v = value_percent(total ? 100.0 * (double)r->bytes / (double)total : 0, 2, 1);

	v.unit = NULL;
	return v;
}

static struct value line_label(const struct document_cell *cell)
{
	return value_text(((const struct line_row *)cell->row)->label);
}

static struct value line_path(const struct document_cell *cell)
{
	return value_text(((const struct line_row *)cell->row)->path);
}

static struct value line_depth(const struct document_cell *cell)
{
	return value_u64(((const struct line_row *)cell->row)->line->depth);
}

static struct value line_who(const struct document_cell *cell)
{
	const struct line_row *r = cell->row;

	return r->line && r->line->who ? value_text(r->line->who)
				       : (struct value){.kind = VALUE_NONE, .shown = ""};
}

static const struct document_column line_columns[] = {
	/* clang-format off */
	{.id = "bytes", .heading = "Bytes", .value = line_bytes, .keep = 100},
	{.id = "percent", .heading = "%", .value = line_percent, .keep = 99},
	{.heading = "Line", .is_name = true, .is_key = true, .width = 30, .cut = 1, .value = line_label},
	{.id = "path", .value = line_path},
	{.id = "depth", .value = line_depth},
	/* the largest of them stays: "python3 4832 (143.9 MiB~" */
	{.id = "holders", .heading = "Held by", .is_name = true, .is_key = true, .width = 24, .value = line_who},
	/* clang-format on */
};

struct lines {
	struct document *d;
	const struct where_report *report;
	const struct balance *b;
	struct line_row *v;
	size_t nr;
};

static void add_row(struct lines *l, const struct balance_line *line, unsigned int depth,
		    int64_t bytes, const char *label)
{
	struct strbuf path = STRBUF_INIT;
	char *text;

	if (line && line->depth)
		balance_add_path(l->b, line, false, "/", &path);
	if (asprintf(&text, "%*s%s", depth > 1 ? 2 * (int)(depth - 1) : 0, "", label) < 0)
		text = NULL;
	l->d->failed |= path.failed;
	l->v[l->nr++] = (struct line_row){
		.line = line,
		.balance = l->b,
		.bytes = bytes,
		.label = document_own(l->d, text),
		.path = line && line->depth ? document_own(l->d, strbuf_detach(&path)) : NULL,
	};
	if (!line || !line->depth)
		strbuf_deinit(&path);
}

/* Whether a child is shown on its own: the i-th of its parent. */
static bool is_shown(const struct lines *l, const struct balance_line *child, uint64_t i)
{
	const uint64_t least = (uint64_t)(l->b->v[BALANCE_ROOT].bytes / SMALLEST_PART);

	if (child->depth == 1 || (l->d->audience & (FOR_DATA | FOR_METRICS)))
		return true;
	if (l->report->lines)
		return i < l->report->lines;
	return i < CHILDREN_FOR_PEOPLE && (uint64_t)llabs(child->bytes) > least;
}

static void add_lines_below(struct lines *l, size_t parent)
{
	const unsigned int depth = l->b->v[parent].depth + 1;
	int64_t rest = 0;
	uint64_t nr = 0, nr_rest = 0;
	const struct balance_line *last = NULL;

	for (size_t i = parent + 1; i < l->b->nr && l->b->v[i].depth >= depth; i++) {
		const struct balance_line *child = &l->b->v[i];

		if (child->depth > depth)
			continue;
		if (is_shown(l, child, nr)) {
			add_row(l, child, depth, child->bytes,
				child->label ? child->label : child->id);
			add_lines_below(l, i);
			nr++;
		} else {
			rest = balance_sum(rest, child->bytes);
			last = child;
			nr_rest++;
		}
	}
	if (nr && nr_rest == 1) {
		add_row(l, last, depth, rest, last->label ? last->label : last->id);
	} else if (nr && nr_rest) {
		char label[64];

		snprintf(label, sizeof(label), "%" PRIu64 " others", nr_rest);
		add_row(l, NULL, depth, rest, label);
	}
}

static const struct document_metric memory = {
	"memory_bytes", "Memory by its use. The sum over the lines is the memory of the machine."};

/* Whether there are no lines below it, so that nothing is counted twice. */
static bool is_leaf(const struct lines *l, size_t i)
{
	const struct line_row *next = i + 1 < l->nr ? &l->v[i + 1] : NULL;

	return !next || !next->line || next->line->depth <= l->v[i].line->depth;
}

static void add_metrics(struct document_section *s, const struct lines *l)
{
	static const struct document_column columns[] = {
		{.id = "line", .value = line_path, .audience = FOR_METRICS},
		{.id = "bytes", .value = line_bytes, .metric = &memory, .audience = FOR_METRICS},
	};
	struct line_row *leaves;
	size_t nr = 0;

	if (!document_is_for(s, FOR_METRICS))
		return;
	leaves = document_own(l->d, calloc(l->nr, sizeof(*leaves)));
	for (size_t i = 0; leaves && i < l->nr; i++)
		if (l->v[i].line && is_leaf(l, i))
			leaves[nr++] = l->v[i];
	document_add_table(s,
			   &(struct document_table){.columns = columns,
						    .nr_columns = NR_OF(columns),
						    .rows = leaves,
						    .row_size = sizeof(*leaves),
						    .nr_rows = nr,
						    .rows_total = nr},
			   FOR_METRICS);
}

static void add_balance(struct document_section *s, const struct where_report *r)
{
	const struct balance *b = &r->new->partition.balance;
	struct lines l = {.d = s->document, .report = r, .b = b};

	/* a sum besides each line, at most */
	l.v = document_own(l.d, calloc(2 * b->nr, sizeof(*l.v)));
	if (!l.v)
		return;
	add_row(&l, &b->v[BALANCE_ROOT], 0, b->v[BALANCE_ROOT].bytes, b->v[BALANCE_ROOT].label);
	add_lines_below(&l, BALANCE_ROOT);
	document_add_table(s,
			   &(struct document_table){
				   .id = "lines",
				   .columns = line_columns,
				   .nr_columns = sizeof(line_columns) / sizeof(line_columns[0]),
				   .rows = l.v,
				   .row_size = sizeof(*l.v),
				   .nr_rows = l.nr,
				   .rows_total = l.nr,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_DATA);
	add_metrics(s, &l);
}

/* ---- memory that is already counted ---------------------------------------------------------- */

static struct value extra_bytes(const struct document_cell *cell)
{
	return bytes_value(((const struct where_extra *)cell->row)->bytes);
}

static struct value extra_id(const struct document_cell *cell)
{
	return value_text(((const struct where_extra *)cell->row)->id);
}

static struct value extra_label(const struct document_cell *cell)
{
	return value_text(((const struct where_extra *)cell->row)->label);
}

static struct value extra_in(const struct document_cell *cell)
{
	return value_text(((const struct where_extra *)cell->row)->in);
}

static struct value extra_nr(const struct document_cell *cell)
{
	const struct where_extra *e = cell->row;

	return e->nr ? value_u64(e->nr) : (struct value){.kind = VALUE_NONE, .shown = ""};
}

static struct value extra_who(const struct document_cell *cell)
{
	const struct where_extra *e = cell->row;

	return e->who ? value_text(e->who) : (struct value){.kind = VALUE_NONE, .shown = ""};
}

static const struct document_column extra_columns[] = {
	{.id = "bytes", .heading = "Bytes", .value = extra_bytes, .keep = 100},
	{.id = "number", .heading = "Number", .value = extra_nr, .keep = 98},
	{.id = "id", .value = extra_id},
	{.heading = "What",
	 .is_name = true,
	 .is_key = true,
	 .width = 30,
	 .cut = 2,
	 .value = extra_label},
	{.id = "in", .heading = "In", .is_name = true, .is_key = true, .cut = 1, .value = extra_in},
	{.id = "holders",
	 .heading = "Largest",
	 .is_name = true,
	 .is_key = true,
	 .value = extra_who},
};

static void add_extras(struct document_section *s, const struct where_report *r)
{
	const struct extras *e = &r->new->partition.extras;

	if (!e->nr && !(s->document->audience & FOR_DATA))
		return;
	document_add_table(s,
			   &(struct document_table){
				   .id = "also",
				   .title = "IN THE LINES ABOVE, TOO",
				   .columns = extra_columns,
				   .nr_columns = sizeof(extra_columns) / sizeof(extra_columns[0]),
				   .rows = e->v,
				   .row_size = sizeof(e->v[0]),
				   .nr_rows = e->nr,
				   .rows_total = e->nr,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_DATA);
}

/* ---- holders, for data ----------------------------------------------------------------------- */

static struct value holder_number(const struct document_cell *cell)
{
	const struct holder *const *h = cell->row;

	return value_u64((uint64_t)(*h)->v[cell->column->index]);
}

static struct value holder_name(const struct document_cell *cell)
{
	const struct holder *const *h = cell->row;

	return value_text((*h)->name);
}

#define NUMBER_COLUMN(number)                                                                      \
	{                                                                                          \
		.id = #number, .value = holder_number, .index = HOLDER_NR_##number                 \
	}

static const struct document_column process_columns[] = {
	NUMBER_COLUMN(pid),
	{.id = "comm", .value = holder_name},
	NUMBER_COLUMN(anon),
	NUMBER_COLUMN(shmem),
	NUMBER_COLUMN(page_tables),
	NUMBER_COLUMN(threads),
	NUMBER_COLUMN(files),
	NUMBER_COLUMN(sockets),
	NUMBER_COLUMN(pipes),
	NUMBER_COLUMN(epoll_items),
	NUMBER_COLUMN(inotify_watches),
	NUMBER_COLUMN(timers),
};

static const struct document_column object_columns[] = {
	NUMBER_COLUMN(bytes),
	NUMBER_COLUMN(id),
	NUMBER_COLUMN(pid),
	{.id = "name", .value = holder_name},
};

/* The table of one kind of holders. */
static void add_holders(struct document_section *s, const struct holders *h, enum holder_kind kind,
			const char *id, const struct document_column *columns, size_t nr_columns)
{
	const struct holder **v;
	size_t at = 0, nr = 0;

	if (!(s->document->audience & FOR_DATA))
		return;
	v = document_own(s->document, calloc(h->nr + 1, sizeof(*v)));
	if (!v)
		return;
	while ((v[nr] = holders_next(h, kind, &at)))
		nr++;
	document_add_table(s,
			   &(struct document_table){.id = id,
						    .columns = columns,
						    .nr_columns = nr_columns,
						    .rows = v,
						    .row_size = sizeof(*v),
						    .nr_rows = nr,
						    .rows_total = nr},
			   FOR_DATA);
}

static void add_all_holders(struct document_section *s, const struct holders *h)
{
	static const struct {
		enum holder_kind kind;
		const char *id;
	} objects[] = {
		{HOLDER_deleted, "deleted"},	   {HOLDER_bpf_map, "bpf_maps"},
		{HOLDER_bpf_prog, "bpf_programs"}, {HOLDER_trace_buffer, "trace_buffers"},
		{HOLDER_dma_buf, "dma_bufs"},
	};

	add_holders(s, h, HOLDER_process, "processes", process_columns,
		    sizeof(process_columns) / sizeof(process_columns[0]));
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		add_holders(s, h, objects[i].kind, objects[i].id, object_columns,
			    sizeof(object_columns) / sizeof(object_columns[0]));
}

/* ---- growth ---------------------------------------------------------------------------------- */

static const struct growth_row *growth_row(const struct document_cell *cell)
{
	return cell->row;
}

static struct value growth_change(const struct document_cell *cell)
{
	return value_bytes_change(growth_row(cell)->change);
}

/* Bytes an hour, which may be more than fits. */
static int64_t rate_of(const struct growth *g, const struct growth_row *r)
{
	double rate = (double)r->change / g->hours;

	return rate > 9e18 ? INT64_MAX : rate < -9e18 ? INT64_MIN : (int64_t)rate;
}

static struct value growth_rate(const struct document_cell *cell)
{
	const struct growth *g = cell->context;

	return g->hours > 0 ? value_bytes_change(rate_of(g, cell->row)) : value_none();
}

static struct value growth_old(const struct document_cell *cell)
{
	return bytes_value(growth_row(cell)->old);
}

static struct value growth_new(const struct document_cell *cell)
{
	return bytes_value(growth_row(cell)->new);
}

static struct value growth_label(const struct document_cell *cell)
{
	return value_text(growth_row(cell)->label);
}

static struct value growth_path(const struct document_cell *cell)
{
	return value_text(growth_row(cell)->path);
}

static struct value growth_who(const struct document_cell *cell)
{
	const struct balance_line *l = growth_row(cell)->line;

	return l->who ? value_text(l->who) : (struct value){.kind = VALUE_NONE, .shown = ""};
}

static const struct document_column growth_columns[] = {
	{.id = "change", .heading = "Change", .value = growth_change, .keep = 100},
	{.id = "per_hour", .heading = "Per hour", .value = growth_rate, .keep = 99},
	{.id = "old", .heading = "Old", .value = growth_old, .keep = 97},
	{.id = "new", .heading = "New", .value = growth_new, .keep = 98},
	{.heading = "Line",
	 .is_name = true,
	 .is_key = true,
	 .width = 30,
	 .cut = 1,
	 .value = growth_label},
	{.id = "path", .value = growth_path},
	{.id = "holders",
	 .heading = "Held by",
	 .is_name = true,
	 .is_key = true,
	 .value = growth_who},
};

/* In text, the lines that grew, without free memory. */
static uint64_t rows_for_people(struct document *d, const struct growth *g, uint64_t lines,
				const struct growth_row **ret_rows)
{
	const uint64_t most = lines ? lines : GROWTH_FOR_PEOPLE;
	struct growth_row *v = document_own(d, calloc(g->nr + 1, sizeof(*v)));
	uint64_t nr = 0;

	for (size_t i = 0; v && i < g->nr && nr < most && g->v[i].change > 0; i++)
		if (strncmp(g->v[i].path, "free", 4) != 0)
			v[nr++] = g->v[i];
	*ret_rows = v;
	return nr;
}

static void add_growth(struct document_section *s, const struct growth *g, uint64_t lines)
{
	const struct growth_row *rows = g->v;
	uint64_t nr = g->nr;

	if (!(s->document->audience & FOR_DATA))
		nr = rows_for_people(s->document, g, lines, &rows);
	if (!nr && !(s->document->audience & FOR_DATA)) {
		document_add_line(s, "Nothing grew.");
		return;
	}
	document_add_table(s,
			   &(struct document_table){
				   .id = "growth",
				   .columns = growth_columns,
				   .nr_columns = sizeof(growth_columns) / sizeof(growth_columns[0]),
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = nr,
				   .rows_total = nr,
				   .context = g,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_DATA);
}

/* ---- what to type next ----------------------------------------------------------------------- */

static void add_next(struct document_section *s, struct strbuf *line)
{
	s->document->failed |= line->failed;
	if (line->len && !line->failed) {
		document_add_line(s, "Next: %s", line->buf);
		document_add_figure(s, "next",
				    value_text(document_own(s->document, strbuf_detach(line))),
				    FOR_PROGRAMS);
	}
	strbuf_deinit(line);
}

/* Take the line that grew most among those that a report explains. */
static void add_next_of_growth(struct document_section *s, const struct where_report *r,
			       const struct growth *g)
{
	struct strbuf line = STRBUF_INIT, command = STRBUF_INIT;
	char text[UNITS_BUF];

	for (size_t i = 0; i < g->nr && g->v[i].change > 0 && !line.len; i++) {
		if (!advice_add(&r->advice, g->v[i].path, &command))
			continue;
		if (g->hours > 0)
			strbuf_addf(
				&line, "%s +%s/h: ", g->v[i].label,
				units_bytes(text, sizeof(text), (uint64_t)rate_of(g, &g->v[i])));
		else
			strbuf_addf(&line, "%s +%s: ", g->v[i].label,
				    units_bytes(text, sizeof(text), (uint64_t)g->v[i].change));
		strbuf_addstr(&line, command.buf);
	}
	line.failed |= command.failed;
	strbuf_deinit(&command);
	add_next(s, &line);
}

/* Take the largest line that a report explains. */
static void add_next_of_balance(struct document_section *s, const struct where_report *r)
{
	const struct balance *b = &r->new->partition.balance;
	struct strbuf line = STRBUF_INIT;
	int64_t most = 0;

	for (size_t i = 1; i < b->nr; i++) {
		struct strbuf path = STRBUF_INIT, candidate = STRBUF_INIT;
		const struct balance_line *l = &b->v[i];
		char text[UNITS_BUF];

		if (!l->is_leaf || l->bytes <= most)
			continue;
		balance_add_path(b, l, false, "/", &path);
		if (advice_add(&r->advice, path.buf, &candidate)) {
			most = l->bytes;
			strbuf_reset(&line);
			balance_add_path(b, l, true, " > ", &line);
			strbuf_addf(&line, " %s: %s",
				    units_bytes(text, sizeof(text), (uint64_t)l->bytes),
				    candidate.buf);
		}
		line.failed |= path.failed || candidate.failed;
		strbuf_deinit(&path);
		strbuf_deinit(&candidate);
	}
	add_next(s, &line);
}

/* ---- the document ---------------------------------------------------------------------------- */

static void add_date(struct document_section *in, const char *label, const struct source_facts *f)
{
	char text[UNITS_BUF];

	document_add_header(in, label,
			    units_date(text, sizeof(text), source_facts_wall_clock_ns(f)));
}

static void add_header(struct document_section *in, const struct where_report *r)
{
	const struct source_facts *f = &r->new->texts.facts;
	struct strbuf host = STRBUF_INIT;

	source_facts_add_host(f, &host);
	in->document->failed |= host.failed;
	document_add_header(in, "Host", host.buf);
	strbuf_deinit(&host);
	if (r->old)
		add_date(in, "Since", &r->old->texts.facts);
	add_date(in, "Taken", f);
}

static void add_facts(struct document_section *in, const char *id, const struct where_side *side)
{
	const struct source_facts *f = &side->texts.facts;
	struct document_section *s = document_add_section(in, id, NULL, FOR_DATA);

	document_add_figure(s, "path", value_text(f->path), FOR_PROGRAMS);
	source_facts_add_figures(f, s);
	document_add_figure(s, "page_size_bytes", value_u64(f->page_size), FOR_PROGRAMS);
	document_add_figure(s, "wall_clock_ns", value_u64(source_facts_wall_clock_ns(f)), FOR_DATA);
	document_add_figure(s, "missing",
			    side->partition.missing.len ? value_text(side->partition.missing.buf)
							: value_none(),
			    FOR_PROGRAMS);
}

static double hours_between(const struct where_report *r)
{
	const uint64_t old = source_facts_wall_clock_ns(&r->old->texts.facts);
	const uint64_t new = source_facts_wall_clock_ns(&r->new->texts.facts);

	return old && new > old ? (double)(new - old) / NS_PER_HOUR : 0;
}

void where_report_init(struct where_report *r)
{
	r->growth = (struct growth){.v = NULL};
	if (r->old)
		growth_init(&r->growth, &r->old->partition.balance, &r->new->partition.balance,
			    hours_between(r));
}

void where_report_deinit(struct where_report *r)
{
	growth_deinit(&r->growth);
}

static void add_missing(struct document_section *in, const struct where_report *r)
{
	const struct source_facts *f = &r->new->texts.facts;

	if (r->new->partition.missing.len)
		document_add_line(in, "%s.", r->new->partition.missing.buf);
	if (f->damage.what[0])
		document_add_line(in, "'%s' is damaged: %s.", f->path, f->damage.what);
}

void where_report_build(struct document *d, void *ctx)
{
	const struct where_report *r = ctx;
	struct document_section *s;

	d->failed |= r->growth.failed;
	document_add_versions(d);
	source_facts_add_metrics(&r->new->texts.facts, &d->root);
	if (r->header)
		add_header(&d->root, r);
	if (r->old)
		add_facts(&d->root, "old_snapshot", r->old);
	add_facts(&d->root, "snapshot", r->new);
	add_missing(&d->root, r);
	s = document_add_section(&d->root, "where", r->old ? "WHAT GREW" : "WHERE THE MEMORY IS",
				 FOR_PEOPLE | FOR_DATA | FOR_METRICS);
	if (r->old)
		add_growth(s, &r->growth, r->lines);
	if (!r->old || (d->audience & (FOR_DATA | FOR_METRICS))) {
		add_balance(s, r);
		add_extras(s, r);
		add_all_holders(s, &r->new->partition.holders);
	}
	if (r->old)
		add_next_of_growth(&d->root, r, &r->growth);
	else
		add_next_of_balance(&d->root, r);
}
