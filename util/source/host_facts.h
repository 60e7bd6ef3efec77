/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of this machine and its running kernel, for sources that read them directly.
 *
 * util/output/host_features.h writes the same facts into a recording. Facts that cannot be read
 * (files that only root may read) are unknown.
 */
#ifndef SOURCE_HOST_FACTS_H
#define SOURCE_HOST_FACTS_H

#include "util/source/facts.h"

/*
 * Host name, kernel, CPUs, memory, NUMA nodes, page size, migrate types, slab caches, our own
 * command line, and the present time on both clocks (events: CLOCK_MONOTONIC). Errors: -ENOMEM.
 */
int source_facts_fill_from_host(struct source_facts *f);

#endif
