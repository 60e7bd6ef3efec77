/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample_filter: the samples that script, report and annotate select, and the options for
 * it.
 *
 * Strings are lists as typed (util/base/word_list.h), borrowed from argv.
 */
#ifndef BUILTIN_PERF_SAMPLE_FILTER_H
#define BUILTIN_PERF_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/cli/options.h"
#include "util/host/cpulist.h"
#include "util/source/sample.h"

struct sample_filter {
	const char *comms, *pids, *tids; /* NULL: any */
	struct cpulist cpus;		 /* none: any */
	uint64_t start_ns, stop_ns;	 /* both inclusive */
};

/* All filter options; the CPU option only. */
extern const struct option sample_filter_options[];
extern const struct option sample_filter_cpu_options[];

/* Select every sample. */
void sample_filter_init(struct sample_filter *f);
void sample_filter_deinit(struct sample_filter *f);

/* Whether the time and the CPU are selected. */
bool sample_filter_takes_sample(const struct sample_filter *f, const struct sample *sample);

/* Whether the command, process and thread are selected. */
bool sample_filter_takes_thread(const struct sample_filter *f, const char *comm, uint32_t pid,
				uint32_t tid);

#endif
