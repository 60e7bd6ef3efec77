/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document: what a report says, before it is text, JSON or anything else.
 *
 * A document is a tree: a section holds notes (sentences), figures (a value with an id), tables and
 * sections, in the order in which they are written.  A report builds it and knows no form; a
 * renderer (util/render) writes it and knows no report.  An item is for people, for programs or for
 * both: what a note says in words is a figure for programs.
 *
 * Ids are keys of JSON and names of CSV columns, titles and headings are for people; both are
 * borrowed and must outlive the document, as must what tables point to, save what they own.
 * Memory that runs out is remembered: building goes on, and document_failed() tells.
 */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include <stddef.h>

#include "util/document/value.h"

enum document_audience { FOR_PEOPLE = 1, FOR_PROGRAMS = 2, FOR_ALL = 3 };

/* One column: a line in a report's table of columns; text, JSON and all others have it then. */
struct document_column {
	const char *id;	     /* NULL: only for people */
	const char *heading; /* may have several lines; NULL: only for programs */
	int width;	     /* at least so wide, in characters */
	bool is_name;	     /* stands at the left, and is cut to its width where it is longer */
	/* Of a row of the table; context is the table's. */
	struct value (*value)(const void *row, const void *context);
};

struct document_table {
	const char *id;
	const char *total_id; /* what programs call the number of all rows; NULL: not told */
	const struct document_column *columns;
	size_t nr_columns;
	const void *rows; /* an array */
	size_t row_size;
	uint64_t nr_rows;     /* to be written */
	uint64_t rows_total;  /* that there are */
	const void *sum;      /* a row that sums up the others, for people; NULL: none */
	const char *sum_name; /* stands in its first column */
	const void *context;
	void *owned; /* free()d with the document; the rows, usually */
};

enum document_kind { DOCUMENT_NOTE, DOCUMENT_FIGURE, DOCUMENT_TABLE, DOCUMENT_SECTION };

struct document_item {
	enum document_kind kind;
	enum document_audience audience;
	union {
		char *note; /* owned; paragraphs end with a newline */
		struct {
			const char *id;
			struct value value;
		} figure;
		struct document_table table;
		struct document_section *section; /* owned */
	};
};

struct document_section {
	struct document *document;
	struct document_section *parent; /* NULL: the root */
	const char *id;
	const char *kind;  /* what its id is the name of, for programs: "report" */
	const char *title; /* NULL: none */
	bool is_missing;   /* nothing of it was recorded: programs get null, people its notes */
	struct document_item *items;
	size_t nr_items;
};

struct document {
	struct document_section root;
	bool failed;
};

void document_init(struct document *d);
void document_deinit(struct document *d);

/* Did memory run out while it was built? Then it is not whole and must not be shown. */
bool document_failed(const struct document *d);

/* A section at the end of another; NULL: no memory, and all the functions below take that. */
struct document_section *document_add_section(struct document_section *in, const char *id,
					      const char *title, enum document_audience audience);

/* A copy of the text; nothing for an empty one. */
void document_add_note(struct document_section *in, const char *text);
void document_add_figure(struct document_section *in, const char *id, struct value value,
			 enum document_audience audience);

/* Each column of a row that programs know, as a figure for them. */
void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context);

/* A copy of *table, which takes over what it owns. */
void document_add_table(struct document_section *in, const struct document_table *table,
			enum document_audience audience);

static inline const void *document_table_row(const struct document_table *t, uint64_t i)
{
	return (const char *)t->rows + i * t->row_size;
}

#endif
