/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document: what a report says, before it is text, JSON or anything else.
 *
 * A document is a tree: a section has notes (sentences), figures (a value with an id), tables and
 * sections, in the order in which they are written.  A report builds it and knows no output format;
 * a renderer (util/render) writes it and knows no report.  Each item, and each column of a table,
 * is for one or more audiences: what a note says in words is a figure for programs.
 *
 * A document is made for the audience of the format in which it will be written.  What is for
 * others is dropped as soon as it is added, and document_is_for() lets a report skip work whose
 * result would not be seen. Rows are not in the document: a table can get the i-th row when it is
 * written.
 *
 * Ids are JSON keys and names of CSV columns; titles, labels and headings are for people. All are
 * borrowed and must outlive the document, as must what tables and values point to, unless
 * document_own() was told to free it.  Notes are copied.  Running out of memory is remembered:
 * building continues, and document_failed() reports it.
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

/* What a column derives its value from. */
struct document_cell {
	const void *row;
	const void *context; /* the table's */
	const struct document_column *column;
	struct strbuf *scratch; /* empty; for text that the value points to */
};

/*
 * One column: one entry in a report's table of columns makes it available in text, JSON and all
 * other formats.
 *
 * A column may be listed twice, for different audiences, if its place or its shape differs.
 */
struct document_column {
	const char *id;	     /* NULL: only for people, and for graphs */
	const char *heading; /* may have several lines (LOOK_PLAIN); NULL: not for people */
	int width;    /* at least so wide, in characters; in a grid, which measures by itself:
			 a name is not cut to less while figures can be left out; 0: 12 */
	bool is_name; /* text: left-aligned, and may be cut */
	struct value (*value)(const struct document_cell *cell);
	/* Bits; 0: people if it has a heading, sheets and programs if it has an id. */
	unsigned int audience;
	const void *arg;    /* for value(), through cell->column */
	unsigned int index; /* the same */
	bool adds_up;	    /* over rows: the sum over all of them is a figure, too */
	/*
	 * Graphs: which value of a sample it is, if they are profiles: "alloc_space"; of a change,
	 * the difference. It is not a frame then. NULL: none.
	 */
	const char *sample;
	const char *group; /* programs: columns of one group form an object of this name; sheets:
			    * "GROUP_ID" */
	/* In a grid that is too wide: */
	bool is_key;	   /* it identifies the row: drop figures before dropping it */
	unsigned int cut;  /* names with the lowest number are cut first */
	unsigned int keep; /* figures of the lowest are left out first, of equals the rightmost */
	bool below;	   /* people: on separate lines below the row, without a heading */
	int dots_width;	   /* LOOK_STOCK: "..." is padded to this; 0: to the width */
};

/* What a table looks like to people. */
enum document_look {
	LOOK_PLAIN,  /* an empty line, headings, a rule, rows; columns as wide as given, or wider */
	LOOK_GRID,   /* an empty line, headings, a rule, rows; as wide as needed, and cut to fit */
	LOOK_FRAMED, /* a grid between rules, with no empty line before it */
	LOOK_COMMENTED, /* headings and dots below them are comments; trees below their rows; a
			   name is cut to the width of its column, if that is given */
	LOOK_LEGEND,	/* comments without headings, one for each row: "# cell: cell: cell" */
};

struct document_table;

/* The i-th row of a table; it may use buf, of DOCUMENT_ROW_MAX bytes. */
typedef const void *(*document_row_fn)(const struct document_table *t, uint64_t i, void *buf);

struct document_table {
	const char *id;	      /* NULL: the rows are elements of the list that the table is in */
	const char *total_id; /* the key of the total number of rows, for programs; NULL: none */
	const char *title;    /* a line above a grid; NULL: none */
	const struct document_column *columns;
	size_t nr_columns;
	/* Rows: an array or, if row is set, what it returns. */
	const void *rows;
	size_t row_size;
	document_row_fn row;
	uint64_t nr_rows;     /* to be written */
	uint64_t rows_total;  /* in total */
	const void *sum;      /* a row with the sum of the others, for people; NULL: none */
	const char *sum_name; /* goes into its first column */
	const void *context;  /* for value() of the columns */
	enum document_look look;
	/*
	 * The table as printed by stock perf, in columns of fixed width: if this fits the terminal,
	 * text uses it instead of the look. NULL: only the look.
	 */
	const struct document_column *stock;
	size_t nr_stock;
	/* Of FOR_GRAPHS: a count that is the row's weight; NULL: nothing to draw. */
	const struct document_column *weight;
};

/* Room for the result of row(). */
#define DOCUMENT_ROW_MAX 64

struct document_row_buf {
	_Alignas(max_align_t) char room[DOCUMENT_ROW_MAX];
};

/* The i-th row, valid until the next one is requested. */
static inline const void *document_table_row(const struct document_table *t, uint64_t i,
					     struct document_row_buf *buf)
{
	return t->row ? t->row(t, i, buf) : (const char *)t->rows + i * t->row_size;
}

/* Which audiences see the column. */
static inline unsigned int document_column_audience(const struct document_column *c)
{
	unsigned int people = c->heading || c->below ? FOR_PEOPLE : 0;

	return c->audience ? c->audience : people | (c->id ? FOR_DATA : 0);
}

