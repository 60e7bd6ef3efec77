/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for the state before the recording began, read from /proc.
 *
 * The kernel reports tasks, mappings and modules only when they change, so the recording starts
 * with synthesized records (time 0, id 0): the addresses of the kernel and its modules, a COMM for
 * each thread, and the paths of control groups if samples have their ids. If user frames are
 * recorded, there is also an MMAP2 for each executable mapping, or for each mapped file. A task
 * that ends meanwhile is skipped. Records have the sample_id trailer of evlist.h. Facts: proc(5),
 * uapi/linux/perf_event.h.
 */
#ifndef OUTPUT_SYNTHESIZE_H
#define OUTPUT_SYNTHESIZE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/base/strbuf.h"
#include "util/output/evlist.h"
#include "util/output/kernel_symbols.h"

/* The end of our records that are not samples: TID, TIME, CPU, IDENTIFIER. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* Each appends whole records to out. Returns 0, or -ENOMEM. */
int synthesize_kernel(struct strbuf *out, const struct kernel_symbols *ks);

/* The mappings of processes to report. */
enum synthesize_maps {
	SYNTHESIZE_NO_MAPS,
	SYNTHESIZE_CODE_MAPS,
	SYNTHESIZE_DATA_MAPS, /* and mappings of data of files */
};

/* pids: nr_pids processes; none: all of /proc. */
int synthesize_tasks(struct strbuf *out, const pid_t *pids, size_t nr_pids,
		     enum synthesize_maps maps);

/* Changes of a task while it is recorded: its name, its start (id: of its parent), its end. */
int synthesize_comm(struct strbuf *out, uint32_t pid, uint32_t tid, const char *comm,
		    const struct sample_id *id);
int synthesize_fork(struct strbuf *out, uint32_t pid, uint32_t tid, const struct sample_id *id);
int synthesize_exit(struct strbuf *out, const struct sample_id *id);

/* All control groups of the machine; one of them. */
int synthesize_cgroups(struct strbuf *out);
int synthesize_cgroup(struct strbuf *out, uint64_t cgroup, const char *path,
		      const struct sample_id *id);

/* Lost samples: one record for each event and CPU with losses since evlist_told(). */
int synthesize_lost(struct strbuf *out, const struct evlist *l);

int synthesize_finished_round(struct strbuf *out);

#endif
