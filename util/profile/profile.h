/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct profile: the samples of a recording, those that are the same counted once.
 *
 * A row is a distinct combination of event, task, CPU, place and callchain, as far as the caller
 * wants to tell them apart, with the number of its samples and the sum of their periods.  So what
 * comes after reading (names, rows by any key, call trees) costs by distinct stacks, not by
 * samples.  A place is a frame: an address of the kernel, or a number that util/symbol/user_stacks
 * gives to an address of user space.  Fed in time order with what the sink of a source gets.
 * Rows and frames of callchains are limited by the size of the recording: samples that would need
 * more rows are counted in nr_left_out, and further chains are empty.  Errors: -ENOMEM.
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

/* Frames of the kernel; deeper callchains are cut. */
#define PROFILE_KERNEL_FRAMES_MAX 512
#define PROFILE_FRAMES_MAX	  (PROFILE_KERNEL_FRAMES_MAX + USER_FRAMES_MAX)

/* What samples are told apart by, beside event and place; bits. */
enum profile_part {
	PROFILE_COMM = 1,
	PROFILE_PID = 2,
	PROFILE_TID = 4,
	PROFILE_CPU = 8,
	PROFILE_CHAIN = 16,
};

/* Of what is not told apart, all rows have 0. */
struct profile_row {
	/* the key */
	uint32_t event; /* its index in the facts */
	uint32_t comm;	/* number of a string */
	uint32_t pid, tid;
	int32_t cpu;   /* -1: not recorded */
	uint32_t text; /* what the caller tells apart besides: number of a string */
	uint32_t kernel_chain, user_chain;
	uint64_t leaf; /* the frame where the samples were taken; 0: not recorded */
	/* what was counted */
	uint64_t period, nr;
};

/* What the row of a recent sample was found by, and the row. */
struct profile_recent {
	/* the key */
	uint64_t ip;
	uint32_t pid, tid, event, text;
	int32_t cpu;
	uint32_t kernel_chain, user_chain;
	uint32_t in_user;
	/* */
	uint64_t changes; /* of the profile, when the row was found */
	uint32_t row;
};

#define PROFILE_RECENT 256 /* a power of two */

struct profile {
	const struct source_facts *facts;
	unsigned int parts;
	struct table rows;    /* nothing is removed: by number, too */
	uint64_t nr_left_out; /* samples for whose rows there was no room */
	struct intern strings;
	struct threads threads;
	struct table first_comms; /* number of ":TID" -> the first name that the thread got then */
	struct frame_chains kernel_chains;
	/* for the identities of addresses of the kernel; NULL: addresses stand for themselves */
	const struct symbols *kernel;
	struct user_stacks *user;
	uint64_t changes; /* 1 + how often a task or an address space has changed */
	struct profile_recent recent[PROFILE_RECENT];
};

/* parts: bits.  search: NULL: files are in the usual places.  The facts must outlive it. */
int profile_init(struct profile *p, const struct source_facts *facts, unsigned int parts,
		 const struct dso_search *search, struct error *err);
void profile_deinit(struct profile *p);

/* What a struct event_sink gets; the context is the profile. */
int profile_take_comm(void *profile, uint32_t tid, const char *comm);
int profile_take_fork(void *profile, uint32_t parent_tid, uint32_t tid);
int profile_take_map(void *profile, const struct source_map *map);
int profile_take_process(void *profile, enum source_process_change change, uint32_t pid,
			 uint32_t parent_pid);

/* The command of a thread at present; INTERN_NONE: no memory. */
static inline uint32_t profile_comm_of(struct profile *p, uint32_t tid)
{
	return threads_comm(&p->threads, tid);
}

/* The command of a row, when all has been read: a thread without a name has had its first one
 * from the beginning. */
uint32_t profile_row_comm(const struct profile *p, const struct profile_row *row);

static inline const char *profile_string(const struct profile *p, uint32_t number)
{
	return intern_get(&p->strings, number, NULL);
}

/* text: a number of `strings` that tells samples apart; 0 if none does. */
int profile_add(struct profile *p, const struct sample *sample, uint32_t text);

static inline const struct profile_row *profile_row(const struct profile *p, uint32_t i)
{
	return table_row(&p->rows, i);
}

/* Samples that have lost their callchain, or a part of it, to the limits. */
uint64_t profile_chains_left_out(const struct profile *p);

/* Is there an address of the kernel? */
bool profile_has_kernel(const struct profile *p);

/* The callchain of a row, innermost first, without the leaf unless that is in the chain; valid
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
