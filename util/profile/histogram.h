/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct histogram: the rows of a report, by the fields that the user requests.
 *
 * Made from a profile that has been read to its end: samples with equal keys form a row. With
 * `children` a row also has the samples of all its callees: each function of a callchain has a row,
 * and counts a sample once, however often it is in the chain. Call trees are made one at a time,
 * when their row is shown (histogram_tree()). Until then a row only has a list of its callchains'
 * positions and, if there are too many, only some rows to be shown next have it. Rows, and the work
 * for trees, are limited by the size of the recording. Errors: -ENOMEM.
 */
#ifndef PROFILE_HISTOGRAM_H
#define PROFILE_HISTOGRAM_H

#include "util/profile/chain_tree.h"

/* The values of a row; the keys come first. */
enum histogram_field {
	FIELD_COMM,
	FIELD_DSO,
	FIELD_SYMBOL,
	FIELD_CPU,
	FIELD_TID,
	FIELD_PID,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_SRCLINE,
	FIELD_SRCFILE,
	HISTOGRAM_KEYS, /* number of keys; the rest are figures */
	FIELD_OVERHEAD = HISTOGRAM_KEYS,
	FIELD_CHILDREN,
	FIELD_SAMPLES,
	FIELD_PERIOD,
	HISTOGRAM_FIELDS,
};

struct histogram_fields {
	enum histogram_field v[HISTOGRAM_FIELDS];
	size_t nr;
};

bool histogram_fields_have(const struct histogram_fields *f, enum histogram_field field);

/* Limits of all histograms of a report together. */
struct histogram_limits {
	uint64_t rows_left;
	bool rows_reached; /* whether functions that need further rows were left out */
	struct call_tree_limits trees;
};

/* The limits for a recording of this size. */
void histogram_limits_init(struct histogram_limits *l, uint64_t stored_bytes);

struct histogram_options {
	struct histogram_limits *limits;
	struct histogram_fields keys;  /* the keys */
	struct histogram_fields order; /* the sort keys: figures descend */
	bool children;
	bool caller_first;    /* call trees start at the outermost caller */
	bool hide_unresolved; /* leave out functions without a symbol */
	bool relative;	      /* percentages are of the samples that pass the filter */
	double min_percent;   /* rows below it are not shown */
	struct call_tree_shape shape;
	bool trees;
	/* Whether a sample in this function is shown. May be NULL: all are. */
	bool (*wants)(void *ctx, const struct profile_row *row, uint32_t function);
	void *ctx;
};

#define HISTOGRAM_NO_CHAIN UINT32_MAX

struct histogram_row {
	uint32_t ids[HISTOGRAM_KEYS]; /* the key; 0 for fields that are not keys */
	uint64_t period, total;	      /* its own; with its callees */
	uint64_t nr;		      /* own samples */
	uint32_t depth;		      /* depth of the deepest callchain */
	uint32_t visit;		      /* the last profile row that counted for it + 1 */
	uint32_t nr_chains;
	uint32_t first_chain; /* HISTOGRAM_NO_CHAIN: not kept */
	uint32_t shown;	      /* its position among the rows to show */
};

struct histogram {
	struct profile *profile;
	struct functions *functions;
	const struct histogram_options *options;
	struct table rows;
	uint64_t period, nr;		   /* over all samples */
	uint64_t wanted_period, wanted_nr; /* over samples that pass the filter */
	uint32_t *order;		   /* numbers of the rows to show */
	uint32_t nr_shown;
	uint32_t event;
	struct chain_place *chains; /* by row; of some rows only */
	struct chain_frame *frames; /* functions of the current chain */
	uint32_t *last_rows;	    /* by place in the chain; the last one belongs to the leaf */
	struct call_tree tree;
};

#define HISTOGRAM_ALL_EVENTS UINT32_MAX

/* event: only its samples are used. The other arguments must outlive it. */
int histogram_init(struct histogram *h, struct profile *profile, struct functions *functions,
		   const struct histogram_options *options, uint32_t event);
void histogram_deinit(struct histogram *h);

static inline const struct histogram_row *histogram_shown(const struct histogram *h, uint32_t i)
{
	return table_row(&h->rows, h->order[i]);
}

/* 100 % of the percentages. */
static inline uint64_t histogram_whole(const struct histogram *h)
{
	return h->options->relative ? h->wanted_period : h->period;
}

/* The call tree of a row, valid until the next one is made. */
int histogram_tree(struct histogram *h, const struct histogram_row *row,
		   struct value_tree *ret_tree);

#endif
