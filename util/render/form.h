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

/*
 * The forms, in the order in which --help lists them, the first is the default: of what is written
 * while it happens, of every report with tables, of those that are profiles, too, and all.
 */
#define FORMS_OF_INTERVALS(FORM) FORM(text) FORM(json) FORM(markdown)
#define FORMS_OF_TABLES(FORM)	 FORMS_OF_INTERVALS(FORM) FORM(csv) FORM(html)
#define FORMS_OF_SAMPLES(FORM)	 FORMS_OF_TABLES(FORM) FORM(pprof) FORM(chrome)
#define FORMS(FORM)		 FORMS_OF_TABLES(FORM) FORM(folded) FORM(pprof) FORM(chrome)

/* What a report may contain that matters to forms; bits. */
enum form_content {
	HAS_TABLES = 1,
	HAS_STACKS = 2, /* tables with something FOR_GRAPHS, and a weight */
	HAS_TIMELINE = 4,
	HAS_SAMPLES = 8, /* tables with something FOR_GRAPHS, and columns that are a sample */
};

/* What a form has a report do by itself where the user does not ask for tables; bits. */
enum form_wish {
	WANTS_STACKS = 1,   /* a table by callchain */
	WANTS_PICTURES = 2, /* what pictures are drawn from: by call site and cache or order, too */
	WANTS_TIMELINE = 4, /* what was live over time, whatever the tables */
	WANTS_PINGPONG = 8, /* which CPU freed what was allocated on which */
};

struct form {
	const char *name;
	unsigned int audience; /* the audience of documents that it writes; bits */
	unsigned int needs;    /* content, all of which a report must have */
	const char *lacks;     /* what a report lacks that does not have it: "stacks to
				* fold" */
	unsigned int wishes;   /* bits of enum form_wish */
	const char *missing;   /* what this program was built without, so that it cannot
				* write the form; NULL: nothing */
	/* Returns 0 or -ENOMEM; write errors are left in the FILE. */
	int (*render)(FILE *out, const struct render_options *o, const struct document *d);
	bool is_binary; /* not for terminals */
	/* Can it write this document with these options? NULL: any. */
	int (*check)(const struct render_options *o, const struct document *d, struct error *err);
	bool has_file_a_table; /* see struct render_tables */
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

/* Write a document, if the form can. Write errors are left in the FILE. */
int form_write(const struct form *form, FILE *out, const struct render_options *o,
	       const struct document *d, struct error *err);

#define FORM_EXTERN(name) extern const struct form form_##name;
FORMS(FORM_EXTERN)

/* " text json ...", for users. */
#define FORM_NAME(name)		" " #name
#define FORM_NAMES		FORMS(FORM_NAME)
#define FORM_NAMES_OF_INTERVALS FORMS_OF_INTERVALS(FORM_NAME)
#define FORM_NAMES_OF_SAMPLES	FORMS_OF_SAMPLES(FORM_NAME)

#endif
