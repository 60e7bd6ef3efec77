/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct counters: numbers of tracepoint events, counted by the kernel.
 *
 * Nothing is recorded: the events of an evlist are opened without buffers, and read. Times are
 * nanoseconds, summed over all counted CPUs and tasks.
 */
#ifndef CAPTURE_COUNTERS_H
#define CAPTURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/capture/event_open.h"
#include "util/output/evlist.h"

struct counter_value {
	uint64_t count;
	uint64_t enabled_ns, running_ns;
};

struct counters {
	struct evlist evlist;
};

/*
 * Open the events for these CPUs, or for these tasks and their children. on_exec: counting starts
 * when the task calls exec(2), otherwise with counters_enable(). Errors: those of evlist_open().
 */
int counters_open(struct counters *c, const struct tracefs *t, const struct event_spec_list *events,
		  const struct open_target *target, bool on_exec, struct error *err);
void counters_deinit(struct counters *c);

int counters_enable(struct counters *c, struct error *err);
void counters_disable(struct counters *c);

/* The values so far, one for each event. Errors: -EIO. */
int counters_read(const struct counters *c, struct counter_value *ret_values, struct error *err);

#endif
