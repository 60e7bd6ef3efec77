// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/pingpong_part.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/base/array.h"
#include "util/base/units.h"
#include "util/report/findings.h"
#include "util/source/facts.h"

/* Up to this number of CPUs or nodes, text shows them as a matrix. */
#define MATRIX_MAX 16
/* Default number of pairs in text. */
#define BUSIEST 10

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The "CPUs" of a pair may be nodes. */
static int by_frees(const void *x, const void *y)
{
	const struct cpu_pair *a = x, *b = y;
	int ret = (b->frees > a->frees) - (b->frees < a->frees);

	if (!ret)
		ret = (b->bytes > a->bytes) - (b->bytes < a->bytes);
	if (!ret)
		ret = (a->alloc_cpu > b->alloc_cpu) - (a->alloc_cpu < b->alloc_cpu);
	return ret ? ret : (a->free_cpu > b->free_cpu) - (a->free_cpu < b->free_cpu);
}

static struct value place(int32_t number)
{
	struct value v = value_signed_id(number);

	if (number < 0)
		v.shown = "?";
	return v;
}

static struct value node_of(const struct report_context *c, int32_t cpu)
{
	int32_t node = source_facts_cpu_node(c->facts, cpu);

	return node < 0 ? value_none() : value_signed_id(node);
}

/* The column's arg is the sum over all pairs. */
static struct value percent(const struct document_cell *cell)
{
	const struct cpu_pair *r = cell->row, *all = cell->column->arg;

	return value_percent(findings_percent(r->frees, all->frees), 3, 1);
}

COLUMN_FN(alloc_place, struct cpu_pair, place(r->alloc_cpu))
COLUMN_FN(free_place, struct cpu_pair, place(r->free_cpu))
COLUMN_FN(alloc_node, struct cpu_pair, node_of(c, r->alloc_cpu))
COLUMN_FN(free_node, struct cpu_pair, node_of(c, r->free_cpu))
COLUMN_FN(frees, struct cpu_pair, value_u64(r->frees))
COLUMN_FN(bytes, struct cpu_pair, value_bytes(r->bytes))

static const struct document_column node_columns[] = {
	{"alloc_node", "Allocated on\nnode", 12, false, alloc_place, .is_key = true},
	{"free_node", "Freed on\nnode", 8, false, free_place, .is_key = true},
	{"frees", "Frees", 10, false, frees, .adds_up = true},
	{"bytes", "Bytes", 14, false, bytes, .adds_up = true},
};

static struct document_columns pair_columns(struct document *d, const struct cpu_pairs *p)
{
	struct cpu_pair *all = document_own(d, malloc(sizeof(*all)));
	const struct document_column columns[] = {
		{"alloc_cpu", "Allocated on\nCPU", 12, false, alloc_place, .is_key = true},
		{"free_cpu", "Freed on\nCPU", 8, false, free_place, .is_key = true},
		{"alloc_node", NULL, 0, false, alloc_node, .is_key = true},
		{"free_node", NULL, 0, false, free_node, .is_key = true},
		{"frees", "Frees", 10, false, frees, .adds_up = true},
		{NULL, "Share", 7, false, percent, .arg = all},
		{"bytes", "Bytes", 14, false, bytes, .adds_up = true},
	};
	struct document_columns v;

	if (all)
		*all = cpu_pairs_sum(p, false);
	document_columns_init(&v, d, NR_OF(columns));
	if (all)
		document_columns_add_all(&v, columns, NR_OF(columns));
	return v;
}

