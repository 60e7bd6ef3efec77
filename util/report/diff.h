/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct diff: the same table of two recordings, row by row.
 *
 * Rows are matched by the text of their keys, because addresses and numbers of interned names
 * differ between recordings. Call sites and callchains are matched by function and offset if both
 * recordings are of one kernel, else by function without the compiler's suffixes. An address
 * without a name matches only if the kernel was loaded at the same address (KASLR changes it on
 * every boot). Pointers and pages never match: such tables cannot be compared.
 *
 * More recordings of either side show how much rows differ by chance: each row has the range of its
 * bytes. A change is beyond noise if the ranges of both sides do not overlap.
 *
 * With --per-second, figures are divided by the seconds that each recording covers. If both are
 * states (snapshots, dumps), changes are divided by the seconds between them.
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "util/base/intern.h"
#include "util/report/column.h"
#include "util/report/report.h"

enum { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

struct diff_row {
	uint64_t name; /* interned text of the keys, joined by NUL */
	/* in that side's accounts; NULL if it has no such row */
	const uint64_t *key[DIFF_SIDES];
	struct stat_counts side[DIFF_SIDES];
	double least[DIFF_SIDES], most[DIFF_SIDES]; /* bytes, as diff_figure(), in all recordings */
};

struct diff_table {
	enum allocator allocator;
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
	struct diff_row *v; /* those beyond noise first, by their change in bytes */
	size_t nr;
};

struct diff {
	const struct report_context *side[DIFF_SIDES];
	double seconds[DIFF_SIDES]; /* covered by the recordings */
	double seconds_between;	    /* between two states, if per_second; otherwise 0 */
	bool per_second;
	bool same_kernel;
	bool same_boot;			     /* according to the addresses, if known */
	size_t nr_nameless;		     /* rows without a name, which cannot be compared */
	unsigned int recordings[DIFF_SIDES]; /* 1, and those of diff_add_repeat() */
	struct intern names;
	struct diff_table *tables;
	size_t nr_tables;
};

/* Whether both are of the same build of the kernel. */
bool diff_same_kernel(const struct source_facts *a, const struct source_facts *b);

/*
 * Seconds by which to divide the changes between two states. 0 for recordings, which have lengths
 * of their own. Errors: -ENODATA if there is no such time.
 */
int diff_seconds_between(const struct source_facts *old, const struct source_facts *new,
			 double *ret_seconds, struct error *err);

/* Whether both cover time, and one over a tenth more than the other. */
bool diff_lengths_differ(const struct report_context *old, const struct report_context *new);

/* Compare the tables that both have. The contexts must outlive the diff. seconds_between: see
 * above. Errors: -ENOMEM. */
int diff_init(struct diff *d, const struct report_context *old, const struct report_context *new,
	      bool per_second, double seconds_between);
void diff_deinit(struct diff *d);

/*
 * Add another recording of a side, whose kernel is the same, with the same tables. The context may
 * be freed afterwards. Totals of a recording of another length are scaled to the side's length.
 * Errors: -ENOMEM.
 */
int diff_add_repeat(struct diff *d, const struct report_context *repeat, int side);

/* Sort the rows again after the last diff_add_repeat(). */
void diff_sort(struct diff *d);

/* Whether either side has more than one recording. */
bool diff_has_noise(const struct diff *d);

/* The wider one of a row's two ranges. */
double diff_noise(const struct diff_row *row);
bool diff_is_beyond_noise(const struct diff *d, const struct diff_row *row);

/* The number of rows without any change among which chance alone puts one beyond noise. */
double diff_rows_for_one_by_chance(const struct diff *d);

/* A figure of one side. It is per second if per_second is set and the figure is a sum over time. */
double diff_figure(const struct diff *d, const struct diff_row *row, const struct column *c,
		   int side);

/* The change of a figure, per second under the same condition. */
double diff_change(const struct diff *d, const struct diff_row *row, const struct column *c);

/* The text of the i-th key of a row. */
const char *diff_row_key(const struct diff *d, const struct diff_row *row, unsigned int i);

#endif
