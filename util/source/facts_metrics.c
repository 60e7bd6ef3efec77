// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/facts_metrics.h"

#include <time.h>

#include "util/base/array.h"

#define FACT(name, expression)                                                                     \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const struct source_facts *f = cell->row;                                          \
                                                                                                   \
		(void)f;                                                                           \
		return expression;                                                                 \
	}

FACT(hostname, value_text(f->hostname))
FACT(machine_id, value_text(f->machine_id))
FACT(boot_id, value_text(f->boot_id))
FACT(arch, value_text(f->arch))
FACT(kernel, value_text(f->osrelease))
FACT(version, value_text(VERSION))
FACT(one, value_u64(1))
FACT(events, value_u64(f->nr_samples))
FACT(lost, value_u64(f->nr_lost))
FACT(written, value_u64((uint64_t)time(NULL)))

static struct value kernel_build_id(const struct document_cell *cell)
{
	const struct source_facts *f = cell->row;

	strbuf_add_hex_bytes(cell->scratch, f->kernel_build_id, f->kernel_build_id_size);
	return value_text(cell->scratch->len ? cell->scratch->buf : NULL);
}

static const struct document_metric build_info = {
	"build_info", "The machine, its kernel, and the program that wrote this. Always 1."};
static const struct document_metric all_events = {"events_total", "Events that were read."};
static const struct document_metric lost_events = {
	"lost_events_total", "Events that were lost. Figures are too low by these."};
static const struct document_metric written_at = {"written_timestamp_seconds",
						  "When this was written, in seconds since 1970."};

static void add_row(struct document_section *in, const struct source_facts *f,
		    const struct document_column *columns, size_t nr)
{
	document_add_table(in,
			   &(struct document_table){.columns = columns,
						    .nr_columns = nr,
						    .rows = f,
						    .row_size = sizeof(*f),
						    .nr_rows = 1,
						    .rows_total = 1},
			   FOR_METRICS);
}

void source_facts_add_metrics(const struct source_facts *f, struct document_section *in)
{
	static const struct document_column identity[] = {
		{"hostname", .value = hostname, .audience = FOR_METRICS},
		{"machine_id", .value = machine_id, .audience = FOR_METRICS},
		{"boot_id", .value = boot_id, .audience = FOR_METRICS},
		{"arch", .value = arch, .audience = FOR_METRICS},
		{"kernel", .value = kernel, .audience = FOR_METRICS},
		{"kernel_build_id", .value = kernel_build_id, .audience = FOR_METRICS},
		{"version", .value = version, .audience = FOR_METRICS},
		{"build_info", .value = one, .metric = &build_info, .audience = FOR_METRICS},
	};
	static const struct document_column time_of_writing[] = {
		{"written", .value = written, .metric = &written_at, .audience = FOR_METRICS},
	};
	static const struct document_column counts[] = {
		{"events", .value = events, .metric = &all_events, .audience = FOR_METRICS},
		{"lost", .value = lost, .metric = &lost_events, .audience = FOR_METRICS},
	};

	add_row(in, f, identity, NR_OF(identity));
	add_row(in, f, time_of_writing, NR_OF(time_of_writing));
	if (f->nr_events && !f->is_snapshot)
		add_row(in, f, counts, NR_OF(counts));
}