/* Pairs of nodes, or NULL if out of memory. The caller frees them. */
static struct cpu_pairs *fold_by_node(struct document *d, const struct report_context *c,
				      const struct cpu_pairs *p)
{
	struct cpu_pairs *nodes = cpu_pairs_new();

	for (uint32_t i = 0; nodes && i < p->rows.nr; i++) {
		const struct cpu_pair *pair = table_row(&p->rows, i);

		if (cpu_pairs_add(nodes, source_facts_cpu_node(c->facts, pair->alloc_cpu),
				  source_facts_cpu_node(c->facts, pair->free_cpu), pair->frees,
				  pair->bytes)) {
			cpu_pairs_free(nodes);
			nodes = NULL;
		}
	}
	d->failed |= !nodes;
	return nodes;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Allocations on one CPU or node, by the CPU or node that freed them. */
struct matrix_row {
	int32_t place;
	uint64_t all;
	uint64_t frees[MATRIX_MAX];
};

struct matrix {
	struct matrix_row rows[MATRIX_MAX + 1]; /* the last one is the sum */
	char names[MATRIX_MAX][32];		/* headings */
	size_t nr;
};

static int by_number(const void *x, const void *y)
{
	const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;

	return (a > b) - (a < b);
}

/* The CPUs or nodes in ascending order, without duplicates. Returns their number. *ret_places is
 * owned by the document. */
static size_t find_places(struct document *d, const struct cpu_pairs *p, int32_t **ret_places)
{
	int32_t *v = document_own(d, calloc(2 * (size_t)p->rows.nr + 1, sizeof(*v)));
	size_t nr = 0, unique = 0;

	for (uint32_t i = 0; v && i < p->rows.nr; i++) {
		const struct cpu_pair *pair = table_row(&p->rows, i);

		v[nr++] = pair->alloc_cpu;
		v[nr++] = pair->free_cpu;
	}
	if (nr)
		qsort(v, nr, sizeof(*v), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!unique || v[unique - 1] != v[i])
			v[unique++] = v[i];
	*ret_places = v;
	return unique;
}

static size_t place_index(const struct matrix *m, int32_t number)
{
	size_t i = 0;

	while (i + 1 < m->nr && m->rows[i].place != number)
		i++;
	return i;
}

static void fill_matrix(struct matrix *m, const struct cpu_pairs *p, const int32_t *places,
			size_t nr)
{
	struct matrix_row *sum = &m->rows[nr];

	m->nr = nr;
	for (size_t i = 0; i < nr; i++)
		m->rows[i].place = places[i];
	for (uint32_t i = 0; i < p->rows.nr; i++) {
		const struct cpu_pair *pair = table_row(&p->rows, i);
		struct matrix_row *row = &m->rows[place_index(m, pair->alloc_cpu)];
		size_t column = place_index(m, pair->free_cpu);

		row->frees[column] += pair->frees;
		row->all += pair->frees;
		sum->frees[column] += pair->frees;
		sum->all += pair->frees;
	}
}

COLUMN_FN(row_place, struct matrix_row, place(r->place))
COLUMN_FN(row_frees, struct matrix_row, value_u64(r->frees[cell->column->index]))
COLUMN_FN(row_all, struct matrix_row, value_u64(r->all))

static void add_matrix(struct document_section *in, const struct report_context *c,
		       const struct cpu_pairs *p, const int32_t *places, size_t nr, bool are_nodes)
{
	struct document *d = in->document;
	struct matrix *m = document_own(d, calloc(1, sizeof(*m)));
	struct document_columns columns;

	if (!m)
		return;
	fill_matrix(m, p, places, nr);
	document_columns_init(&columns, d, MATRIX_MAX + 2);
	document_columns_add(
		&columns, &(struct document_column){
				  .heading = are_nodes ? "Allocated\non node" : "Allocated\non CPU",
				  .width = 9,
				  .value = row_place,
				  .is_key = true,
			  });
	for (size_t i = 0; i < nr; i++) {
		/* the last heading is preceded by one for all of them */
		const char *over = i + 1 < nr  ? ""
				   : are_nodes ? "freed on node\n"
					       : "freed on CPU\n";

		if (places[i] < 0)
			snprintf(m->names[i], sizeof(m->names[i]), "%s?", over);
		else
			snprintf(m->names[i], sizeof(m->names[i]), "%s%" PRId32, over, places[i]);
		document_columns_add(&columns, &(struct document_column){
						       .heading = m->names[i],
						       .width = 7,
						       .value = row_frees,
						       .index = (unsigned int)i,
					       });
	}
	document_columns_add(&columns, &(struct document_column){
					       .heading = "all",
					       .width = 8,
					       .value = row_all,
				       });
	document_add_table(in,
			   &(struct document_table){
				   .id = are_nodes ? "frees_by_node" : "frees_by_cpu",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = m->rows,
				   .row_size = sizeof(m->rows[0]),
				   .nr_rows = nr,
				   .rows_total = nr,
				   .sum = &m->rows[nr],
				   .sum_name = "all",
				   .context = c,
			   },
			   FOR_PEOPLE);
}

/* ---- findings -------------------------------------------------------------------------------- */

static void say_how_many(struct findings *f, const struct cpu_pairs *p,
			 const struct cpu_pair *busiest)
{
	const struct cpu_pair all = cpu_pairs_sum(p, false), two = cpu_pairs_sum(p, true);
	char a[UNITS_BUF], b[UNITS_BUF], size[UNITS_BUF] = ", ";

	units_bytes(size + 2, sizeof(size) - 2, two.bytes);
	strbuf_addf(&f->text, "%s of %s frees with a recorded allocation came from another CPU",
		    two.frees ? findings_number(f, b, two.frees) : "None",
		    findings_number(f, a, all.frees));
	findings_add_share(f, two.frees, all.frees, size);
	strbuf_addch(&f->text, '.');
	if (busiest) {
		strbuf_addf(&f->text,
			    " The busiest pair: allocated on CPU %" PRId32 ", freed on CPU %" PRId32
			    ", %s",
			    busiest->alloc_cpu, busiest->free_cpu,
			    findings_number(f, a, busiest->frees));
		findings_add_share(f, busiest->frees, two.frees, "");
		strbuf_addch(&f->text, '.');
	}
}

static void say_nodes(struct findings *f, const struct cpu_pairs *nodes)
{
	const struct cpu_pair all = cpu_pairs_sum(nodes, false), two = cpu_pairs_sum(nodes, true);
	char a[UNITS_BUF];

	strbuf_addf(&f->text, " %s came from another NUMA node",
		    two.frees ? findings_number(f, a, two.frees) : "None");
	findings_add_share(f, two.frees, all.frees, " of all");
	strbuf_addch(&f->text, '.');
}

static void add_findings(struct document_section *in, const struct report_context *c,
			 const struct cpu_pairs *p, const struct cpu_pairs *nodes,
			 const struct cpu_pair *busiest)
{
	struct findings f = {.c = c, .text = STRBUF_INIT};

	say_how_many(&f, p, busiest);
	if (nodes)
		say_nodes(&f, nodes);
	findings_finish(&f, in);
}

static void add_summary(struct document_section *in, const struct cpu_pairs *p,
			const struct cpu_pairs *nodes)
{
	const struct cpu_pair all = cpu_pairs_sum(p, false), two = cpu_pairs_sum(p, true);
	const struct document_value figures[] = {
		{"frees", value_u64(all.frees)},
		{"bytes", value_bytes(all.bytes)},
		{"other_cpu_frees", value_u64(two.frees)},
		{"other_cpu_bytes", value_bytes(two.bytes)},
		{"other_node_frees",
		 nodes ? value_u64(cpu_pairs_sum(nodes, true).frees) : value_none()},
		{"pingpong", value_u64(p->pingpong)},
	};

	document_add_values(in, figures, sizeof(figures) / sizeof(figures[0]));
}

/* ---- the part -------------------------------------------------------------------------------- */

static uint64_t at_most(uint64_t nr, uint64_t lines)
{
	return nr < lines ? nr : lines;
}

/* The first of the sorted pairs whose CPUs differ. */
static const struct cpu_pair *first_of_two(const struct cpu_pair *pairs, uint32_t nr)
{
	for (uint32_t i = 0; pairs && i < nr; i++)
		if (pairs[i].alloc_cpu != pairs[i].free_cpu)
			return &pairs[i];
	return NULL;
}

/* Keep the pairs whose CPUs differ, in the same order. Returns their number. */
static uint64_t keep_two(struct document *d, const struct cpu_pair *pairs, uint32_t nr,
			 struct cpu_pair **ret_two)
{
	struct cpu_pair *two = document_own(d, calloc(nr + 1u, sizeof(*two)));
	uint64_t nr_two = 0;

	for (uint32_t i = 0; two && i < nr; i++)
		if (pairs[i].alloc_cpu != pairs[i].free_cpu)
			two[nr_two++] = pairs[i];
	*ret_two = two;
	return nr_two;
}

static void add_nodes(struct document_section *s, const struct report_context *c,
		      const struct cpu_pairs *nodes)
{
	document_add_table(s,
			   &(struct document_table){
				   .id = "nodes",
				   .columns = node_columns,
				   .nr_columns = sizeof(node_columns) / sizeof(node_columns[0]),
				   .rows = findings_sorted(s->document, &nodes->rows, by_frees),
				   .row_size = sizeof(struct cpu_pair),
				   .nr_rows = nodes->rows.nr,
				   .rows_total = nodes->rows.nr,
				   .context = c,
			   },
			   FOR_DATA);
}

/* Text: a matrix of CPUs or, if there are too many, of their nodes. Returns the number of CPUs. */
static size_t add_matrices(struct document_section *s, const struct report_context *c,
			   const struct cpu_pairs *p, const struct cpu_pairs *nodes)
{
	int32_t *places;
	size_t nr_cpus = find_places(s->document, p, &places), nr;

	if (nr_cpus && nr_cpus <= MATRIX_MAX)
		add_matrix(s, c, p, places, nr_cpus, false);
	if (nr_cpus <= MATRIX_MAX || !nodes)
		return nr_cpus;
	nr = find_places(s->document, nodes, &places);
	if (nr && nr <= MATRIX_MAX)
		add_matrix(s, c, nodes, places, nr, true);
	return nr_cpus;
}

/* Text: the busiest pairs. table: all pairs. */
static void add_busiest(struct document_section *s, const struct report_context *c,
			struct document_table table)
{
	struct cpu_pair *two;

	table.rows_total = keep_two(s->document, table.rows, (uint32_t)table.rows_total, &two);
	table.nr_rows = at_most(table.rows_total,
				c->options->lines == LINES_ALL ? BUSIEST : c->options->lines);
	table.rows = two;
	document_add_table(s, &table, FOR_PEOPLE);
}

void pingpong_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a, const char *title)
{
	const struct cpu_pairs *p = a->cpu_pairs;
	struct document_section *s;
	struct document_columns columns;
	struct document_table table;
	struct cpu_pairs *nodes = NULL;
	size_t nr_cpus;

	if (!p || c->facts->frees_unknown || c->facts->live_unknown)
		return;
	s = document_add_section(in, "pingpong", title, FOR_ALL);
	if (!s)
		return;
	if (c->facts->nr_nodes > 1)
		nodes = fold_by_node(s->document, c, p);
	columns = pair_columns(s->document, p);
	table = (struct document_table){
		.id = "pairs",
		.total_id = "pairs_total",
		.columns = columns.v,
		.nr_columns = columns.nr,
		.rows = findings_sorted(s->document, &p->rows, by_frees),
		.row_size = sizeof(struct cpu_pair),
		.nr_rows = at_most(p->rows.nr, c->options->lines),
		.rows_total = p->rows.nr,
		.context = c,
	};
	/* sentences about 0 frees would be no help */
	if (p->rows.nr)
		add_findings(s, c, p, nodes, first_of_two(table.rows, p->rows.nr));
	else
		document_add_line(s, "No frees have a recorded allocation.");
	add_summary(s, p, nodes);
	if (nodes)
		add_nodes(s, c, nodes);
	nr_cpus = add_matrices(s, c, p, nodes);
	document_add_table(s, &table, FOR_DATA);
	if (nr_cpus > MATRIX_MAX)
		add_busiest(s, c, table);
	cpu_pairs_free(nodes);
}
