/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's texts about the memory of the whole machine, as tables (util/source/source_table.h).
 *
 * They are meminfo, vmstat, buddyinfo and pagetypeinfo.
 */
#ifndef DUMP_MACHINE_TEXT_H
#define DUMP_MACHINE_TEXT_H

#include "util/source/source_table.h"
#include "util/source/text_lines.h"

struct machine_text {
	const char *name; /* "meminfo" */
	struct source_table_kind table;
	/* Lines without figures are skipped. Errors: -ENOMEM. */
	int (*take_line)(struct source_table *t, const struct text_line *line);
};

/* The order in "Page block order: 9" of pagetypeinfo; 0 for other lines. */
unsigned int machine_text_pageblock_order(const struct text_line *line);

/* The text with this name, or NULL. */
const struct machine_text *machine_text_find(const char *name);

/* Tables of call sites and bytes, from an allocinfo or a vmallocinfo that is only a part of the
 * input. */
extern const struct source_table_kind machine_sites, machine_areas;

#endif
