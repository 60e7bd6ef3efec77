/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says about the memory of the whole machine, as tables
 * (util/source/source_table.h): meminfo, vmstat, buddyinfo, pagetypeinfo, vmallocinfo.
 */
#ifndef DUMP_MACHINE_TEXT_H
#define DUMP_MACHINE_TEXT_H

#include "util/source/source_table.h"
#include "util/source/text_lines.h"

struct machine_text {
	const char *name; /* "meminfo" */
	struct source_table_kind table;
	/* Lines that tell nothing are skipped. Errors: -ENOMEM. */
	int (*take_line)(struct source_table *t, const struct text_line *line);
};

/* "Page block order: 9", of pagetypeinfo; 0: the line says something else. */
unsigned int machine_text_pageblock_order(const struct text_line *line);

/* By name; NULL: there is no such text. */
const struct machine_text *machine_text_find(const char *name);

/* The names and bytes of call sites, of an allocinfo that is only a part of what is read. */
extern const struct source_table_kind machine_sites;

#endif
