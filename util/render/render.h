/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct render_ops: the functions of a form, and the walk through a document that all forms share.
 *
 * render_section() walks a section in order and calls an operation for each item that is for the
 * form's audience. `state` belongs to the renderer. Items whose operation is NULL are left out.
 * Write errors are left in the FILE (ferror()).
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <stdio.h>

#include "util/document/document.h"

struct render_ops {
	unsigned int audience;
	/* A section that is_missing has no figures and no tables. Its notes are in text only. */
	void (*open)(void *state, const struct document_section *s);
	void (*note)(void *state, const struct document_note *n);
	void (*figure)(void *state, const struct document_figure *f);
	void (*table)(void *state, const struct document_table *t);
	void (*close)(void *state, const struct document_section *s);
};

/* For a format with one table per file: the tables to write, and their streams. */
struct render_tables {
	const char *only; /* the name of the table to write; NULL: all */
	/* Called once for each table. Returns its stream, or NULL to leave the table out. If NULL,
	 * there is only one table, and it is written to the document's stream. */
	FILE *(*open)(void *ctx, const char *name);
	void *ctx;
	bool has_identity; /* rows end with the report's identity (identity.h) */
};

/* The style of numbers, names and tables in text. */
struct render_options {
	const char *thousands_sep; /* "" or according to the locale */
	int columns;		   /* of the terminal; 0: no limit */
	bool raw_ip;		   /* addresses instead of names */
	const char *command;	   /* the program's, in commands to type; NULL: "perf kmem" */
	bool human;		   /* 1.2 MiB instead of 1258291 */
	bool ascii;		   /* sparklines in ASCII, for terminals without UTF-8 */
	const char *separator;	   /* between cells of LOOK_COMMENTED; NULL: blanks */
	bool stock_style;	   /* use stock's tables even if the terminal is too narrow */
	bool colours;		   /* text: colour what is important, for a terminal */
	const struct render_tables *tables; /* NULL: all tables, to one stream */
	struct metrics *metrics; /* series of this and earlier documents; NULL: of this one */
};

void render_section(const struct render_ops *ops, void *state, const struct document_section *s);

#endif
