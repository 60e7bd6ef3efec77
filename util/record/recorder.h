/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recorder: one recording, from options to finished files.
 *
 *	recorder_init()   find tracefs, fork the command, open events and buffers, make the file
 *	recorder_start()  start events and command, give the file its name
 *	recorder_run()    move records from the buffers to the file until something ends it
 *	recorder_finish() last records, lost counts, features, header
 *	recorder_deinit() at any time after _init() was called
 *
 * Until recorder_start() has returned 0, no file was made or changed.  recorder_run() ends by
 * a signal (SIGINT, SIGTERM, SIGHUP: taken through a signalfd, so they are blocked from _init to
 * _deinit), by the command's or the tasks' end, by a limit, or by a write error; that one is kept
 * in write_error, and _finish() still makes what is there a whole file.  With `overwrite` nothing
 * is written until a trigger asks for a snapshot of the buffers.  One thread, no
 * globals.  The options must outlive the recorder.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <signal.h>
#include <string.h>

#include "util/record/files.h"
#include "util/record/output.h"
#include "util/record/pace.h"
#include "util/record/priority.h"
#include "util/record/rings.h"
#include "util/record/workload.h"

/* What a snapshot is taken on, or the next file begun. Bits; a file's appearance is apart. */
enum recorder_trigger {
	TRIGGER_SIGNAL = 1, /* SIGUSR2 */
	TRIGGER_EXIT = 2,   /* the recording's end; only snapshots */
};

struct recorder_news {
	const char *path; /* a file was made in passing; NULL: only how it goes */
	uint64_t bytes;	  /* of that file, or of all so far */
	uint64_t events;  /* of that file, or of all so far */
	uint64_t lost;	  /* so far */
	uint64_t time_ns; /* since the start */
};

struct recorder_options {
	const char *output;
	const char *version; /* of the program, for the file */
	struct event_spec_list events;
	const char *filter;  /* for the events that have its fields (filter.h); NULL: none */
	struct cpulist cpus; /* empty: all that are online */
	pid_t *pids;	     /* nr_pids processes with all their threads */
	size_t nr_pids;
	pid_t *tids; /* nr_tids threads */
	size_t nr_tids;
	const char *cgroup;   /* only its tasks; NULL: any */
	bool system_wide;     /* the whole system, although there is a command */
	char *const *command; /* NULL: none */
	enum callchain_mode callchain;
	uint64_t period;	/* 1: every event */
	unsigned int max_stack; /* frames, 0: the kernel's limit */
	uint64_t buffer_bytes;	/* per CPU, 0: by the machine's memory */
	int compress_level;	/* zstd; 0: records as they are */
	bool with_self;		/* the recorder's own events too */
	bool no_mount;		/* leave tracefs unmounted where it is */
	uint64_t delay_ns;	/* before events are counted */
	uint64_t duration_ns;	/* from then on; 0: until something else ends it */
	uint64_t max_bytes;	/* the recording ends when its files have as many; 0: no limit */

	/* Several files, or snapshots when `overwrite`; each is named after its moment. */
	bool overwrite;
	unsigned int triggers;	  /* enum recorder_trigger */
	const char *trigger_file; /* its appearance is one, too; it is removed */
	uint64_t switch_bytes;	  /* the next file after so many bytes; 0: no */
	uint64_t switch_ns;	  /* after so much time; 0: no */
	uint64_t max_files;	  /* keep the newest; 0: all */

	/* Called when a file was made in passing and, with tell_progress, once a second; or NULL.
	 */
	void (*tell)(void *ctx, const struct recorder_news *news);
	void *tell_ctx;
	bool tell_progress;
};

struct recorder {
	const struct recorder_options *options;
	struct tracefs tracefs;
	struct cpulist cpus;
	pid_t *tids; /* recorded tasks */
	size_t nr_tids;
	struct evlist evlist;
	struct rings rings;
	struct workload workload;
	struct output_config config;
	struct output output; /* the file that is being written; overwrite: none */
	char *output_path;    /* its name when it is not options.output */
	struct files files;   /* those made before it */
	char filter[64];      /* empty: none */
	sigset_t old_mask;
	int signal_fd;
	int signal; /* that ended it, 0: none */
	bool signal_is_shared;
	bool triggered;
	bool enabled;
	/* when it was enabled, switched, told of, and when online CPUs were looked at */
	uint64_t start_ns, switched_ns, told_ns, looked_ns;
	struct output_span span; /* of the file that is being written */
	struct error write_error;
	struct error place_error; /* a file was taken away while it was written */
	struct pace pace;
	struct priority priority;

	/* after recorder_finish() */
	uint64_t *samples; /* written, per evsel */
	uint64_t nr_samples;
	uint64_t bytes;	 /* of all files that are kept */
	size_t nr_files; /* made; 0: no trigger asked for one */
	bool symbols_hidden;
};

/* Is "-" the output? Then the command's standard output is our standard error. */
static inline bool recorder_to_stdout(const struct recorder_options *o)
{
	return !strcmp(o->output, "-");
}

int recorder_init(struct recorder *r, const struct recorder_options *options, struct error *err);
int recorder_start(struct recorder *r, struct error *err);
int recorder_run(struct recorder *r, struct error *err);
int recorder_finish(struct recorder *r, struct error *err);

/*
 * Wait for the command's end.  The signal that ended the recording, or comes now, is passed on to
 * it; one that it ignores is followed by SIGTERM.  False: it outlived that, too, and runs on.
 */
bool recorder_reap(struct recorder *r);

void recorder_deinit(struct recorder *r);

#endif
