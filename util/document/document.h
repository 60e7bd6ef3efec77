/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document: what a report says, before it is text, JSON or anything else.
 *
 * A document is a tree: a section holds notes (sentences), figures (a value with an id), tables and
 * sections, in the order in which they are written.  A report builds it and knows no form; a
 * renderer (util/render) writes it and knows no report.  Each item, and each column of a table, is
 * for one or more audiences: what a note says in words is a figure for programs.
 *
 * A document is made for the audience of the form that will write it.  What is for others is left
 * out as soon as it is added, and document_is_for() lets a report skip work that nobody will see.
 * Rows are not in the document: a table knows how to get at the i-th, when it is written.
 *
 * Ids are keys of JSON and names of CSV columns, titles, labels and headings are for people; all
 * are borrowed and must outlive the document, as must what tables and values point to, unless
 * document_own() was told to free it.  Notes are copied.  Memory that runs out is remembered:
 * building goes on, and document_failed() tells.
 */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/document/value.h"

/* Bits. */
enum document_audience {
	FOR_PEOPLE = 1,	  /* to be read: text */
	FOR_SHEETS = 2,	  /* flat tables with a line of names: CSV */
	FOR_PROGRAMS = 4, /* nested objects, every figure exact: JSON */
	FOR_GRAPHS = 8,	  /* drawn by weight: folded stacks, flame graphs */
	FOR_DATA = FOR_SHEETS | FOR_PROGRAMS,
	FOR_ALL = FOR_PEOPLE | FOR_DATA | FOR_GRAPHS,
};

/* ---- tables --------------------------------------------------------------------------------- */

/* What a column makes its value from. */
struct document_cell {
	const void *row;
	const void *context; /* the table's */
	const struct document_column *column;
	struct strbuf *scratch; /* empty; for text that the value points to */
};

/*
 * One column: a line in a report's table of columns; text, JSON and all others have it then.
 *
 * A column may stand there twice, for different audiences, where its place or its shape differs.
 */
struct document_column {
	const char *id;	     /* NULL: only for people, and for graphs */
	const char *heading; /* may have several lines (LOOK_PLAIN); NULL: not for people */
	int width;    /* at least so wide, in characters; in a grid, which measures by itself:
			 a name is not cut to less while figures can be left out; 0: 12 */
	bool is_name; /* text: stands at the left, and may be cut */
	struct value (*value)(const struct document_cell *cell);
	/* Bits; 0: people if it has a heading, sheets and programs if it has an id. */
	unsigned int audience;
	const void *arg;    /* of value(), through cell->column */
	unsigned int index; /* the same */
	const char *group;  /* programs: neighbours of one group are an object of this name;
			       sheets: "GROUP_ID" */
	/* In a grid that is too wide: */
	bool is_key;	   /* it says what the row is: leave out figures before it */
	unsigned int cut;  /* names of the lowest are cut first */
	unsigned int keep; /* figures of the lowest are left out first, of equals the rightmost */
	bool below;	   /* people: on lines of its own below the row, without a heading */
	int dots_width;	   /* LOOK_STOCK: "..." is padded to this; 0: to the width */
};

/* How people see a table. */
enum document_look {
	LOOK_PLAIN,  /* an empty line, headings, a rule, rows; columns as wide as they say, or more
		      */
	LOOK_GRID,   /* an empty line, headings, a rule, rows; as wide as needed, and cut to fit */
	LOOK_FRAMED, /* a grid between rules, with no empty line before it */
};

struct document_table {
	const char *id;	      /* NULL: the rows are elements of the list that the table is in */
	const char *total_id; /* what programs call the number of all rows; NULL: not told */
	const char *title;    /* a line above a grid; NULL: none */
	const struct document_column *columns;
	size_t nr_columns;
	/* Rows: an array, or, where row is set, what it returns for the i-th; it may use buf. */
	const void *rows;
	size_t row_size;
	const void *(*row)(const struct document_table *t, uint64_t i, void *buf);
	uint64_t nr_rows;     /* to be written */
	uint64_t rows_total;  /* that there are */
	const void *sum;      /* a row that sums up the others, for people; NULL: none */
	const char *sum_name; /* stands in its first column */
	const void *context;  /* of the columns' value() */
	enum document_look look;
	/*
	 * How stock perf would print it, with columns of fixed widths: where this fits the terminal
	 * text has it instead of the look. NULL: only the look.
	 */
	const struct document_column *stock;
	size_t nr_stock;
	/* Of FOR_GRAPHS: a count that says how much a row weighs; NULL: nothing to draw. */
	const struct document_column *weight;
};

