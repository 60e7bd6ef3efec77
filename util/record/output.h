/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct output: one file of a recording, from its first record to its features.
 *
 * A recording makes one, or, when it switches files, one after the other; each is whole
 * by itself: event formats first, then what was there before (kernel, tasks), samples
 * in rounds, lost counts, features.  All of them share the open evlist.  Each sample is
 * looked at as it passes (sample_scan.h).  A write error is returned by whatever met it;
 * _finish() still makes what is there a whole file.  The config must outlive the output.
 */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "util/perfdata/writer.h"
#include "util/record/batch.h"
#include "util/record/host_features.h"

struct output_config {
	const char *version; /* of the program */
	const struct tracefs *tracefs;
	struct evlist *evlist;
	const struct rings *rings;
	const char *filter; /* of all events; NULL: none */
	int compress_level; /* 0: records as they are */
	struct perfdata_writer_hooks hooks;
};

/* From when to when events were recorded, in the clock of the samples; 0: not known. */
struct output_span {
	uint64_t start_ns, stop_ns;
};

struct output {
	const struct output_config *config;
	struct perfdata_writer writer;
	struct sample_scan scan;
	struct batch batch;
	bool symbols_hidden; /* the kernel hides its addresses */
	bool round_open;     /* records were written since the last FINISHED_ROUND */
	uint64_t round_ns;   /* its time */
	uint64_t begun_ns;   /* the wall clock when events began to come, since 1970 */
};

/* The file under a temporary name, up to where samples begin. */
int output_open(struct output *o, const struct output_config *config, const char *path,
		struct error *err);

/* Events are enabled now: note the wall clock. */
void output_begin(struct output *o);

/* Give the file its name. */
int output_publish(struct output *o, struct error *err);

/* COMM records and the like for tasks that are there now (see synthesize.h). */
int output_add_tasks(struct output *o, const pid_t *pids, size_t nr_pids, struct error *err);

/*
 * Of what a ring buffer held (whole records), from byte *at on: a batch of it; *at moves behind
 * what was taken.
 */
int output_add(struct output *o, const struct iovec *pieces, int nr, uint64_t *at,
	       struct error *err);

/* All rings were emptied at this time (of a monotonic clock): end a round if it was long enough. */
int output_end_round(struct output *o, uint64_t now_ns, struct error *err);

/*
 * counts: per evsel; failed: writing failed before, only finish.  The file tells a span that has
 * all its samples.
 */
int output_finish(struct output *o, const struct event_counts *counts,
		  const struct output_span *span, bool failed, struct error *err);

/* The descriptor of a pipe that it is written to, else -1. */
int output_stream(const struct output *o);

/* Is the file still where it was made? The error says what became of it. */
int output_check(const struct output *o, struct error *err);

/* Bytes in the file. */
uint64_t output_bytes(const struct output *o);

/* At any time after output_open() was called, or on a zeroed output. */
void output_deinit(struct output *o);

#endif
