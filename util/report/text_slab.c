// SPDX-License-Identifier: GPL-2.0-or-later
/* The slab part of the text report: stock's tables and summary. */
#include <inttypes.h>

#include "util/report/cell.h"
#include "util/report/text_columns.h"

static void callsite_cell(const struct text_context *t, const struct row_view *row,
			  struct strbuf *sb)
{
	uint64_t address = row_key(row, KEY_CALLSITE);
	const struct symbol *sym =
		t->o->raw_ip ? NULL : symbols_find(&t->a->naming.symbols, address);

	if (sym)
		strbuf_addf(sb, "%s+%" PRIx64, sym->name, address - sym->start);
	else
		strbuf_addf(sb, "0x%" PRIx64, address);
}

static void ptr_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	strbuf_addf(sb, "0x%" PRIx64, row_key(row, KEY_PTR));
}

/* "total/mean", each in its own width */
static void bytes_cell(struct strbuf *sb, uint64_t bytes, uint64_t hits)
{
	strbuf_addf(sb, "%9" PRIu64 "/%-5" PRIu64, bytes, hits ? bytes / hits : 0);
}

static void alloc_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	bytes_cell(sb, row_bytes(row), row_hits(row));
}

static void req_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	bytes_cell(sb, row_bytes_req(row), row_hits(row));
}

static void hit_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	strbuf_addf(sb, "%" PRIu64, row_hits(row));
}

static void pingpong_cell(const struct text_context *t, const struct row_view *row,
			  struct strbuf *sb)
{
	(void)t;
	strbuf_addf(sb, "%" PRIu64, row->counts->pingpong);
}

static void frag_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	strbuf_addf(sb, "%6.3f%%", slab_fragmentation_percent(row_bytes_req(row), row_bytes(row)));
}

#define COUNT_COLUMNS(alloc, req)                                                                  \
	{alloc, 15, true, 0, alloc_cell}, {req, 15, true, 0, req_cell},                            \
		{"Hit", 8, true, 0, hit_cell}, {"Ping-pong", 9, true, 0, pingpong_cell},           \
	{                                                                                          \
		"Frag", 7, true, 6, frag_cell                                                      \
	}

#define NR_COLUMNS 6

static const struct text_column caller_columns[NR_COLUMNS] = {
	{"Callsite", 34, false, 0, callsite_cell},
	COUNT_COLUMNS("Total_alloc/Per", "Total_req/Per"),
};

static const struct text_column alloc_columns[NR_COLUMNS] = {
	{"Alloc Ptr", 34, false, 0, ptr_cell},
	COUNT_COLUMNS("Total_alloc/Per", "Total_req/Per"),
};

static const struct text_column live_caller_columns[NR_COLUMNS] = {
	{"Callsite", 34, false, 0, callsite_cell},
	COUNT_COLUMNS("Live_alloc/Per", "Live_req/Per"),
};

static const struct text_column live_alloc_columns[NR_COLUMNS] = {
	{"Alloc Ptr", 34, false, 0, ptr_cell},
	COUNT_COLUMNS("Live_alloc/Per", "Live_req/Per"),
};

static void print_figure(struct text_context *t, const char *label, uint64_t v)
{
	strbuf_reset(&t->line);
	cell_add_grouped(&t->line, t->o, v);
	fprintf(t->out, "%s%s\n", label, t->line.buf);
}

static void print_summary(struct text_context *t)
{
	const struct slab_summary *s = &t->a->accounts.slab.summary;

	fputs("\nSUMMARY (SLAB allocator)\n========================\n", t->out);
	print_figure(t, "Total bytes requested: ", s->bytes_requested);
	print_figure(t, "Total bytes allocated: ", s->bytes_allocated);
	print_figure(t, "Total bytes freed:     ", s->bytes_freed);
	if (s->bytes_allocated > s->bytes_freed)
		print_figure(t, "Net total bytes allocated: ", s->bytes_allocated - s->bytes_freed);
	print_figure(t, "Total bytes wasted on internal fragmentation: ",
		     slab_wasted_bytes(s->bytes_requested, s->bytes_allocated));
	fprintf(t->out, "Internal fragmentation: %f%%\n",
		slab_fragmentation_percent(s->bytes_requested, s->bytes_allocated));
	strbuf_reset(&t->line);
	cell_add_grouped(&t->line, t->o, s->cross_node_allocations);
	strbuf_addch(&t->line, '/');
	cell_add_grouped(&t->line, t->o, s->allocations);
	fprintf(t->out, "Cross CPU allocations: %s\n", t->line.buf);
	if (s->failures)
		print_figure(t, "Failed allocations: ", s->failures);
	if (t->o->live) {
		print_figure(t, "Live allocations: ", s->live);
		print_figure(t, "Live bytes: ", s->bytes_live);
	}
	text_peak_print(t, ALLOCATOR_SLAB);
}

static int print_table(struct text_context *t, const struct report_table *table)
{
	static const struct text_column *const looks[2][2] = {
		/* by call site, by pointer */
		{caller_columns, alloc_columns},
		{live_caller_columns, live_alloc_columns},
	};

	if (!text_table_is_stock(t, table))
		return text_columns_print(t, table);
	return text_table_print(t, looks[t->o->live][table->table->by[0] == KEY_PTR], NR_COLUMNS,
				table->table, table->options);
}

int text_slab_print(struct text_context *t)
{
	struct report_table table;
	int ret = 0;

	for (unsigned int i = 0; !ret && report_table_at(t->a, t->o, i, &table); i++)
		if (table.allocator == ALLOCATOR_SLAB)
			ret = print_table(t, &table);
	print_summary(t);
	return ret;
}
