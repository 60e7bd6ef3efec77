/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct identity: the figures that identify a report among those of other machines and times.
 *
 * They are the program's version, the machine and its boot, and the times. Forms whose rows are
 * collected from many machines write them in each row.
 */
#ifndef RENDER_IDENTITY_H
#define RENDER_IDENTITY_H

#include <stdbool.h>

#include "util/document/document.h"

#define IDENTITY_NR 9

/* The ids of the figures. */
extern const char *const identity_ids[IDENTITY_NR];

struct identity {
	const struct document_section *section; /* has the figures of the machine; may be NULL */
	const struct document_figure *v[IDENTITY_NR]; /* NULL: the document has no such figure */
};

/* The figure of a section that has this id and is for these audiences. NULL if there is none. */
const struct document_figure *identity_figure(const struct document_section *s, const char *id,
					      unsigned int audience);

/* Whether the section has the figures of a machine. */
bool identity_is_in(const struct document_section *s, unsigned int audience);

/* The first section of the tree with the figures of a machine; NULL if there is none. */
const struct document_section *identity_find(const struct document_section *root,
					     unsigned int audience);

/* Take the machine's figures from this section, which may be NULL, and the others from the root
 * and from the sections beside it. */
void identity_take(struct identity *identity, const struct document_section *root,
		   const struct document_section *section, unsigned int audience);

#endif
