/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recorder_options: what to record, where to write it, and when to stop.
 *
 * Strings and arrays belong to the caller, and must outlive the recorder. The meaning of 0 and NULL
 * is given for each member.
 */
#ifndef CAPTURE_RECORDER_OPTIONS_H
#define CAPTURE_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "util/base/out_file.h"
#include "util/host/cpulist.h"
#include "util/output/event_spec.h"
#include "util/output/evlist.h"

/* Limit of recorder_options.user_stack_bytes: a record has at most 65535 bytes. */
#define USER_STACK_BYTES_DEFAULT 8192u
#define USER_STACK_BYTES_MAX	 65528u

/* Bits: triggers of a snapshot, or of the next file. trigger_file is another one. */
enum recorder_trigger {
	TRIGGER_SIGNAL = 1, /* SIGUSR2 */
	TRIGGER_EXIT = 2,   /* the end of the recording; only for snapshots */
};

/* The capture backend (capture_backend.h). */
enum record_via {
	VIA_ANY, /* BPF if it supports the options, otherwise perf_event_open */
	VIA_BPF,
	VIA_PERF,
};

struct recorder_news {
	const char *path; /* a file made during the recording; NULL: only a progress report */
	uint64_t bytes;	  /* of that file, or of all so far */
	uint64_t events;  /* of that file, or of all so far */
	uint64_t lost;	  /* so far */
	uint64_t time_ns; /* since the start */
};

struct recorder_options {
	const char *output;
	const char *version; /* version of the program, for the file */
	struct event_spec_list events;
	const char *filter;  /* for the events that have its fields (filter.h); may be NULL */
	struct cpulist cpus; /* empty: all online CPUs */
	pid_t *pids;	     /* nr_pids processes, with all their threads */
	size_t nr_pids;
	pid_t *tids; /* nr_tids threads */
	size_t nr_tids;
	const char *cgroup;   /* only tasks of this control group; NULL: no restriction */
	bool system_wide;     /* the whole system, even with a command */
	bool only_command;    /* only the command and its descendants, whatever the default is */
	bool kernel_frees;    /* of tasks, through BPF: also all frees by the kernel itself */
	char *const *command; /* may be NULL */
	enum record_via via;
	enum callchain_mode callchain;
	/* User callchains: bytes of stack to copy, for unwinding by the reader; 0: the kernel
	 * follows frame pointers. */
	uint32_t user_stack_bytes;
	bool cgroups;		/* samples have the id of their control group */
	uint64_t period;	/* 1: every event */
	unsigned int max_stack; /* frames, 0: the kernel's limit */
	uint64_t buffer_bytes;	/* per CPU; 0: depends on the machine's memory */
	int compress_level;	/* zstd level; 0: do not compress records */
	bool with_self;		/* also record the recorder's own events */
	bool probes;		/* through BPF: also events without a tracepoint (probes.h) */
	bool no_mount;		/* do not mount tracefs */
	uint64_t delay_ns;	/* before events are enabled */
	uint64_t duration_ns;	/* from then on; 0: no limit */
	uint64_t max_bytes;	/* the recording ends when its files have this size; 0: no limit */

	/* Several files, or snapshots with `overwrite`; their names contain the time. */
	bool overwrite;
	unsigned int triggers;	  /* enum recorder_trigger */
	const char *trigger_file; /* a trigger: this file appears; it is removed */
	uint64_t switch_bytes;	  /* begin the next file after this many bytes; 0: no */
	uint64_t switch_ns;	  /* after this much time; 0: no */
	uint64_t max_files;	  /* number of newest files to keep; 0: all */

	/* Called when a file was made during the recording and, with report_progress, once a
	 * second; may be NULL. */
	void (*report)(void *ctx, const struct recorder_news *news);
	void *report_ctx;
	bool report_progress;
};

/* Whether the recording goes to standard output. The command's output then goes to our standard
 * error. */
static inline bool recorder_to_stdout(const struct recorder_options *o)
{
	return out_file_is_stdout(o->output);
}

#endif
