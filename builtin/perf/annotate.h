/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf annotate prints of a function: its code, each instruction with its share of the samples
 * of an event.
 *
 * Shares are of the samples (or of what they stand for, their periods) in the function, or of all
 * of that event; those of a function add up to all of its samples, as each belongs to one
 * instruction.
 */
#ifndef BUILTIN_PERF_ANNOTATE_H
#define BUILTIN_PERF_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/base/table.h"
#include "util/profile/address_hits.h"
#include "util/usersym/dso.h"

/* Samples at an address of the file, of one event. */
struct annotate_hit {
	uint64_t function; /* its number */
	uint64_t address;
	uint64_t event; /* its index */
	struct hit_count count;
};

struct annotate_function {
	uint64_t file, start;	     /* the key: number of the file, address in it */
	const char *name, *dso_name; /* printable */
	struct dso *dso;	     /* NULL: of the kernel, whose code is not there */
	size_t first, nr;	     /* its hits, by address */
	uint64_t samples;	     /* of all events */
};

struct annotate_style {
	const char *objdump, *disassembler; /* NULL: the default */
	const char *percent_name;
	bool source, lines, full_paths, numbers, of_all, of_periods, group;
};

struct annotate_printer {
	FILE *to;
	const struct annotate_style *style;
	const struct annotate_hit *hits; /* of all functions */
	const struct source_facts *facts;
	const struct address_hits *counts;
	struct table sources; /* source files that have been read */
};

void annotate_printer_init(struct annotate_printer *p);
void annotate_printer_deinit(struct annotate_printer *p);

/* Errors: the file does not have its code (ENODATA), objdump does not work, -ENOMEM. */
int annotate_print(struct annotate_printer *p, const struct annotate_function *f,
		   struct error *err);

#endif
