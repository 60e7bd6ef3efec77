/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_input: the recording for a report: its options, and reading it with progress, signals
 * and warnings.
 */
#ifndef BUILTIN_KMEM_INPUT_H
#define BUILTIN_KMEM_INPUT_H

#include <stdbool.h>

#include "builtin/user-files.h"
#include "util/cli/options.h"
#include "util/kmem/pipeline.h"

/* In diff: the old recording and the new one. */
#define KALLSYMS_MAX 2

/* The default recording without -i. */
extern const char kmem_input_default[];

struct kmem_input {
	const char *path;		    /* kmem_input_default if -i was not given */
	const char *format;		    /* a word of EVENT_SOURCES; NULL: detect it */
	const char *kallsyms[KALLSYMS_MAX]; /* one for each recording; "" if none */
	unsigned int nr_kallsyms;
	const char *tracefs_dir; /* NULL if not given */
	struct user_files files;
	bool force;
	uint64_t jobs; /* 0: as the number of CPUs allows */
	bool show_version;
	int verbose;
	bool quiet;
	int signal;   /* the signal that ended reading; 0 if none */
	bool partial; /* an input was truncated, damaged or unfinished: EXIT_PARTIAL */
};

/* Options for a struct kmem_input: of commands that read one recording, and of all commands that
 * read. */
extern const struct option kmem_input_options[];
extern const struct option kmem_reading_options[];

/* Add a symbol file, at most `max`. For option callbacks. */
int kmem_input_add_kallsyms(struct kmem_input *in, const char *path, unsigned int max,
			    struct error *err);

/* Set the reading options of the n-th recording in the options for accounting. */
void kmem_input_apply(const struct kmem_input *in, unsigned int recording,
		      struct kmem_options *options);

/* Log warnings beside the report; none of them is fatal. */
void kmem_input_warn(const struct kmem_pipeline *a);

/* After the report: what would name more of the user's source lines, if many are unknown. */
void kmem_input_hint(const struct kmem_pipeline *a);

/*
 * Read the n-th recording into *a, according to the options; the source must be freed after it.
 * Warnings are logged. On a terminal, progress is shown. SIGINT and SIGTERM stop reading, which is
 * not an error: in->signal is set, and should determine the exit status. A second one ends the
 * program.
 */
int kmem_input_read(struct kmem_input *in, const char *path, unsigned int recording,
		    const struct kmem_options *options, struct event_source **ret_source,
		    struct kmem_pipeline *a, struct error *err);

#endif
