/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of perf report, by their names and as columns: a table with one line for each.
 */
#ifndef PROFILE_FIELDS_H
#define PROFILE_FIELDS_H

#include "util/document/document.h"
#include "util/profile/histogram.h"

/* " comm dso ...", for users. */
#define FIELD_NAMES                                                                                \
	" comm dso symbol cpu pid tgid event trace srcline srcfile"                                \
	" overhead overhead_children sample period"

/*
 * Add the fields of a comma-separated list, without duplicates. Errors: EINVAL names the word that
 * is not a field.
 */
int fields_parse(struct histogram_fields *f, const char *list, struct error *err);

/* Add a field unless it was added before. */
void fields_add(struct histogram_fields *f, enum histogram_field field);

/* The `parts` of samples (enum profile_part) that the fields need. */
unsigned int fields_parts(const struct histogram_fields *f);

/* The context of a table's columns. */
struct fields_context {
	struct histogram *histogram;
	bool failed; /* a call tree ran out of memory */
};

/* The column of a field; its table's context is a struct fields_context. */
struct document_column fields_column(enum histogram_field field, bool children);

/* The column of the call tree below each row, for JSON. */
struct document_column fields_tree_column(void);

#endif
