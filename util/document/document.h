/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document: the contents of a report, independent of the output format.
 *
 * A document is a tree: a section has notes (sentences), figures (a value with an id), tables and
 * sections, in the order in which they are written. A report builds it and knows no output format;
 * a renderer (util/render) writes it and knows no report. Each item, and each column of a table, is
 * for one or more audiences: a note in text output is often a figure in JSON.
 *
 * A document is made for the audience of one format. Items for other audiences are dropped when
 * they are added, and document_is_for() lets a report skip work whose result would be dropped. Rows
 * are not copied: a table can fetch the i-th row when it is written.
 *
 * Ids are JSON keys and names of CSV columns; titles, labels and headings appear in text. All are
 * borrowed and must outlive the document, as must everything that tables and values point to,
 * unless document_own() takes it over. Notes are copied. Running out of memory is remembered:
 * building continues, and document_failed() reports it.
 */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include <stddef.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/document/value.h"

/* Bits: the kinds of output formats that an item is written in. */
enum document_audience {
	FOR_PEOPLE = 1,	  /* prose and aligned tables: text, markdown, html */
	FOR_SHEETS = 2,	  /* flat tables with a line of names: CSV */
	FOR_PROGRAMS = 4, /* nested objects with exact figures: JSON */
	FOR_GRAPHS = 8,	  /* drawn by weight: folded stacks, pprof */
	FOR_METRICS = 16, /* stored over time by another program: openmetrics */
	FOR_PAGES = 32,	  /* drawn in a browser: html */
	FOR_DATA = FOR_SHEETS | FOR_PROGRAMS,
	FOR_ALL = FOR_PEOPLE | FOR_DATA | FOR_GRAPHS | FOR_METRICS,
};

/* ---- tables --------------------------------------------------------------------------------- */

/* The input of a column's value(). */
struct document_cell {
	const void *row;
	const void *context; /* the table's context */
	const struct document_column *column;
	struct strbuf *scratch; /* empty; for composed text that the value points to */
};

/* A figure that is stored over time, by Prometheus' rules for names. */
struct document_metric {
	const char *name; /* without "perf_kmem_", with its base unit; a counter ends in "_total" */
	const char *help; /* one sentence */
};

/*
 * One column: one entry in a report's table of columns makes it available in text, JSON and all
 * other formats.
 *
 * A column may be listed twice, for different audiences, if its position or its shape differs.
 */
struct document_column {
	const char *id;	     /* NULL if not shown in JSON and CSV */
	const char *heading; /* may have several lines (LOOK_PLAIN); NULL if not shown in text */
	/* Minimum, in characters. A grid measures its cells instead, and cuts a name to no less
	 * than this while figures can be left out; 0: 12. */
	int width;
	bool is_name; /* text: left-aligned, can be cut */
	struct value (*value)(const struct document_cell *cell);
	/* Bits; 0: FOR_PEOPLE if it has a heading, FOR_DATA if it has an id. */
	unsigned int audience;
	const void *arg;    /* for value(), through cell->column */
	unsigned int index; /* likewise */
	bool adds_up;	    /* the sum over all rows is a meaningful figure */
	/*
	 * Profiles: the sample value that this column is, such as "alloc_space", or its change in a
	 * comparison. The column is then not a frame. NULL if none.
	 */
	const char *sample;
	const struct document_metric *metric; /* FOR_METRICS: not a label but this; NULL: a label */
	const char *group; /* JSON: the object that has these columns; CSV: "GROUP_ID" */
	/* In a grid that is too wide: */
	bool is_key;	   /* identifies the row: figures are left out before it */
	unsigned int cut;  /* names with the lowest number are cut first */
	unsigned int keep; /* figures with the lowest number are left out first */
	bool below;	   /* text: on separate lines below the row, without a heading */
	int dots_width;	   /* LOOK_STOCK: "..." is padded to this; 0: to the width */
	const char *sort;  /* the name of its sort key, for sorted_by; NULL if none */
	/* A grid cuts a name to this, in characters, before it leaves out figures with a `keep`; 0:
	 * to the width. */
	int shortest;
};

