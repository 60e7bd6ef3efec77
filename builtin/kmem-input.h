/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that a report is of: its options, and reading it with progress, signals and
 * warnings.
 */
#ifndef BUILTIN_KMEM_INPUT_H
#define BUILTIN_KMEM_INPUT_H

#include <stdbool.h>

#include "util/cli/options.h"
#include "util/kmem/analysis.h"

/* Of diff: the old recording's and the new one's. */
#define KALLSYMS_MAX 2

struct kmem_input {
	const char *path;		    /* "perf.data" */
	const char *kallsyms[KALLSYMS_MAX]; /* one for each recording; "": none */
	unsigned int nr_kallsyms;
	const char *tracefs_dir; /* NULL: none named */
	bool force;
	uint64_t jobs; /* 0: as many threads as the CPUs allow */
	bool show_version;
	int verbose;
	bool quiet;
	int signal; /* that ended the reading; 0: none did */
};

/* For a struct kmem_input: of what reads one recording, and of that what anything has that reads.
 */
extern const struct option kmem_input_options[];
extern const struct option kmem_reading_options[];

/* Add a symbol file, of at most max; to the options that have it. */
int kmem_input_add_kallsyms(struct kmem_input *in, const char *path, unsigned int max,
			    struct error *err);

/*
 * Read the n-th recording into *a, as the options say; the source must be freed after it.  What
 * the reader should know beside the report is logged.  On a terminal it tells how far it
 * is.  SIGINT and SIGTERM end the reading, which is not an error; in->signal says so, and the
 * exit status should.  A second one ends the program.
 */
int kmem_input_read(struct kmem_input *in, const char *path, unsigned int recording,
		    const struct kmem_options *options, struct event_source **ret_source,
		    struct kmem_analysis *a, struct error *err);

#endif
