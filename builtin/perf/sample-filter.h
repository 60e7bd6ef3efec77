/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample_filter: which samples of a recording script, report and annotate take, and the
 * options that say it.
 *
 * Strings are lists as the user typed them (util/base/word_list.h), borrowed from argv.
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
	uint64_t start_ns, stop_ns;	 /* both are taken */
};

/* All of them; those of CPUs only. */
extern const struct option sample_filter_options[];
extern const struct option sample_filter_cpu_options[];

/* Takes every sample. */
void sample_filter_init(struct sample_filter *f);
void sample_filter_deinit(struct sample_filter *f);

/* Is it of a wanted time and CPU? */
bool sample_filter_takes_sample(const struct sample_filter *f, const struct sample *sample);

/* Is this a wanted command, process and thread? */
bool sample_filter_takes_thread(const struct sample_filter *f, const char *comm, uint32_t pid,
				uint32_t tid);

#endif
