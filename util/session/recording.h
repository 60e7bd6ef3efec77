/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recording: a perf.data while it is being read: its facts, and the reader's own data.
 *
 * Filled by the session while it reads; in a pipe most of it arrives in the stream. Other folders
 * use only the facts.
 */
#ifndef SESSION_RECORDING_H
#define SESSION_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/intern.h"
#include "util/base/table.h"
#include "util/host/cpulist.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/sample.h"
#include "util/source/facts.h"

/* One event (stock: evsel) of the recording. It has several ids, one for each CPU or thread. */
struct recorded_event {
	struct source_event event; /* first member: listed in the facts */
	struct event_attr attr;
	struct sample_layout layout;
	uint64_t nr_lost_records; /* from LOST records: losses reported when this event wrote */
	uint64_t nr_lost_samples; /* from LOST_SAMPLES records: exact losses of this event */
	uint64_t nr_unwritten;	  /* received by a recorder that could not write them */
	uint64_t nr_counted;	  /* the kernel's count, including lost ones; 0 if unknown */
};

struct recording {
	struct source_facts facts; /* its events are of struct recorded_event */
	bool swap;		   /* byte order differs from this machine's */
	bool pipe;
	bool keeps_details;	 /* keep sample details: see source_options */
	uint64_t nr_lost_of_any; /* from LOST records without an event (id 0) */
	char part[24];		 /* the current file of a directory: "data.3"; "" if none */
	uint64_t part_start;	 /* position of the first byte of `part` */

	struct event_names {
		struct intern strings;
		uint32_t *first; /* first event with each name */
	} * event_names;	 /* NULL until recording_event_by_name() makes it */
	struct table ids;	 /* u64 id -> u32 index of the event */
	uint32_t compressed_mmap_len;
};

void recording_init(struct recording *r);
void recording_deinit(struct recording *r);

/* Add an event; its ids follow with recording_add_id(). NULL if out of memory. */
struct recorded_event *recording_add_event(struct recording *r, const struct event_attr *attr);
int recording_add_id(struct recording *r, uint64_t id, uint32_t event);

static inline struct recorded_event *recording_event(const struct recording *r, size_t index)
{
	return (struct recorded_event *)r->facts.events[index];
}

/*
 * Find the first event with the name; *ret_event is NULL if there is none. Uses the names at the
 * first call until they are forgotten. Errors: -ENOMEM.
 */
int recording_event_by_name(struct recording *r, const char *name, size_t len,
			    struct recorded_event **ret_event);
void recording_forget_names(struct recording *r);

#define RECORDING_KERNEL "[kernel.kallsyms]"

/*
 * Add a build-id of at most BUILD_ID_MAX bytes: that of RECORDING_KERNEL (the first one counts), of
 * a module or, unless of_kernel, of a user file. Errors: -ENOMEM.
 */
int recording_add_build_id(struct recording *r, const char *name, bool of_kernel, const uint8_t *id,
			   size_t size);

/* Returns the event with the id, or NULL. */
struct recorded_event *recording_event_by_id(const struct recording *r, uint64_t id);

/*
 * Called when reading has ended: compute the losses and, if the whole recording was read, the
 * events that the kernel counted but never delivered.
 */
void recording_settle(struct recording *r, bool whole);

/* Note damage at a position. Only the first one is described; callers count the skipped records and
 * bytes. */
void recording_damage(struct recording *r, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