/* The appearance of a table as text. */
enum document_look {
	LOOK_PLAIN,  /* an empty line, headings, a rule, rows; columns at least as wide as given */
	LOOK_GRID,   /* an empty line, headings, a rule, rows; cut to fit the terminal */
	LOOK_FRAMED, /* a grid between rules, without an empty line before it */
	LOOK_COMMENTED, /* headings and dots below them are comments; trees below their rows; a
			   name is cut to the width of its column, if that is given */
	LOOK_LEGEND,	/* comments without headings, one for each row: "# cell: cell: cell" */
};

struct document_table;

/* Returns the i-th row of a table. May store it in buf, which has DOCUMENT_ROW_MAX bytes. */
typedef const void *(*document_row_fn)(const struct document_table *t, uint64_t i, void *buf);

struct document_table {
	const char *id;	      /* NULL: the rows are elements of the list that contains the table */
	const char *total_id; /* JSON: the key of the total number of rows; NULL if none */
	const char *title;    /* a line above a grid; NULL if none */
	const struct document_column *columns;
	size_t nr_columns;
	/* The rows: an array or, if row is set, the results of row(). */
	const void *rows;
	size_t row_size;
	document_row_fn row;
	uint64_t nr_rows;      /* number of rows to write */
	uint64_t rows_total;   /* including those that are not written */
	const void *sum;       /* text: a row with the sum of the others; NULL if none */
	const char *sum_name;  /* shown in its first column */
	const void *context;   /* for value() of the columns */
	const char *sorted_by; /* the `sort` of the column that orders the rows; NULL: not marked */
	bool ascending;	       /* the smallest comes first */
	enum document_look look;
	/*
	 * The table as printed by stock perf, in columns of fixed width. Text output uses it
	 * instead of the look if it fits the terminal. May be NULL.
	 */
	const struct document_column *stock;
	size_t nr_stock;
	bool is_aside; /* CSV: written only to a folder, or if it is named */
	/* FOR_GRAPHS: a count that is the row's weight; NULL if the table is not drawn. */
	const struct document_column *weight;
	const struct document_column *old_weight; /* the weight before, in a comparison; or NULL */
	const struct document_column *root;	  /* folded stacks: the outermost frame; or NULL */
};

/* Storage for the result of row(). */
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

/* Whether the rows are in the order of this column. */
static inline bool document_column_is_sorted(const struct document_table *t,
					     const struct document_column *c)
{
	return t->sorted_by && c->sort && !strcmp(t->sorted_by, c->sort);
}

/* Bits: the audiences that the column is for. */
static inline unsigned int document_column_audience(const struct document_column *c)
{
	unsigned int people = c->heading || c->below ? FOR_PEOPLE : 0;

	return c->audience ? c->audience : people | (c->id ? FOR_DATA : 0);
}

/* The value of a column in a row; empties scratch first. context: the table's. */
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
	NOTE_PARAGRAPHS, /* paragraphs, each ending with a newline */
	NOTE_LINE,	 /* one paragraph */
	NOTE_COMMAND,	 /* a command to copy: text does not wrap it */
	NOTE_ITEM,	 /* an item of a list */
	NOTE_HEADER,	 /* a property of the whole report, such as the recording's host */
	NOTE_COMMENT,	 /* a remark on the section, beside its contents */
};

struct document_note {
	enum document_note_kind kind;
	const char *label; /* of an item, a header or a command; NULL if none */
	char *text;	   /* owned */
};

/* ---- the tree ------------------------------------------------------------------------------- */

enum document_kind { DOCUMENT_NOTE, DOCUMENT_FIGURE, DOCUMENT_TABLE, DOCUMENT_SECTION };

struct document_figure {
	const char *id;	   /* NULL in a list, and if not shown in JSON */
	const char *label; /* "Live bytes"; NULL if not shown in text */
	struct value value;
	struct value more; /* text: a second value for the same label; VALUE_NONE if none */
};

