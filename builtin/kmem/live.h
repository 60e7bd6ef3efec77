/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_live: live events as the input of a report, until a command has ended, a duration is
 * over, or Ctrl-C.
 *
 * It is a part of struct kmem_cli; kmem_cli_run() does everything except the reading.
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
	struct record_cli record; /* set by record_live_options */
	char *const *command;	  /* may be NULL */
	uint64_t memory_bytes;	  /* 0: no limit */
	uint64_t max_live;	  /* 0: depends on memory_bytes, or on the machine's memory */
	bool in_kernel;		  /* not in leak: the kernel counts */
	/* while reading: a descriptor that requests a tick when it is readable; -1 if none */
	int wake_fd;
	/* valid from kmem_live_read() to kmem_live_end() */
	bool is_running;
	struct ending ending;
};

/* Options for a struct kmem_live. */
extern const struct option kmem_live_options[];

void kmem_live_init(struct kmem_live *l);
void kmem_live_deinit(struct kmem_live *l);

/* Whether the command line requests live events rather than a recording. */
static inline bool kmem_live_wanted(const struct kmem_live *l)
{
	return l->use_bpf || l->in_kernel || l->command || l->record.options.duration_ns;
}

/* Check its options, alone and with the others. An error is the user's. */
int kmem_live_check(const struct kmem_live *l, const struct kmem_input *in, bool has_windows,
		    struct error *err);

/*
 * Like kmem_input_read(). Ends with the command; without one and without ticks, when all tasks of
 * -p and -t have ended; after --duration; on a signal; or when options->ticks say so. A command
 * that still runs continues while the report is made.
 */
int kmem_live_read(struct kmem_live *l, struct kmem_input *in, const struct kmem_options *options,
		   struct event_source **ret_source, struct kmem_pipeline *a, struct error *err);

/* Called after the report: wait for the command. Returns its exit status unless that is 0, and the
 * report's otherwise. */
int kmem_live_end(struct kmem_live *l, int status);

#endif