/* The value of a column in a row; scratch is emptied first. context: the table's. */
struct value document_column_value(const struct document_column *column, const void *row,
				   const void *context, struct strbuf *scratch);

static inline struct value document_table_value(const struct document_table *t,
						const struct document_column *column,
						const void *row, struct strbuf *scratch)
{
	return document_column_value(column, row, t->context, scratch);
}

/* ---- notes ---------------------------------------------------------------------------------- */

enum document_note_kind {
	NOTE_PARAGRAPHS, /* paragraphs; each ends with a newline */
	NOTE_LINE,	 /* one paragraph */
	NOTE_ITEM,	 /* an item of a list */
	NOTE_HEADER,	 /* a property of the whole report, such as the recording's host */
	NOTE_COMMENT,	 /* a remark on the section, beside its contents */
};

struct document_note {
	enum document_note_kind kind;
	const char *label; /* of an item or a header; NULL: none */
	char *text;	   /* owned */
};

/* ---- the tree ------------------------------------------------------------------------------- */

enum document_kind { DOCUMENT_NOTE, DOCUMENT_FIGURE, DOCUMENT_TABLE, DOCUMENT_SECTION };

struct document_figure {
	const char *id;	   /* NULL in a list, and where it is only for people */
	const char *label; /* "Live bytes"; NULL: not for people */
	struct value value;
	struct value more; /* people: a second value for the same label; VALUE_NONE: none */
};

/*
 * The appearance of a section's notes and figures as text.  Formats with markup of their own ignore
 * it.
 */
enum document_style {
	STYLE_LINES,	/* figures as "Label: value" */
	STYLE_ALIGNED,	/* the same, with all values in one column */
	STYLE_COUNTS,	/* figures in two columns, as in stock's page summary */
	STYLE_CURVES,	/* series of numbers below each other, after an empty line */
	STYLE_COMMENTS, /* lines that start with "#", below the section's title if it has one */
	STYLE_SPACED,	/* an empty line between its sections, as between stock's page tables */
	STYLE_EVENT,	/* two empty lines after it, as after an event in stock's perf report */
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
	const char *kind;  /* sheets: what kind of name its id is, "allocator"; NULL: as the
			    * parent's, "report" at the root */
	const char *title; /* NULL: none */
	bool is_missing;   /* nothing of it was recorded: programs get null, people its notes */
	bool is_list;	   /* programs: an array; they do not see the ids of what is in it */
	bool is_compact;   /* programs: on a single line; the root: one report of a series */
	enum document_style style;
	struct document_item *items;
	size_t nr_items;
};

struct document {
	struct document_section root;
	unsigned int audience; /* bits: for whom it is made */
	void **owned;
	size_t nr_owned;
	bool failed;
};

/* audience: that of the format in which it will be written; FOR_ALL: any. */
void document_init(struct document *d, unsigned int audience);
void document_deinit(struct document *d);

/* Did memory run out while it was built? Then it is incomplete and must not be shown. */
bool document_failed(const struct document *d);

/* Will any of these see what is added to the section? (A NULL section is for nobody.) */
bool document_is_for(const struct document_section *in, unsigned int audience);

/* Free this heap memory together with the document, or at once if there is no memory. Returns it,
 * or NULL. NULL: memory has already run out, which the document remembers. */
void *document_own(struct document *d, void *heap);

/*
 * A section at the end of another; NULL: no memory, or it is not for the document's audience. All
 * functions below accept NULL and do nothing then.
 */
struct document_section *document_add_section(struct document_section *in, const char *id,
					      const char *title, unsigned int audience);

/* A section only for people, without an id. Returns NULL in the same cases. */
struct document_section *document_add_styled(struct document_section *in, const char *title,
					     enum document_style style);

/* Notes, for people: a copy of the text; an empty one is ignored. */
void document_add_note(struct document_section *in, const char *text);
void document_add_line(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_add_comment(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_add_item(struct document_section *in, const char *label, const char *text);
void document_add_header(struct document_section *in, const char *label, const char *text);

void document_add_figure(struct document_section *in, const char *id, struct value value,
			 unsigned int audience);

/* Figures for people. more: a second value; value_none(): none. */
void document_add_labelled(struct document_section *in, const char *label, struct value value);
void document_add_labelled_pair(struct document_section *in, const char *label, struct value value,
				struct value more);

/* Text for people, in memory of the document. */
struct value document_text(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Each column of a row that programs see, as a figure for them; their values must not use the
 * scratch. */
void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context);

/* A copy of *table. */
void document_add_table(struct document_section *in, const struct document_table *table,
			unsigned int audience);

/*
 * The columns of a table that are not known before the report is made: they grow in memory of the
 * document, and what is for others than its audience is left out.
 */
struct document_columns {
	struct document *document;
	struct document_column *v;
	size_t nr, cap;
};

/* Room for at most `cap` columns. Memory that runs out is remembered by the document. */
void document_columns_init(struct document_columns *c, struct document *d, size_t cap);

/* More than there is room for are left out. */
void document_columns_add(struct document_columns *c, const struct document_column *column);

#endif
