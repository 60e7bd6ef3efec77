/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kthread_names: the names of kernel threads that begin while perf_event_open records.
 *
 * Since 6.5 a kernel thread begins with its own name ("kernel: Allow a kernel thread's name to be
 * set in copy_process"), so no COMM record follows its FORK, and readers give it the name of its
 * parent, kthreadd.  Shown each record, this makes the COMM records, with names from /proc.  A
 * thread that has ended by then keeps its parent's name.
 */
#ifndef RECORD_KTHREAD_NAMES_H
#define RECORD_KTHREAD_NAMES_H

#include <stddef.h>

#include "util/base/strbuf.h"

struct kthread_names {
	struct kthread_birth *v; /* whose names were not read yet */
	size_t nr, cap;
};

/* Zeroed, it is empty. */
void kthread_names_deinit(struct kthread_names *k);

/* Look at a whole record. Returns 0 or -ENOMEM. */
int kthread_names_look(struct kthread_names *k, const void *record, size_t size);

/* Append a COMM record for each kernel thread seen since the last call. Returns 0 or -ENOMEM. */
int kthread_names_add(struct kthread_names *k, struct strbuf *out);

#endif
