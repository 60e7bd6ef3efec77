/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct comms: the name that each thread has at this moment of the recording.
 *
 * Fed with COMM and FORK records in the order of time.  Names are numbers of
 * interned strings; the intern is the caller's.  Threads that no kernel can have are left out,
 * names cut at 64 bytes.
 */
#ifndef KMEM_COMMS_H
#define KMEM_COMMS_H

#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"

struct comms {
	struct table threads; /* u64 tid -> u32 number of the name */
	struct intern *strings;
};

void comms_init(struct comms *c, struct intern *strings);
void comms_deinit(struct comms *c);

/* Errors: -ENOMEM. */
int comms_set(struct comms *c, uint32_t tid, const char *comm);

/* A new thread has its parent's name until it takes its own. */
int comms_fork(struct comms *c, uint32_t parent_tid, uint32_t tid);

/* Number of the thread's name; ":TID" for threads without one, "swapper" for 0. INTERN_NONE: no
 * memory. */
uint32_t comms_get(struct comms *c, uint32_t tid);

#endif
