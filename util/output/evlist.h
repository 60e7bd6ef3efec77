/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct evlist: the tracepoints of one recording, each a struct evsel with its attr.
 *
 * Built from event specs and tracefs (globs resolved, no event twice), before any event is opened;
 * event_open.h opens them. All evsels share the layout that a reader needs to distinguish them
 * (IDENTIFIER first, the same sample_id, the same read_format); only callchains differ. The first
 * evsel also tracks tasks (comm, fork, exit, and mmaps when user frames are recorded) and new
 * control groups, so no dummy event is needed. The evlist owns names, formats, fds and ids. Periods
 * count events, buffers bytes. Facts: perf_event_open(2), uapi/linux/perf_event.h.
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

/* One event on one CPU (and for one task, if tasks are recorded). */
struct evsel_fd {
	int fd;		    /* -1: none */
	int cpu;	    /* -1: all CPUs */
	uint64_t id;	    /* the kernel's id, or ours; part of each sample */
	uint64_t lost;	    /* total lost by the kernel, as of the last reading */
	uint64_t lost_told; /* the part already written to earlier files */
};

struct evsel {
	char *system;
	char *name;
	struct strbuf format; /* the tracefs format file */
	uint32_t call_site_offset;
	uint32_t call_site_size; /* 0 if the event has no such field */
	struct perf_event_attr attr;
	char *filter;	  /* the user's, for the kernel; may be NULL */
	bool failed_only; /* only allocations that failed */
	struct evsel_fd *fds;
	size_t nr_fds;
	uint64_t count; /* from the kernel: samples written plus lost, as of the last reading */
	uint64_t lost;	/* from the kernel (since 6.0; otherwise 0) */
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

/* The kernel's counts of one event, and its losses, while one file was written. */
struct event_counts {
	uint64_t count;
	uint64_t lost;
	uint64_t unwritten; /* delivered, but the disk was full */
};

struct evlist_config {
	enum callchain_mode callchain; /* for events that do not specify it */
	uint32_t user_stack_bytes;     /* as in struct recorder_options */
	uint64_t period;
	unsigned int max_stack; /* frames; 0: by the event spec if there is no `callchain`,
				   otherwise the kernel's own limit */
	uint32_t wakeup_bytes;	/* fill level of a buffer that wakes the reader */
	bool inherit;		/* children too, if tasks are recorded */
	bool cgroups;		/* samples have the id of their control group */
	bool overwrite; /* the buffers keep the newest records and are not read continuously */
};

int evlist_init(struct evlist *l, const struct tracefs *t, const struct event_spec_list *specs,
		const struct evlist_config *config, struct error *err);
void evlist_deinit(struct evlist *l);

/* Add an event that no tracepoint of the kernel has, with the attr and the format of the one at
 * `index`, but this name and this id as its type. Returns 0, or -ENOMEM. */
int evlist_add_like(struct evlist *l, size_t index, const char *system, const char *name,
		    uint64_t type);

/* Add a string to the format, behind all fields, unless it has one of this name. Returns 0, or
 * -ENOMEM. */
int evsel_add_string(struct evsel *e, const char *field);

/*
 * The events do not come from perf_event_open: each has an id of our own and no descriptors; times
 * are of this clock.
 */
int evlist_use_own_ids(struct evlist *l, int32_t clockid, struct error *err);

/* Whether any event has user frames, or registers and stack to unwind them from. */
bool evlist_user_callchains(const struct evlist *l);

/*
 * A file ends with these numbers of samples: compute its share of the kernel's counts, which later
 * files do not get. The last file gets the remainder. Before that, events between buffer and file
 * make the kernel's count run ahead, so a file counts its own samples and the losses meanwhile.
 * failed: not everything could be written.
 */
void evlist_count_file(struct evlist *l, const uint64_t *samples, bool last, bool failed,
		       struct event_counts *ret_counts);

/* All losses so far have been written to a file. */
void evlist_told(struct evlist *l);

/*
 * Append a tracing data section (util/tracepoint/tracing_data.h), which a reader needs to decode
 * the raw events: tracefs' header files, the formats of these events only, and in its kallsyms part
 * the given symbol lines.
 */
int evlist_tracing_data(const struct evlist *l, const struct tracefs *tracefs,
			const struct strbuf *kallsyms, struct strbuf *out, struct error *err);

#endif
