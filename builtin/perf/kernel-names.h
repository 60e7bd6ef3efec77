/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kernel_names: names of kernel functions, for script, report and annotate.
 *
 * Fed with the formats of the recording, which may have its symbols. Symbols are opened at the
 * first lookup, or before, and warnings about them are logged then.
 */
#ifndef BUILTIN_PERF_KERNEL_NAMES_H
#define BUILTIN_PERF_KERNEL_NAMES_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/source/facts.h"
#include "util/symbol/symbols.h"

struct tracing_data;

struct kernel_names {
	const struct source_facts *facts;
	const char *path; /* path of a symbol file from the user; may be NULL */
	char *kallsyms;	  /* kallsyms of the recording, until `symbols` takes it over */
	size_t kallsyms_len;
	struct symbols symbols; /* empty until opened */
	bool is_open;
	uint64_t time_ns; /* time of the sample whose addresses are looked up */
	struct error err; /* error of a lookup that could not return it */
};

void kernel_names_init(struct kernel_names *n, const struct source_facts *facts, const char *path);
void kernel_names_deinit(struct kernel_names *n);

/* Keep the symbols of the recording. Errors: -ENOMEM. */
int kernel_names_take_formats(struct kernel_names *n, const struct tracing_data *formats,
			      struct error *err);

/* Open the symbols; further calls do nothing. Errors: the symbol file cannot be read; -ENOMEM. */
int kernel_names_open(struct kernel_names *n, struct error *err);

/*
 * Set the time of the sample whose addresses are looked up next. Calls kernel_names_open() if
 * modules were loaded or unloaded, and returns its errors.
 */
int kernel_names_at(struct kernel_names *n, uint64_t time_ns, struct error *err);

/* The identity of a sample's address (symbols_identity()). */
static inline uint64_t kernel_names_identity(const struct kernel_names *n, uint64_t address)
{
	return symbols_identity(&n->symbols, address, n->time_ns);
}

/* A print_fmt_symbol_fn; its context is the struct kernel_names. Errors are in n->err, whose code
 * is 0 if there was none. */
bool kernel_names_add(void *names, struct strbuf *out, uint64_t address, bool offset);

#endif
