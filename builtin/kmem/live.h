/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report is about when there is no recording: what happens on this machine from now on,
 * until a command has ended, for some time, or until Ctrl-C.
 *
 * struct kmem_live is a part of struct kmem_cli; kmem_cli_run() does all but the reading.
 */
#ifndef BUILTIN_KMEM_LIVE_H
#define BUILTIN_KMEM_LIVE_H

#include <stdbool.h>

#include "builtin/kmem/input.h"
#include "builtin/record-options.h"
#include "util/cli/options.h"
#include "util/kmem/pipeline.h"
#include "util/record/ending.h"

struct kmem_live {
	bool use_bpf;
	struct record_cli record; /* what record_live_options fill in */
	char *const *command;	  /* NULL: none */
	uint64_t max_live;	  /* 0: by the machine's memory */
	bool in_kernel;		  /* not leak's: the kernel counts by itself */
	/* While it is read: a descriptor whose readability is a reason to tick; -1: none. */
	int wake_fd;
	/* from kmem_live_read() to kmem_live_end() */
	bool is_running;
	struct ending ending;
};

/* For a struct kmem_live. */
extern const struct option kmem_live_options[];

void kmem_live_init(struct kmem_live *l);
void kmem_live_deinit(struct kmem_live *l);

/* Does the command line ask for that, rather than for a recording? */
static inline bool kmem_live_wanted(const struct kmem_live *l)
{
	return l->use_bpf || l->in_kernel || l->command || l->record.options.duration_ns;
}

/* Do its options make sense, and with the others? An error is the caller's. */
int kmem_live_check(const struct kmem_live *l, const struct kmem_input *in, bool has_windows,
		    struct error *err);

/*
 * Like kmem_input_read().  Ends when the command does or, without one and without ticks, all tasks
 * of -p and -t have, after --duration, on a signal, or when options->ticks say so; a command that
 * still runs goes on while the report is made.
 */
int kmem_live_read(struct kmem_live *l, struct kmem_input *in, const struct kmem_options *options,
		   struct event_source **ret_source, struct kmem_pipeline *a, struct error *err);

/* After the report: wait for the command. Returns the exit status: the command's, or that of the
 * report, if it has one. */
int kmem_live_end(struct kmem_live *l, int status);

#endif
