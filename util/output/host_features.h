/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The features that describe the recording machine and the recorded events.
 *
 * Data that cannot be read on this machine (no such file in /sys) are omitted; the only error is
 * -ENOMEM. The keys of HEADER_RECORDING_INFO are described in perfdata/format.h. Facts:
 * perf.data-file-format.txt, sysfs ABI (devices/system/{cpu,node}), proc(5).
 */
#ifndef OUTPUT_HOST_FEATURES_H
#define OUTPUT_HOST_FEATURES_H

#include "util/host/cpulist.h"
#include "util/host/slab_counts.h"
#include "util/output/evlist.h"
#include "util/perfdata/feature_writer.h"

/* Hostname, kernel, CPUs, memory, NUMA nodes, command line, the running kernel's build-id. */
int host_features_add(struct perfdata_features *f, const char *version, struct error *err);

/* HEADER_EVENT_DESC */
int host_features_add_events(struct perfdata_features *f, const struct evlist *l,
			     struct error *err);

/*
 * Append lines of HEADER_RECORDING_INFO: facts known at the start, the clock, and facts known at
 * the end, among them the counts of slab objects. filter: the kernel's, for all events, or NULL;
 * wall_clock_ns: start of the file, since 1970; gone: CPUs that went offline; counts: per evsel.
 * Caches without objects are omitted from slab counts, which may be NULL. Returns 0, or -ENOMEM.
 */
int host_info_machine(struct strbuf *sb, const char *filter);
int host_info_clock(struct strbuf *sb, uint64_t wall_clock_ns);
int host_info_counts(struct strbuf *sb, const struct evlist *l, const struct cpulist *gone,
		     const struct event_counts *counts);
int host_info_slab_counts(struct strbuf *sb, const struct slab_counts *counts);

/* HEADER_COMPRESSED, for a file compressed by perfdata/pack.h. */
int host_features_add_compressed(struct perfdata_features *f, int level);

#endif
