/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recording: a perf.data while it is being read: its facts, and what else its reader needs.
 *
 * Filled by the session while it reads; in a pipe most of it arrives in the stream.  Nothing
 * outside of this folder knows more of it than the facts.
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

/* One event (stock: evsel) of the recording; several ids, one for each CPU or thread, lead to it.
 */
struct recorded_event {
	struct source_event event; /* first: it is what the facts list */
	struct event_attr attr;
	struct sample_layout layout;
	uint64_t nr_lost_records; /* from LOST records: losses noticed while this event wrote */
	uint64_t nr_lost_samples; /* from LOST_SAMPLES records: its own losses, exact */
	uint64_t nr_unwritten;	  /* delivered to a recorder that could not write them */
	uint64_t nr_counted;	  /* from the kernel itself, including lost ones; 0: unknown */
};

struct recording {
	struct source_facts facts; /* its events are the recording's */
	bool swap;		   /* byte order is not this machine's */
	bool pipe;
	bool keeps_details;	 /* of samples: see source_options */
	uint64_t nr_lost_of_any; /* from LOST records that name no event (id 0) */
	char part[24];		 /* file of a directory that is being read: "data.3"; "" */
	uint64_t part_start;	 /* position of its first byte */

	struct event_names {
		struct intern strings;
		uint32_t *first; /* the first event of each name */
	} * event_names;	 /* NULL: not made, see recording_event_by_name() */
	struct table ids;	 /* u64 id -> u32 number of the event */
	uint32_t compressed_mmap_len;
};

void recording_init(struct recording *r);
void recording_deinit(struct recording *r);

/* Add an event; its ids follow with recording_add_id(). NULL: no memory. */
struct recorded_event *recording_add_event(struct recording *r, const struct event_attr *attr);
int recording_add_id(struct recording *r, uint64_t id, uint32_t event);

static inline struct recorded_event *recording_event(const struct recording *r, size_t index)
{
	return (struct recorded_event *)r->facts.events[index];
}

/*
 * The first event with the name, or NULL; *ret_event.  The names that there are at the first call
 * count, until they are forgotten. Errors: -ENOMEM.
 */
int recording_event_by_name(struct recording *r, const char *name, size_t len,
			    struct recorded_event **ret_event);
void recording_forget_names(struct recording *r);

#define RECORDING_KERNEL "[kernel.kallsyms]"

/*
 * Add a build-id of at most BUILD_ID_MAX bytes: that of RECORDING_KERNEL (once, further ones are
 * ignored), of a module or, unless of_kernel, of a user file. Errors: -ENOMEM.
 */
int recording_add_build_id(struct recording *r, const char *name, bool of_kernel, const uint8_t *id,
			   size_t size);

/* The event with the id, or NULL. */
struct recorded_event *recording_event_by_id(const struct recording *r, uint64_t id);

/*
 * Reading has ended: work out what was lost and, if the whole recording was read, what the kernel
 * counted and never delivered.
 */
void recording_settle(struct recording *r, bool whole);

/* Remember the first damage in words and count; later ones only count. */
void recording_damage(struct recording *r, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
