/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct capture_backend: an origin of events: perf_event_open, or BPF programs.
 *
 * A backend has an evlist, a buffer for each CPU, and the kernel's counts of the events. Everything
 * after it is the same for all backends: records, batches, output. It is a table of operations; it
 * owns its evlist, whose ids the output needs, and its state. Options and target belong to the
 * recorder, and must outlive it.
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
 * (seen: milliseconds, thousands of samples). Samples older than this limit are visible.
 */
#define HIDDEN_MAX_NS 50000000ULL

struct capture_backend_ops {
	const char *name;	     /* name for --via */
	unsigned int drain_every_ms; /* longest time between drains */

	/* Everything that can fail for lack of permission or memory; nothing is recorded yet.
	 * deinit is needed even after an error. */
	int (*open)(struct capture_backend *k, const struct tracefs *t, struct error *err);
	int (*enable)(struct capture_backend *k, struct error *err);
	/* When it returns, each recorded event is in a buffer; recording stopped at
	 * *ret_stop_ns. */
	void (*disable)(struct capture_backend *k, uint64_t *ret_stop_ns);
	/* Move the records in the buffers to the output, and end rounds. */
	int (*drain)(struct capture_backend *k, struct output *out, struct error *err);
	/* Pause, and add the contents of overwritten buffers; resume unless this is the last time.
	 * *ret_discarded is true if older records were overwritten. NULL if this backend does not
	 * overwrite. */
	int (*snapshot)(struct capture_backend *k, bool last, uint64_t *ret_stop_ns,
			bool *ret_discarded, struct output *out, struct error *err);
	/* Read the kernel's counts since enabling, delivered or lost, into the evsels. */
	int (*read_counts)(struct capture_backend *k, struct error *err);
	/* Bytes in the fullest buffer. */
	uint64_t (*unread)(const struct capture_backend *k);
	/* The clock of the samples, ns. Returns 0, or -errno. */
	int (*clock)(uint64_t *ret_ns);
	/* Find CPUs that went offline, which ended their events. NULL if events survive that. */
	int (*look_at_cpus)(struct capture_backend *k, const struct cpulist *online);
	void (*deinit)(struct capture_backend *k);
};

struct capture_backend {
	const struct capture_backend_ops *ops;
	const struct recorder_options *options;
	const struct record_target *target;
	struct evlist evlist;
	char filter[64];       /* excludes the recorder itself; empty: no filter */
	uint64_t buffer_bytes; /* size of each CPU's buffer */
	uint64_t etext;	       /* the address of the kernel's _etext; 0 if unknown */
	bool refused;	       /* the kernel refused programs that it should take */
	bool kernel_frees;     /* beside those of tasks, all frees by the kernel itself come */
	int *fds;	       /* nr_fds descriptors, readable when a buffer must be drained */
	size_t nr_fds;
	struct cpulist gone; /* CPUs that went offline, which ended their events */
	void *state;	     /* the backend's own state */
};

/* perf_event_open; and BPF programs, whose events become the records that the kernel would have
 * written. */
extern const struct capture_backend_ops perf_backend, bpf_backend;

/* Find by name. Returns 0, or -EINVAL if there is none. */
int record_via_parse(const char *name, enum record_via *ret_via);

/* Set k->filter to exclude the recorder, unless the options or the target say otherwise. */
void capture_backend_hide_self(struct capture_backend *k);

/*
 * Open the requested backend, or the better one of those that support the options: BPF costs the
 * machine less, and also delivers events of softirqs over an idle CPU.
 */
int capture_backend_open(struct capture_backend *k, const struct recorder_options *options,
			 const struct record_target *target, const struct tracefs *t,
			 struct error *err);

/* At any time after capture_backend_open(), or on a zeroed backend. */
void capture_backend_deinit(struct capture_backend *k);

#endif
