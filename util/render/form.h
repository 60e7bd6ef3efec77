/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct form: an output format for documents, selected with --format.
 *
 * A form is one file with a `const struct form form_NAME`, and its name in FORMS. No other code
 * lists the forms: the command line asks this table.
 */
#ifndef RENDER_FORM_H
#define RENDER_FORM_H

#include <stdio.h>

#include "util/base/error.h"
#include "util/render/render.h"

/*
 * The forms, in the order of --help; the first is the default. They are grouped by the reports that
 * they can write: those of each interval (top), with tables and figures (where), of two recordings
 * (diff), and all reports.
 */
#define FORMS_OF_LINES(FORM)  FORM(text) FORM(json) FORM(markdown) FORM(jsonl)
#define FORMS_OF_FILES(FORM)  FORM(csv) FORM(html)
#define FORMS_OF_GRAPHS(FORM) FORM(folded) FORM(pprof) FORM(chrome)

#define FORMS_OF_INTERVALS(FORM) FORMS_OF_LINES(FORM) FORM(openmetrics)
#define FORMS_OF_TABLES(FORM)	 FORMS_OF_INTERVALS(FORM) FORMS_OF_FILES(FORM)
#define FORMS_OF_PAIRS(FORM)	 FORMS_OF_LINES(FORM) FORMS_OF_FILES(FORM) FORMS_OF_GRAPHS(FORM)
#define FORMS(FORM)		 FORMS_OF_TABLES(FORM) FORMS_OF_GRAPHS(FORM)

/* Bits: contents of a report that a form can require. */
enum form_content {
	HAS_TABLES = 1,
	HAS_STACKS = 2, /* tables with FOR_GRAPHS columns and a weight */
	HAS_TIMELINE = 4,
	HAS_SAMPLES = 8,  /* tables with FOR_GRAPHS columns and sample values */
	HAS_METRICS = 16, /* tables with FOR_METRICS columns and metrics */
};

/* Bits: tables that this format adds by default. */
enum form_want {
	WANTS_STACKS = 1,     /* a table by callchain */
	WANTS_PICTURES = 2,   /* input of the drawings: also by call site and cache or order */
	WANTS_TIMELINE = 4,   /* live bytes over time, regardless of the tables */
	WANTS_PINGPONG = 8,   /* pairs of allocating and freeing CPU */
	WANTS_OVERVIEW = 16,  /* the tables with the most bytes, if none is asked for */
	WANTS_CALLSITES = 32, /* a table by call site */
};

struct form {
	const char *name;
	unsigned int audience; /* bits: the audience of its documents */
	unsigned int needs;    /* bits of enum form_content that a report must have */
	const char *lacks;     /* the missing content, for the error message: "stacks to fold" */
	unsigned int wants;    /* bits of enum form_want */
	const char *missing;   /* libraries that this build lacks; NULL if the form is available */
	/* Returns 0 or -ENOMEM; write errors are left in the FILE. */
	int (*render)(FILE *out, const struct render_options *o, const struct document *d);
	bool is_binary; /* never written to a terminal */
	/* Returns 0 if it can write this document with these options. May be NULL. */
	int (*check)(const struct render_options *o, const struct document *d, struct error *err);
	bool has_file_a_table; /* one table per file, see struct render_tables */
	bool replaces;	       /* a report of an interval replaces that of the interval before */
};

/* Find a form by name. Returns NULL if there is none. */
const struct form *form_find(const char *name);

/* The i-th form, or NULL after the last. */
const struct form *form_at(size_t i);

/*
 * Check that the form can write a report with this content. Errors: -EINVAL, "WHO no stacks to fold
 * (--format text, json, markdown)". who: with the verb, "leak has".
 */
int form_check(const struct form *form, const char *who, unsigned int content, struct error *err);

/* Write a document. Errors: -ENOMEM, or that of check(). Write errors are left in the FILE. */
int form_write(const struct form *form, FILE *out, const struct render_options *o,
	       const struct document *d, struct error *err);

#define FORM_EXTERN(name) extern const struct form form_##name;
FORMS(FORM_EXTERN)

/* " text json ...", for users. */
#define FORM_NAME(name)		" " #name
#define FORM_NAMES		FORMS(FORM_NAME)
#define FORM_NAMES_OF_INTERVALS FORMS_OF_INTERVALS(FORM_NAME)
#define FORM_NAMES_OF_TABLES	FORMS_OF_TABLES(FORM_NAME)
#define FORM_NAMES_OF_PAIRS	FORMS_OF_PAIRS(FORM_NAME)

#endif