/* Room for what row() makes. */
#define DOCUMENT_ROW_MAX 64

struct document_row_buf {
	_Alignas(max_align_t) char room[DOCUMENT_ROW_MAX];
};

/* The i-th row, until the next one is asked for. */
static inline const void *document_table_row(const struct document_table *t, uint64_t i,
					     struct document_row_buf *buf)
{
	return t->row ? t->row(t, i, buf) : (const char *)t->rows + i * t->row_size;
}

/* Who sees the column. */
static inline unsigned int document_column_audience(const struct document_column *c)
{
	unsigned int people = c->heading || c->below ? FOR_PEOPLE : 0;

	return c->audience ? c->audience : people | (c->id ? FOR_DATA : 0);
}

/* The value of a column in a row; scratch is emptied first. */
struct value document_table_value(const struct document_table *t,
				  const struct document_column *column, const void *row,
				  struct strbuf *scratch);

/* ---- notes ---------------------------------------------------------------------------------- */

enum document_note_kind {
	NOTE_PARAGRAPHS, /* wrapped, to at most 80 columns; paragraphs end with a newline */
	NOTE_LINE,	 /* the label, then text, wrapped where the terminal ends */
	NOTE_HEADER,	 /* "# LABEL text": what the recording is */
	NOTE_VERBATIM,	 /* as it stands, newlines included */
};

struct document_note {
	enum document_note_kind kind;
	const char *label; /* NULL: none */
	int indent;	   /* of NOTE_LINE: of the second line and the others */
	char *text;	   /* owned */
};

/* ---- the tree ------------------------------------------------------------------------------- */

enum document_kind { DOCUMENT_NOTE, DOCUMENT_FIGURE, DOCUMENT_TABLE, DOCUMENT_SECTION };

struct document_figure {
	const char *id;	   /* NULL in a list, and where it is only for people */
	const char *label; /* stands before the value, blanks and colon included; NULL: not for
			      people */
	struct value value;
};

struct document_item {
	enum document_kind kind;
	unsigned int audience; /* bits */
	union {
		struct document_note note;
		struct document_figure figure;
		struct document_table table;
		struct document_section *section; /* owned */
	};
};

struct document_section {
	struct document *document;
	struct document_section *parent; /* NULL: the root */
	const char *id;			 /* NULL: the root, or an element of a list */
	const char
		*kind; /* sheets: what its id is the name of, "allocator"; NULL: see the parent */
	const char *title; /* NULL: none */
	bool is_missing;   /* nothing of it was recorded: programs get null, people its notes */
	bool is_list;	   /* programs: an array; they do not see the ids of what is in it */
	bool is_compact;   /* programs: on one line */
	struct document_item *items;
	size_t nr_items;
};

struct document {
	struct document_section root;
	unsigned int audience; /* bits: whom it is made for */
	void **owned;
	size_t nr_owned;
	bool failed;
};

/* audience: of the form that it will be written in; FOR_ALL: any. */
void document_init(struct document *d, unsigned int audience);
void document_deinit(struct document *d);

/* Did memory run out while it was built? Then it is not whole and must not be shown. */
bool document_failed(const struct document *d);

/* Will any of these see what is added to the section? (A section that is NULL is for nobody.) */
bool document_is_for(const struct document_section *in, unsigned int audience);

/* Free this heap memory with the document, or at once when there is no memory. Returns it, or NULL.
 * NULL: that memory ran out already, which the document remembers. */
void *document_own(struct document *d, void *heap);

/*
 * A section at the end of another; NULL: no memory, or it is for others than the document: all the
 * functions below take that and do nothing.
 */
struct document_section *document_add_section(struct document_section *in, const char *id,
					      const char *title, unsigned int audience);

/* Notes, for people: a copy of the text; nothing for an empty one. */
void document_add_note(struct document_section *in, const char *text);
void document_add_line(struct document_section *in, const char *label, int indent,
		       const char *text);
void document_add_header(struct document_section *in, const char *label, const char *text);
void document_add_verbatim(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void document_add_figure(struct document_section *in, const char *id, struct value value,
			 unsigned int audience);

/* Also, or (id NULL) only, for people. */
void document_add_labelled(struct document_section *in, const char *id, const char *label,
			   struct value value);

/* Each column of a row that programs know, as a figure for them; their values must not use the
 * scratch. */
void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context);

/* A copy of *table. */
void document_add_table(struct document_section *in, const struct document_table *table,
			unsigned int audience);

#endif
