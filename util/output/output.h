/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct output: one file of a recording, from its first record to its features.
 *
 * A recording makes one or, if it switches files, several. Each is complete by itself: event
 * formats, then existing tasks and the kernel, samples in rounds, lost counts, features. All of
 * them share the open evlist. Each sample is inspected on the way (sample_scan.h). A write error is
 * returned by the function that met it; _finish() still completes the file as far as it was
 * written. The config must outlive the output.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "util/output/batch.h"
#include "util/output/host_features.h"
#include "util/output/kernel_symbols.h"
#include "util/perfdata/writer.h"

struct output_config {
	const char *version; /* version of the program */
	const struct tracefs *tracefs;
	struct evlist *evlist;
	const struct cpulist *gone; /* CPUs that went offline, which ended their events */
	const char *filter;	    /* for all events; may be NULL */
	const struct slab_counts *slab_counts; /* may be NULL */
	bool kernel_frees;  /* of certain tasks, with the frees by the kernel itself for all */
	uint64_t etext;	    /* the address of the kernel's _etext; 0 if not known yet */
	int compress_level; /* 0: do not compress records */
	struct perfdata_writer_hooks hooks;
};

/* The time in which events were recorded, on the clock of the samples; 0 if unknown. */
struct output_span {
	uint64_t start_ns, stop_ns;
};

struct output {
	const struct output_config *config;
	struct perfdata_writer writer;
	struct sample_scan scan;
	struct batch batch;
	enum symbol_visibility symbols;
	bool round_open;     /* records were written since the last FINISHED_ROUND */
	uint64_t newest_ns;  /* that round's newest_ns, see output_end_round() */
	uint64_t settled_ns; /* the previous round's: readers are done with older records */
	uint64_t begun_ns;   /* wall-clock time at which events were enabled, since 1970 */
};

/* Create the file under a temporary name, and write everything before the samples. */
int output_open(struct output *o, const struct output_config *config, const char *path,
		struct error *err);

/* Events were enabled: note the wall-clock time. */
void output_begin(struct output *o);

/* Rename the file to its name. */
int output_publish(struct output *o, struct error *err);

/* COMM records and the like for existing tasks, and for control groups (see synthesize.h). */
int output_add_cgroups(struct output *o, struct error *err);
int output_add_tasks(struct output *o, const pid_t *pids, size_t nr_pids, struct error *err);

/* Lines of HEADER_MODULES (util/perfdata/format.h). */
int output_add_modules(struct output *o, const char *lines, size_t len, struct error *err);

/* Add records that are not samples. */
int output_add_records(struct output *o, const struct strbuf *records, struct error *err);

/*
 * Add a batch of the records in a ring buffer (whole records), from byte *at on; *at moves past
 * them.
 */
int output_add(struct output *o, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at, struct error *err);

/* Add the records put into o->batch since batch_begin() (batch.h), and begin the stream's next
 * batch. */
int output_add_batch(struct output *o, struct error *err);

/*
 * All records older than complete_ns have been added, and none newer than newest_ns, by any one
 * clock. End the round if that covers the whole previous round: FINISHED_ROUND promises that no
 * later record is older than the newest record of the previous round.
 */
int output_end_round(struct output *o, uint64_t complete_ns, uint64_t newest_ns, struct error *err);

/*
 * counts: per evsel; failed: writing failed before, so only finish. The file's time span includes
 * all its samples.
 */
int output_finish(struct output *o, const struct event_counts *counts,
		  const struct output_span *span, bool failed, struct error *err);

/* The descriptor of the pipe, or -1. */
int output_stream(const struct output *o);

/* Whether the file still exists where it was created. Otherwise the error says what happened. */
int output_check(const struct output *o, struct error *err);

/* Size of the file in bytes. */
uint64_t output_bytes(const struct output *o);

/* May be called at any time after output_open(), or on a zeroed output. */
void output_deinit(struct output *o);

#endif
