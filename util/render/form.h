/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct form: something that a document can be written as; --format names it.
 *
 * A form is one file with a `const struct form form_NAME`, and its name in FORMS.  Nothing else
 * knows which forms there are: the command line asks this table.
 */
#ifndef RENDER_FORM_H
#define RENDER_FORM_H

#include <stdio.h>

#include "util/base/error.h"
#include "util/render/render.h"

/* The forms, in the order in which --help names them; the first is the usual one. */
#define FORMS(FORM) FORM(text) FORM(json) FORM(csv) FORM(folded)

/* What a report may have for forms; bits. */
enum form_content {
	HAS_TABLES = 1,
	HAS_STACKS = 2, /* tables with something FOR_GRAPHS, and a weight */
};

struct form {
	const char *name;
	enum document_audience audience; /* whom documents are made for that it writes */
	unsigned int needs;		 /* content, of which a report must have all */
	const char *lacks;		 /* what one has not that has not: "stacks to fold" */
	/* Returns 0 or -ENOMEM; write errors stay with the FILE. */
	int (*render)(FILE *out, const struct render_options *o, const struct document *d);
};

/* By name; NULL: there is none. */
const struct form *form_find(const char *name);

/* The i-th; NULL behind the last. */
const struct form *form_at(size_t i);

/*
 * Can it write a report that has this content? Errors: -EINVAL, "WHO no stacks to fold (--format
 * text, json or csv)"; who: with the verb, "leak has".
 */
int form_check(const struct form *form, const char *who, unsigned int content, struct error *err);

#define FORM_EXTERN(name) extern const struct form form_##name;
FORMS(FORM_EXTERN)

/* "text json ...", for people. */
#define FORM_NAME(name) " " #name
#define FORM_NAMES	FORMS(FORM_NAME)

#endif
