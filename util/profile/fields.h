/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of perf report, as users name them and as columns: one line of a table each.
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
 * Add the fields of a comma-separated list, each once. Errors: a word that is none (EINVAL); it is
 * named.
 */
int fields_parse(struct histogram_fields *f, const char *list, struct error *err);

/* Add a field, unless it is there. */
void fields_add(struct histogram_fields *f, enum histogram_field field);

/* What `parts` of samples (enum profile_part) the fields need. */
unsigned int fields_parts(const struct histogram_fields *f);

/* What the columns of a table refer to. */
struct fields_context {
	struct histogram *histogram;
	bool failed; /* a call tree found no memory */
};

/* The column of a field; its table's context is a struct fields_context. */
struct document_column fields_column(enum histogram_field field, bool children);

/* The call tree below each row, which programs get with it. */
struct document_column fields_tree_column(void);

#endif
