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

#include "util/record/files.h"
#include "util/record/output.h"
#include "util/record/pace.h"
#include "util/record/priority.h"
#include "util/record/recorder_options.h"
#include "util/record/rings.h"
#include "util/record/workload.h"

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
