/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recorder: one recording, from options to a finished file.
 *
 *	recorder_init()   find tracefs, fork the command, open events and buffers, make the file
 *	recorder_start()  start events and command, give the file its name
 *	recorder_run()    move records from the buffers to the file until something ends it
 *	recorder_finish() last records, lost counts, features, header
 *	recorder_deinit() at any time after _init() was called
 *
 * Until recorder_start() has returned 0, no file was made or changed.  recorder_run() ends by
 * a signal (SIGINT, SIGTERM, SIGHUP: taken through a signalfd, so they are blocked from _init to
 * _deinit), by the command's or the tasks' end, or by a write error; that one is kept
 * in write_error, and _finish() still makes what is there a whole file.  One thread, no
 * globals.  The options must outlive the recorder.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <signal.h>

#include "util/perfdata/writer.h"
#include "util/record/rings.h"
#include "util/record/sample_scan.h"
#include "util/record/workload.h"

struct recorder_options {
	const char *output;
	const char *version; /* of the program, for the file */
	struct event_spec_list events;
	struct cpulist cpus; /* empty: all that are online */
	pid_t *pids;	     /* nr_pids processes with all their threads */
	size_t nr_pids;
	pid_t *tids; /* nr_tids threads */
	size_t nr_tids;
	bool system_wide;     /* the whole system, although there is a command */
	char *const *command; /* NULL: none */
	enum callchain_mode callchain;
	uint64_t period;	/* 1: every event */
	unsigned int max_stack; /* frames, 0: the kernel's limit */
	uint64_t buffer_bytes;	/* per CPU, 0: by the machine's memory */
	int compress_level;	/* zstd; 0: records as they are */
	bool with_self;		/* the recorder's own events too */
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
	struct perfdata_writer writer;
	struct sample_scan scan; /* after recorder_finish() */
	char filter[64];	 /* empty: none */
	bool symbols_hidden;	 /* the kernel hides its addresses */
	sigset_t old_mask;
	int signal_fd;
	int signal;	   /* that ended it, 0: none */
	bool round_open;   /* records were written since the last FINISHED_ROUND */
	uint64_t round_ns; /* its time */
	struct error write_error;
	uint64_t bytes; /* of the file; after recorder_finish() */
};

int recorder_init(struct recorder *r, const struct recorder_options *options, struct error *err);
int recorder_start(struct recorder *r, struct error *err);
int recorder_run(struct recorder *r, struct error *err);
int recorder_finish(struct recorder *r, struct error *err);

/* Pass the signal that ended the recording on to the command, and wait for its end. */
void recorder_reap(struct recorder *r);

void recorder_deinit(struct recorder *r);

#endif
