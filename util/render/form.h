/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct form: a format in which documents can be written, selected with --format.
 *
 * A form is one file with a `const struct form form_NAME`, and its name in FORMS.  Nothing else
 * knows which forms exist: the command line asks this table.
 */
#ifndef RENDER_FORM_H
#define RENDER_FORM_H

#include <stdio.h>

#include "util/base/error.h"
#include "util/render/render.h"

/* The forms, in the order in which --help lists them; the first is the default. */
#define FORMS(FORM) FORM(text) FORM(json) FORM(csv) FORM(folded)

/* What a report may contain that matters to forms; bits. */
enum form_content {
	HAS_TABLES = 1,
	HAS_STACKS = 2, /* tables with something FOR_GRAPHS, and a weight */
};

struct form {
	const char *name;
	enum document_audience audience; /* the audience of documents that it writes */
	unsigned int needs;		 /* content, all of which a report must have */
	const char *lacks;		 /* what a report lacks that does not have it: "stacks to
					  * fold" */
	/* Returns 0 or -ENOMEM; write errors are left in the FILE. */
	int (*render)(FILE *out, const struct render_options *o, const struct document *d);
};

/* By name; NULL: there is none. */
const struct form *form_find(const char *name);

/* The i-th; NULL after the last. */
const struct form *form_at(size_t i);

/*
 * Can it write a report with this content? Errors: -EINVAL, "WHO no stacks to fold (--format text,
 * json or csv)"; who: with the verb, "leak has".
 */
int form_check(const struct form *form, const char *who, unsigned int content, struct error *err);

#define FORM_EXTERN(name) extern const struct form form_##name;
FORMS(FORM_EXTERN)

/* "text json ...", for users. */
#define FORM_NAME(name) " " #name
#define FORM_NAMES	FORMS(FORM_NAME)

#endif
