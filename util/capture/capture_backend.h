/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct capture_backend: where a recording gets its events from.
 *
 * An evlist, the buffers of each CPU that its events go through, and the kernel's counts of them.
 * What is between that and the file is the same for all backends: records, batches, output.  A
 * backend is a table of operations; it owns its evlist, whose ids the output needs, and its state.
 * Options and target are the recorder's, and must outlive it.
 */
#ifndef CAPTURE_CAPTURE_BACKEND_H
#define CAPTURE_CAPTURE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "util/capture/recorder_options.h"
#include "util/output/output.h"

/* CPUs and tasks, from target.h. */
struct record_target {
	struct cpulist cpus;
	pid_t *tids; /* nr_tids recorded tasks; none: all tasks of the CPUs */
	size_t nr_tids;
};

struct capture_backend;

/*
 * A sample may stay hidden while a softirq that interrupted the writing of an earlier one runs
 * (seen: milliseconds, thousands of samples).  What is older than this is not.
 */
#define HIDDEN_MAX_NS 50000000ULL

struct capture_backend_ops {
	const char *name;	     /* as after --via */
	unsigned int drain_every_ms; /* at least so often */

	/* Everything that can fail for want of permission or memory; nothing is recorded yet. After
	 * an error, deinit is called, too. */
	int (*open)(struct capture_backend *k, const struct tracefs *t, struct error *err);
	int (*enable)(struct capture_backend *k, struct error *err);
	/* When it returns, each event recorded is in a buffer; stopped at *ret_stop_ns. */
	void (*disable)(struct capture_backend *k, uint64_t *ret_stop_ns);
	/* Move what is in the buffers to the output, and end rounds. */
	int (*drain)(struct capture_backend *k, struct output *out, struct error *err);
	/* Pause, and add what the overwritten buffers have; resume unless this is the last time.
	 * True in *ret_discarded: there had been more. NULL: this backend does not overwrite. */
	int (*snapshot)(struct capture_backend *k, bool last, uint64_t *ret_stop_ns,
			bool *ret_discarded, struct output *out, struct error *err);
	/* Read the kernel's counts into the evsels: since enabled, delivered or lost. */
	int (*read_counts)(struct capture_backend *k, struct error *err);
	/* Bytes in the fullest buffer. */
	uint64_t (*unread)(const struct capture_backend *k);
	/* The clock of the samples, ns. Returns 0 or -errno. */
	int (*clock)(uint64_t *ret_ns);
	/* Which CPUs have gone offline, and their events with them? NULL: events outlive that. */
	int (*look_at_cpus)(struct capture_backend *k, const struct cpulist *online);
	void (*deinit)(struct capture_backend *k);
};

struct capture_backend {
	const struct capture_backend_ops *ops;
	const struct recorder_options *options;
	const struct record_target *target;
	struct evlist evlist;
	char filter[64];       /* hides the recorder itself; empty: no filter */
	uint64_t buffer_bytes; /* each CPU's */
	uint64_t etext;	       /* the address of the kernel's _etext; 0: not known */
	int *fds;	       /* nr_fds of them: readable when a buffer wants to be drained */
	size_t nr_fds;
	struct cpulist gone; /* CPUs whose events ended because they went offline */
	void *state;	     /* the backend's own */
};

/* perf_event_open; and BPF programs, whose events become the records that the kernel would have
 * written. */
extern const struct capture_backend_ops perf_backend, bpf_backend;

/* By the name of a backend. Returns 0, or -EINVAL if there is none. */
int record_via_parse(const char *name, enum record_via *ret_via);

/* Unless the options or the target say otherwise, the recorder hides itself: fills k->filter. */
void capture_backend_hide_self(struct capture_backend *k);

/*
 * Open the backend that the options name, or else the better one of those that can do what they ask
 * for: BPF costs the machine less, and delivers what softirqs do over an idle CPU, too.
 */
int capture_backend_open(struct capture_backend *k, const struct recorder_options *options,
			 const struct record_target *target, const struct tracefs *t,
			 struct error *err);

/* At any time after capture_backend_open(), or on a zeroed backend. */
void capture_backend_deinit(struct capture_backend *k);

#endif
