/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recorder: one recording, from options to finished files.
 *
 * The calls come in the order below. ending_reap() then waits for the command. recorder_deinit()
 * may be called at any time after recorder_init().
 *
 * Until recorder_start() has returned 0, no file is created or changed. recorder_run() ends on a
 * signal (SIGINT, SIGTERM, SIGHUP: received through a signalfd, so they are blocked from _init to
 * _deinit), when the command or the tasks end, at a limit, or on a write error, which is kept in
 * write_error; _finish() still completes the file. With `overwrite` nothing is written until a
 * trigger requests a snapshot of the buffers. One thread, no globals. The options must outlive the
 * recorder.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "util/capture/capture_backend.h"
#include "util/capture/recorder_options.h"
#include "util/host/module_watch.h"
#include "util/output/output.h"
#include "util/record/ending.h"
#include "util/record/files.h"
#include "util/record/pace.h"
#include "util/record/priority.h"

struct recorder {
	const struct recorder_options *options;
	struct tracefs tracefs;
	struct record_target target;
	struct capture_backend capture;
	struct module_watch modules;
	struct strbuf module_lines; /* loads and unloads of the whole recording */
	size_t module_bytes;	    /* number of their bytes in the current file */
	struct ending ending;
	struct output_config config;
	struct output output; /* the current file; none with overwrite */
	char *output_path;    /* its name unless it is options.output */
	struct files files;   /* earlier files */
	bool enabled, warned_rate;
	/* times of enabling, switching, reporting, and of the last check of online CPUs */
	uint64_t start_ns, switched_ns, progress_ns, looked_ns;
	struct output_span span; /* of the current file */
	struct slab_counts slab_counts;
	struct error write_error;
	struct error place_error; /* a file was removed or replaced while it was being written */
	struct pace pace;
	struct priority priority;

	/* valid after recorder_finish() */
	uint64_t *samples; /* samples written, per evsel */
	uint64_t nr_samples;
	uint64_t bytes;			/* bytes of all kept files */
	size_t nr_files;		/* number of files made; 0: no trigger requested one */
	enum symbol_visibility symbols; /* the least of any file */
};

/* Find tracefs, fork the command, open events and buffers, make the file. */
int recorder_init(struct recorder *r, const struct recorder_options *options, struct error *err);
/* Start the events and the command, and give the file its name. */
int recorder_start(struct recorder *r, struct error *err);
/* Move records from the buffers to the file until it ends. */
int recorder_run(struct recorder *r, struct error *err);
/* Write the last records, the counts of lost ones, the features and the header. */
int recorder_finish(struct recorder *r, struct error *err);

void recorder_deinit(struct recorder *r);

#endif
