/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct threads: the name of each thread at the present moment of the recording.
 *
 * Fed with COMM and FORK records in time order.  Names are numbers of interned strings, which may
 * be forgotten once neither a thread nor the caller has them; the intern is the caller's.  Threads
 * that no kernel can have are ignored, and names are cut at 64 bytes.
 */
#ifndef MACHINE_THREADS_H
#define MACHINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"

struct threads {
	struct table rows; /* u64 tid -> u32 number of the name */
	struct intern *strings;
	uint32_t nr_ended;  /* ended threads that still have a name */
	bool has_lifetimes; /* the source reports which threads begin or end */
};

void threads_init(struct threads *t, struct intern *strings);
void threads_deinit(struct threads *t);

/* Errors: -ENOMEM. */
int threads_set_comm(struct threads *t, uint32_t tid, const char *comm);

/* A new thread has its parent's name until it gets its own. */
int threads_fork(struct threads *t, uint32_t parent_tid, uint32_t tid);

/* The thread ends; what it does until then may still come. */
void threads_exit(struct threads *t, uint32_t tid);

/* Is the thread known, and was its end not reported? */
bool threads_is_alive(const struct threads *t, uint32_t tid);

/* Give back those that had ended before the latest sweep. Errors: -ENOMEM. */
int threads_sweep(struct threads *t);

/* Call fn with the number of each name that a thread has. */
void threads_for_each_name(const struct threads *t, void (*fn)(void *ctx, uint32_t name),
			   void *ctx);

/* The number of the thread's name; ":TID" for threads without one, "swapper" for 0. INTERN_NONE: no
 * memory. */
uint32_t threads_comm(struct threads *t, uint32_t tid);

#endif
