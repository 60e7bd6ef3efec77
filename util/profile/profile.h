/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct profile: the samples of a recording; equal ones are counted in one row.
 *
 * A row is a distinct combination of event, task, CPU, place and callchain, as far as the caller
 * distinguishes them, with the number of its samples and the sum of their periods. So later work
 * (names, rows by any key, call trees) depends on distinct stacks, not on samples. A place is a
 * frame: a kernel address, or a number that util/usersym/user_stacks assigns to a user-space
 * address. Fed in time order with the data that a source's sink gets. Rows and frames of callchains
 * are limited by the size of the recording: samples that would need more rows are counted in
 * nr_left_out, and further chains are empty. Errors: -ENOMEM.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/base/frame_chains.h"
#include "util/base/intern.h"
#include "util/base/table.h"
#include "util/machine/threads.h"
#include "util/source/sample.h"
#include "util/symbol/symbols.h"
#include "util/usersym/user_stacks.h"

/* Frames of the kernel; deeper callchains are truncated. */
#define PROFILE_KERNEL_FRAMES_MAX 512
#define PROFILE_FRAMES_MAX	  (PROFILE_KERNEL_FRAMES_MAX + USER_FRAMES_MAX)

/* Bits: fields that distinguish samples, besides event and place. */
enum profile_part {
	PROFILE_COMM = 1,
	PROFILE_PID = 2,
	PROFILE_TID = 4,
	PROFILE_CPU = 8,
	PROFILE_CHAIN = 16,
};

/* Fields that do not distinguish samples are 0 in all rows. */
struct profile_row {
	/* the key */
	uint32_t event; /* index of the event in the facts */
	uint32_t comm;	/* number of a string */
	uint32_t pid, tid;
	int32_t cpu;   /* -1: not recorded */
	uint32_t text; /* another distinction by the caller: number of a string */
	uint32_t kernel_chain, user_chain;
	uint64_t leaf; /* frame of the sample; 0: not recorded */
	/* the counts */
	uint64_t period, nr;
};

/* The key of a recent sample's row, and the row. */
struct profile_recent {
	/* the key */
	uint64_t ip;
	uint32_t pid, tid, event, text;
	int32_t cpu;
	uint32_t kernel_chain, user_chain;
	uint32_t in_user;
	/* */
	uint64_t changes; /* the profile's changes when the row was found */
	uint32_t row;
};

#define PROFILE_RECENT 256 /* a power of two */

struct profile {
	const struct source_facts *facts;
	unsigned int parts;
	struct table rows;    /* rows are never removed, so numbers are dense */
	uint64_t nr_left_out; /* samples beyond the limit of rows */
	struct intern strings;
	struct threads threads;
	struct table first_comms; /* number of ":TID" -> the first name that the thread got later */
	struct frame_chains kernel_chains;
	/* for identities of kernel addresses; NULL: addresses are their own identities */
	const struct symbols *kernel;
	struct user_stacks *user;
	uint64_t changes; /* 1 + number of changes of tasks and address spaces */
	struct profile_recent recent[PROFILE_RECENT];
};

/* parts: bits.  search: NULL for the default places of files.  The facts must outlive it. */
int profile_init(struct profile *p, const struct source_facts *facts, unsigned int parts,
		 const struct dso_search *search, struct error *err);
void profile_deinit(struct profile *p);

/* Functions of a struct event_sink; the context is the profile. */
int profile_take_comm(void *profile, uint32_t tid, const char *comm);
int profile_take_fork(void *profile, uint32_t parent_tid, uint32_t tid);
int profile_take_map(void *profile, const struct source_map *map);
int profile_take_process(void *profile, enum source_process_change change, uint32_t pid,
			 uint32_t parent_pid);

/* The current command of a thread. INTERN_NONE if out of memory. */
static inline uint32_t profile_comm_of(struct profile *p, uint32_t tid)
{
	return threads_comm(&p->threads, tid);
}

/* The command of a row, after everything has been read: a thread without a name gets its first
 * later one. */
uint32_t profile_row_comm(const struct profile *p, const struct profile_row *row);

static inline const char *profile_string(const struct profile *p, uint32_t number)
{
	return intern_get(&p->strings, number, NULL);
}

/* text: a number of `strings` that distinguishes samples; 0 if none does. */
int profile_add(struct profile *p, const struct sample *sample, uint32_t text);

static inline const struct profile_row *profile_row(const struct profile *p, uint32_t i)
{
	return table_row(&p->rows, i);
}

/* Samples that lost their callchain, or a part of it, to the limits. */
uint64_t profile_chains_left_out(const struct profile *p);

/* Whether there is a kernel address. */
bool profile_has_kernel(const struct profile *p);

/* The callchain of a row, innermost first, without the leaf unless that is in the chain. Valid
 * until the next sample is added. */
struct profile_chain {
	struct frame_chain kernel, user;
	size_t nr;
};

struct profile_chain profile_chain(const struct profile *p, const struct profile_row *row);

static inline uint64_t profile_frame(const struct profile_chain *c, size_t i)
{
	return i < c->kernel.nr ? frame_chain_at(&c->kernel, i)
				: frame_chain_at(&c->user, i - c->kernel.nr);
}

#endif
