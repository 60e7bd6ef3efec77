/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct evlist: the tracepoints of one recording, each a struct evsel with its attr.
 *
 * Made from event specs and tracefs (globs resolved, an event once), before
 * anything is opened; event_open.h opens them.  All evsels share what a reader needs
 * to tell them apart (IDENTIFIER first, the same sample_id, the same read_format);
 * only callchains differ.  The first evsel also tracks tasks (comm, fork,
 * exit, and mmaps when user frames are recorded), so no dummy event is needed.
 * The evlist owns names, formats, fds and ids.  Periods count events, buffers bytes.
 * Facts: perf_event_open(2), uapi/linux/perf_event.h.
 */
#ifndef RECORD_EVLIST_H
#define RECORD_EVLIST_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/host/tracefs.h"
#include "util/record/event_spec.h"

/* One event on one CPU (and, when tasks are recorded, of one task). */
struct evsel_fd {
	int fd;
	int cpu;
	uint64_t id;	    /* the kernel's, found in the samples */
	uint64_t lost;	    /* all that the kernel lost, when last asked */
	uint64_t lost_told; /* the part that earlier files told of */
};

struct evsel {
	char *system;
	char *name;
	struct strbuf format; /* the tracefs format file */
	uint32_t call_site_offset;
	uint32_t call_site_size; /* 0: the event has no such field */
	struct perf_event_attr attr;
	char *filter; /* by the person, for the kernel; NULL: none */
	struct evsel_fd *fds;
	size_t nr_fds;
	uint64_t count; /* by the kernel: samples written plus lost; when last asked */
	uint64_t lost;	/* by the kernel (since 6.0; else 0) */
	uint64_t count_told, lost_told; /* the part of them that earlier files told of */
};

struct evlist {
	struct evsel *evsels;
	size_t nr;
};

#define EVLIST_INIT                                                                                \
	{                                                                                          \
		NULL                                                                               \
	}

struct evlist_config {
	enum callchain_mode callchain; /* of events that do not say */
	uint64_t period;
	unsigned int max_stack; /* frames, 0: the kernel's own limit */
	uint32_t wakeup_bytes;	/* wake the reader when this much is in a buffer */
	bool inherit;		/* children too, when tasks are recorded */
	bool overwrite;		/* the newest stay in the buffers, nobody reads along */
};

int evlist_init(struct evlist *l, const struct tracefs *t, const struct event_spec_list *specs,
		const struct evlist_config *config, struct error *err);
void evlist_deinit(struct evlist *l);

/* Does any event carry user frames? */
bool evlist_user_callchains(const struct evlist *l);

#endif