/*
 * The appearance of a section's notes and figures as text. Formats with markup of their own ignore
 * it.
 */
enum document_style {
	STYLE_LINES,	/* figures as "Label: value" */
	STYLE_ALIGNED,	/* likewise, with all values in one column */
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
	struct document_section *parent; /* NULL for the root */
	const char *id;			 /* NULL for the root and elements of a list */
	/* CSV: the kind of name that its id is, "allocator"; NULL: the parent's kind, or "report"
	 */
	const char *kind;
	const char *title; /* NULL if none */
	bool is_missing;   /* its data were not recorded: null in JSON, only notes in text */
	bool is_list;	   /* JSON: an array; ids of its items are not written */
	bool is_compact;   /* JSON: on a single line; the root: one report of a series */
	enum document_style style;
	struct document_item *items;
	size_t nr_items;
};

struct document {
	struct document_section root;
	unsigned int audience; /* bits: the audience that it is made for */
	void **owned;
	size_t nr_owned;
	bool failed;
};

/* audience: that of the format it will be written in; FOR_ALL for any. */
void document_init(struct document *d, unsigned int audience);
void document_deinit(struct document *d);

/* Whether memory ran out while the document was built. It is then incomplete and must not be
 * shown. */
bool document_failed(const struct document *d);

/* Whether items for any of these audiences are kept in the section. False if it is NULL. */
bool document_is_for(const struct document_section *in, unsigned int audience);

/* Free this heap memory together with the document, or immediately if out of memory. Returns it, or
 * NULL. A NULL argument means that memory ran out, which the document remembers. */
void *document_own(struct document *d, void *heap);

/*
 * Add a section at the end of another. Returns NULL if out of memory, or if it is not for the
 * document's audience. All functions below accept NULL and do nothing then.
 */
struct document_section *document_add_section(struct document_section *in, const char *id,
					      const char *title, unsigned int audience);

/* Add a section without an id, for text only. Returns NULL in the same cases. */
struct document_section *document_add_styled(struct document_section *in, const char *title,
					     enum document_style style);

/* Notes, for text only. The text is copied. An empty note is ignored. */
void document_add_note(struct document_section *in, const char *text);
void document_add_line(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_add_command(struct document_section *in, const char *label, const char *text);
void document_add_comment(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void document_add_item(struct document_section *in, const char *label, const char *text);
void document_add_header(struct document_section *in, const char *label, const char *text);

void document_add_figure(struct document_section *in, const char *id, struct value value,
			 unsigned int audience);

/* Figures for data formats. */
struct document_value {
	const char *id;
	struct value value;
};

void document_add_values(struct document_section *in, const struct document_value *v, size_t nr);

/* The versions of the JSON format and of this program, which every report starts with. */
void document_add_versions(struct document *d);

/* Figures, for text only. more: a second value, or value_none(). */
void document_add_labelled(struct document_section *in, const char *label, struct value value);
void document_add_labelled_pair(struct document_section *in, const char *label, struct value value,
				struct value more);

/* A composed text for text output, in the document's memory. */
struct value document_text(struct document_section *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Add each column of the row that has an id as a JSON figure. The values must not use the
 * scratch. */
void document_add_figures(struct document_section *in, const struct document_column *columns,
			  size_t nr_columns, const void *row, const void *context);

/* Add a copy of *table. */
void document_add_table(struct document_section *in, const struct document_table *table,
			unsigned int audience);

/*
 * A table's columns, collected while the report is made. They are in the document's memory, and
 * columns for other audiences are left out.
 */
struct document_columns {
	struct document *document;
	struct document_column *v;
	size_t nr, cap;
};

/* Reserve at most `cap` columns. The document remembers if memory runs out. */
void document_columns_init(struct document_columns *c, struct document *d, size_t cap);

/* Ignored if `cap` columns have been added. */
void document_columns_add(struct document_columns *c, const struct document_column *column);
void document_columns_add_all(struct document_columns *c, const struct document_column *v,
			      size_t nr);

#endif
