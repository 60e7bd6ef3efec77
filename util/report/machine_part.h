/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source says about the memory of the whole machine (util/source/source_table.h), as a
 * section of a report: each table as it is or, of two sources, what has changed.
 */
#ifndef REPORT_MACHINE_PART_H
#define REPORT_MACHINE_PART_H

#include "util/document/document.h"
#include "util/source/facts.h"
#include "util/source/source_table.h"

/*
 * What has changed from one table to another of its kind; they need not outlive this.  Returns how
 * many rows.
 */
size_t machine_add_change(struct document_section *in, const struct source_table *old,
			  const struct source_table *new, uint64_t lines);

/* lines: of each table; LINES_ALL: as many as there are, or as people like to read. */
void machine_add(struct document_section *in, const struct source_facts *facts, uint64_t lines);
void machine_add_changes(struct document_section *in, const struct source_facts *old_facts,
			 const struct source_facts *new_facts, uint64_t lines);

#endif
