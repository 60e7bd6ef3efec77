/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct output: one file of a recording, from its first record to its features.
 *
 * A recording makes one or, if it switches files, one after the other; each is complete by itself:
 * first event formats, then what existed before (kernel, tasks), samples in rounds, lost counts,
 * features.  All of them share the open evlist.  Each sample is inspected on the way
 * (sample_scan.h).  A write error is returned by the function that met it; _finish() still turns
 * what is there into a complete file.  The config must outlive the output.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "util/output/batch.h"
#include "util/output/host_features.h"
#include "util/perfdata/writer.h"

struct output_config {
	const char *version; /* of the program */
	const struct tracefs *tracefs;
	struct evlist *evlist;
	const struct cpulist *gone; /* CPUs that went offline, and their events with them */
	const char *filter;	    /* for all events; NULL: none */
	uint64_t etext;		    /* the address of the kernel's _etext; 0: not known yet */
	int compress_level;	    /* 0: do not compress records */
	struct perfdata_writer_hooks hooks;
};

/* The time in which events were recorded, on the clock of the samples; 0: unknown. */
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
	uint64_t newest_ns;  /* as it was told then */
	uint64_t settled_ns; /* and the time before: readers are done with what is older */
	uint64_t begun_ns;   /* the wall clock when events were enabled, since 1970 */
};

/* Create the file under a temporary name, up to where samples begin. */
int output_open(struct output *o, const struct output_config *config, const char *path,
		struct error *err);

/* Events are enabled now: note the wall clock. */
void output_begin(struct output *o);

/* Give the file its name. */
int output_publish(struct output *o, struct error *err);

/* COMM records and the like for tasks that exist now, and for control groups (see synthesize.h). */
int output_add_cgroups(struct output *o, struct error *err);
int output_add_tasks(struct output *o, const pid_t *pids, size_t nr_pids, struct error *err);

/* Lines of HEADER_MODULES (util/perfdata/format.h). */
int output_add_modules(struct output *o, const char *lines, size_t len, struct error *err);

/* Records that are not samples. */
int output_add_records(struct output *o, const struct strbuf *records, struct error *err);

/*
 * Add a batch of what is in a ring buffer (whole records), from byte *at on; *at moves past what
 * was taken.
 */
int output_add(struct output *o, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at, struct error *err);

/* Add what was put into o->batch since batch_begin() (batch.h), and begin the stream's next batch.
 */
int output_add_batch(struct output *o, struct error *err);

/*
 * Every record older than complete_ns has been added, and none that is newer than newest_ns, by any
 * one clock: end the round, if that is all of the round before.  FINISHED_ROUND promises that
 * nothing follows that is older than the newest record of the round before.
 */
int output_end_round(struct output *o, uint64_t complete_ns, uint64_t newest_ns, struct error *err);

/*
 * counts: per evsel; failed: writing failed before, so only finish.  The file states a time span
 * that includes all its samples.
 */
int output_finish(struct output *o, const struct event_counts *counts,
		  const struct output_span *span, bool failed, struct error *err);

/* The descriptor of the pipe that is written to, or -1. */
int output_stream(const struct output *o);

/* Is the file still where it was created? If not, the error says what happened to it. */
int output_check(const struct output *o, struct error *err);

/* Size of the file in bytes. */
uint64_t output_bytes(const struct output *o);

/* May be called at any time after output_open(), or on a zeroed output. */
void output_deinit(struct output *o);

#endif
