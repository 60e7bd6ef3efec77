/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a function for perf annotate: its code, with each instruction's share of an event's
 * samples.
 *
 * Shares are of the samples (or their periods) in the function, or of all samples of the event.
 * Each sample belongs to one instruction, so the shares of a function add up to its samples.
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

/* Samples of one event at an address of a file. */
struct annotate_hit {
	uint64_t function; /* number of its function */
	uint64_t address;
	uint64_t event; /* the event's index */
	struct hit_count count;
};

struct annotate_function {
	uint64_t file, start;	     /* the key: number of the file, address in it */
	const char *name, *dso_name; /* printable */
	struct dso *dso;	     /* NULL: the kernel, without an image of its code */
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
	struct table sources; /* source files read so far */
};

void annotate_printer_init(struct annotate_printer *p);
void annotate_printer_deinit(struct annotate_printer *p);

/* Errors: the file lacks the code (ENODATA), objdump fails, -ENOMEM. */
int annotate_print(struct annotate_printer *p, const struct annotate_function *f,
		   struct error *err);

#endif
