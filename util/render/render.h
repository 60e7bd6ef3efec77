/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct render_ops: how a form writes the items of a document.
 *
 * render_section() walks a section in order and calls the operations for what is for the form's
 * audience; the state that they share is the renderer's own.  What an operation that is NULL would
 * write is left out.  Write errors stay with the FILE (ferror()).
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "util/document/document.h"

struct render_ops {
	unsigned int audience;
	/* A section that is_missing has no figures and no tables; only people see its notes. */
	void (*open)(void *state, const struct document_section *s);
	void (*note)(void *state, const struct document_note *n);
	void (*figure)(void *state, const struct document_figure *f);
	void (*table)(void *state, const struct document_table *t);
	void (*close)(void *state, const struct document_section *s);
};

/* How numbers, names and tables are shown to people. */
struct render_options {
	const char *thousands_sep; /* "" or as the locale has it */
	int columns;		   /* of the terminal; 0: no limit */
	bool raw_ip;		   /* addresses, no names */
	bool human;		   /* 1.2 MiB instead of 1258291 */
	bool stock_style;	   /* stock's tables even where the terminal is too narrow */
};

void render_section(const struct render_ops *ops, void *state, const struct document_section *s);

#endif
