/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct evlist: the tracepoints of one recording, each a struct evsel with its attr.
 *
 * Built from event specs and tracefs (globs resolved, no event twice), before anything is opened;
 * event_open.h opens them.  All evsels share what a reader needs to tell them apart (IDENTIFIER
 * first, the same sample_id, the same read_format); only callchains differ.  The first evsel also
 * tracks tasks (comm, fork, exit, and mmaps when user frames are recorded) and new control groups,
 * so no dummy event is needed. The evlist owns names, formats, fds and ids.  Periods count events,
 * buffers bytes. Facts: perf_event_open(2), uapi/linux/perf_event.h.
 */
#ifndef OUTPUT_EVLIST_H
#define OUTPUT_EVLIST_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/host/tracefs.h"
#include "util/output/event_spec.h"

/* One event on one CPU (and, if tasks are recorded, of one task). */
struct evsel_fd {
	int fd;		    /* -1: none */
	int cpu;	    /* -1: of all */
	uint64_t id;	    /* the kernel's id, or ours; found in the samples */
	uint64_t lost;	    /* total lost by the kernel, when last read */
	uint64_t lost_told; /* the part already written to earlier files */
};

struct evsel {
	char *system;
	char *name;
	struct strbuf format; /* the tracefs format file */
	uint32_t call_site_offset;
	uint32_t call_site_size; /* 0: the event has no such field */
	struct perf_event_attr attr;
	char *filter; /* given by the user, for the kernel; NULL: none */
	struct evsel_fd *fds;
	size_t nr_fds;
	uint64_t count; /* from the kernel: samples written plus lost, when last read */
	uint64_t lost;	/* from the kernel (since 6.0; else 0) */
	uint64_t count_told, lost_told; /* the parts already written to earlier files */
};

struct evlist {
	struct evsel *evsels;
	size_t nr;
};

#define EVLIST_INIT                                                                                \
	{                                                                                          \
		NULL                                                                               \
	}

/* What the kernel counted of one event, and lost, while one file was written. */
struct event_counts {
	uint64_t count;
	uint64_t lost;
	uint64_t unwritten; /* delivered, but the disk was full */
};

struct evlist_config {
	enum callchain_mode callchain; /* for events that do not specify it */
	uint32_t user_stack_bytes;     /* as in struct recorder_options */
	uint64_t period;
	unsigned int max_stack; /* frames; 0: as the event says if there is no `callchain`, else
				 * the kernel's own limit */
	uint32_t wakeup_bytes;	/* wake the reader when a buffer has this much */
	bool inherit;		/* children too, if tasks are recorded */
	bool cgroups;		/* samples say in which control group they were taken */
	bool overwrite;		/* keep the newest records in the buffers; they are not read
				 * continuously */
};

int evlist_init(struct evlist *l, const struct tracefs *t, const struct event_spec_list *specs,
		const struct evlist_config *config, struct error *err);
void evlist_deinit(struct evlist *l);

/*
 * The events do not come from perf_event_open: one id of our own for each, no descriptors; times of
 * this clock.
 */
int evlist_use_own_ids(struct evlist *l, int32_t clockid, struct error *err);

/* Does any event carry user frames, or what they are unwound from? */
bool evlist_user_callchains(const struct evlist *l);

/*
 * A file ends that has so many samples of each event: its part of what the kernel counted, which
 * later files do not get.  The last one gets all that is left; before that, events between buffer
 * and file make the kernel's count run ahead, so a file counts its own samples and what was lost
 * meanwhile.  failed: not all could be written.
 */
void evlist_count_file(struct evlist *l, const uint64_t *samples, bool last, bool failed,
		       struct event_counts *ret_counts);

/* All losses so far have been written to a file. */
void evlist_told(struct evlist *l);

/*
 * Append a tracing data section (util/tracepoint/tracing_data.h), which a reader needs to decode
 * the raw events: tracefs' header files, the formats of these events only, and in its kallsyms part
 * the symbol lines passed in.
 */
int evlist_tracing_data(const struct evlist *l, const struct tracefs *tracefs,
			const struct strbuf *kallsyms, struct strbuf *out, struct error *err);

#endif
