/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kthread_names: names of kernel threads that start while perf_event_open records.
 *
 * Since 6.5 a kernel thread starts with its own name ("kernel: Allow a kernel thread's name to be
 * set in copy_process"), so no COMM record follows its FORK, and readers give it the name of its
 * parent, kthreadd. The tracepoint task:task_newtask has its name: kthreadd's events are read from
 * separate buffers and become COMM records.
 */
#ifndef CAPTURE_KTHREAD_NAMES_H
#define CAPTURE_KTHREAD_NAMES_H

#include "util/capture/rings.h"

struct kthread_names {
	struct evlist evlist;
	struct rings rings;
	uint32_t pid_at, comm_at; /* position in the raw data */
	uint64_t id;		  /* of the recorded events, for the COMM records */
};

/* Open and enable. A zeroed struct, or one after an error, has no names; the error has the
 * reason. */
int kthread_names_init(struct kthread_names *k, const struct tracefs *t, const struct cpulist *cpus,
		       uint64_t id, struct error *err);
void kthread_names_deinit(struct kthread_names *k);

/* Append a COMM record for each kernel thread that has started. Returns 0, or -ENOMEM. */
int kthread_names_drain(struct kthread_names *k, struct strbuf *out);

#endif
