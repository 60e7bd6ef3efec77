/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that a report is about: its options, and reading it with progress, signals and
 * warnings.
 */
#ifndef BUILTIN_KMEM_INPUT_H
#define BUILTIN_KMEM_INPUT_H

#include <stdbool.h>

#include "builtin/user-files.h"
#include "util/cli/options.h"
#include "util/kmem/pipeline.h"

/* For diff: of the old recording and of the new one. */
#define KALLSYMS_MAX 2

/* The recording that is read where -i names none. */
extern const char kmem_input_default[];

struct kmem_input {
	const char *path;		    /* kmem_input_default: -i was not given */
	const char *format;		    /* a word of EVENT_SOURCES; NULL: find out */
	const char *kallsyms[KALLSYMS_MAX]; /* one for each recording; "": none */
	unsigned int nr_kallsyms;
	const char *tracefs_dir; /* NULL: not given */
	struct user_files files;
	bool force;
	uint64_t jobs; /* 0: as many threads as the CPUs allow */
	bool show_version;
	int verbose;
	bool quiet;
	int signal;   /* the one that ended reading; 0: none did */
	bool partial; /* an input was truncated, damaged or never finished: EXIT_PARTIAL */
};

/* For a struct kmem_input: options of commands that read one recording, and those of all commands
 * that read. */
extern const struct option kmem_input_options[];
extern const struct option kmem_reading_options[];

/* Add a symbol file, at most max of them; for the options that take one. */
int kmem_input_add_kallsyms(struct kmem_input *in, const char *path, unsigned int max,
			    struct error *err);

/* Options of reading, among those for accounting the n-th recording. */
void kmem_input_apply(const struct kmem_input *in, unsigned int recording,
		      struct kmem_options *options);

/* Log what the user should know besides the report; none of it is fatal. */
void kmem_input_warn(const struct kmem_pipeline *a);

/*
 * Read the n-th recording into *a, according to the options; the source must be freed after it.
 * What the user should know besides the report is logged.  On a terminal, progress is shown. SIGINT
 * and SIGTERM end reading, which is not an error; in->signal is set, and should become the exit
 * status.  A second one ends the program.
 */
int kmem_input_read(struct kmem_input *in, const char *path, unsigned int recording,
		    const struct kmem_options *options, struct event_source **ret_source,
		    struct kmem_pipeline *a, struct error *err);

#endif
