/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct metrics: the series of a document, or of the documents of all intervals.
 *
 * A table has a series for each set of labels, which are the keys of its rows. Rows with the same
 * labels are added up, such as call sites in one function. At most `limit` rows of each metric get
 * a series of their own. The series "_other" has the rest, so that the sum over all series is that
 * of the table, however many names a hostile program makes up.
 *
 * A command that reports intervals adds each document to the same struct. A row keeps its series
 * until four times `limit` rows have one. Then a row that is twice as large takes the place of the
 * smallest. A counter never decreases, even if its row is folded into others. A row that gets a
 * series later begins at 0: what it had before stays in "_other". If a row loses its series,
 * "_other" does not count again what this one counted.
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/document/document.h"

#define METRICS_LIMIT_DEFAULT 20

struct metrics {
	uint64_t limit;
	struct intern labels; /* of series: `allocator="slab",callsite="f"` */
	struct metrics_table *tables;
	size_t nr_tables;
	struct metrics_family *families; /* of the latest document */
	size_t nr_families;
	bool failed; /* out of memory in the latest document */
};

/* The samples of one metric, in the latest document. */
struct metrics_family {
	const struct document_metric *metric;
	struct metrics_sample *samples;
	size_t nr, cap;
};

struct metrics_sample {
	uint32_t labels; /* their number */
	double value;
};

void metrics_init(struct metrics *m, uint64_t limit);
void metrics_deinit(struct metrics *m);

/* Begin a document: forget the samples of the one before, but not the series. */
void metrics_begin(struct metrics *m);

/* Add a table. allocator: the value of the label of that name. May be NULL. */
void metrics_add(struct metrics *m, const struct document_table *t, const char *allocator);

/* Whether it is a counter, by its name. Otherwise it is a gauge. */
bool metrics_is_counter(const struct document_metric *metric);

#endif
