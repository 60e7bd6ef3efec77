/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables about the whole machine that a source has (util/source/source_table.h), as a section
 * of a report. For two sources, the section has the changes of each table.
 */
#ifndef REPORT_MACHINE_PART_H
#define REPORT_MACHINE_PART_H

#include "util/document/document.h"
#include "util/source/facts.h"
#include "util/source/source_table.h"

/*
 * Add the changes between two tables of the same kind. The tables need not outlive the document.
 * Returns the number of rows.
 */
size_t machine_add_change(struct document_section *in, const struct source_table *old,
			  const struct source_table *new, uint64_t lines);

/* lines: limit for each table; LINES_ALL: none, or a default in text. */
void machine_add(struct document_section *in, const struct source_facts *facts, uint64_t lines);
void machine_add_changes(struct document_section *in, const struct source_facts *old_facts,
			 const struct source_facts *new_facts, uint64_t lines);

#endif
