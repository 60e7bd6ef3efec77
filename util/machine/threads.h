/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct threads: the current name of each thread.
 *
 * Fed with COMM and FORK records in time order. Names are numbers of interned strings; the caller
 * owns the intern and may forget a name that neither a thread nor the caller uses. Thread numbers
 * beyond the kernel's limit are ignored, and names are truncated to 64 bytes.
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
	uint32_t nr_ended;  /* ended threads whose names are kept */
	bool has_lifetimes; /* the source reports starts and ends of threads */
};

void threads_init(struct threads *t, struct intern *strings);
void threads_deinit(struct threads *t);

/* Errors: -ENOMEM. */
int threads_set_comm(struct threads *t, uint32_t tid, const char *comm);

/* A new thread inherits its parent's name. */
int threads_fork(struct threads *t, uint32_t parent_tid, uint32_t tid);

/* A thread ends. Events from before its end may still arrive. */
void threads_exit(struct threads *t, uint32_t tid);

/* Whether the thread is known and has not ended. */
bool threads_is_alive(const struct threads *t, uint32_t tid);

/* Free the names of threads that had ended before the latest sweep. Errors: -ENOMEM. */
int threads_sweep(struct threads *t);

/* Call fn with the number of each thread's name. */
void threads_for_each_name(const struct threads *t, void (*fn)(void *ctx, uint32_t name),
			   void *ctx);

/* The number of the thread's name; ":TID" for a thread without one, "swapper" for 0. INTERN_NONE if
 * out of memory. */
uint32_t threads_comm(struct threads *t, uint32_t tid);

#endif
