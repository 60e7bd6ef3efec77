/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for what existed before the recording began, read from /proc.
 *
 * The kernel reports tasks, mappings and modules only when they change, so the recording starts
 * with synthesized records (time 0, id 0): the addresses of the kernel and its modules, a COMM for
 * each thread, and, only if user frames are recorded, an MMAP2 for each executable mapping. A task
 * that ends meanwhile is skipped.  Records have the sample_id trailer of evlist.h. Facts: proc(5),
 * uapi/linux/perf_event.h.
 */
#ifndef RECORD_SYNTHESIZE_H
#define RECORD_SYNTHESIZE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/base/strbuf.h"
#include "util/record/evlist.h"
#include "util/record/kernel_symbols.h"

/* Each appends whole records to out; 0 or -ENOMEM. */
int synthesize_kernel(struct strbuf *out, const struct kernel_symbols *ks);

/* pids: nr_pids processes, none: all of /proc. */
int synthesize_tasks(struct strbuf *out, const pid_t *pids, size_t nr_pids, bool mmaps);

/* Lost samples, one record per event and CPU that lost some since evlist_told(). */
int synthesize_lost(struct strbuf *out, const struct evlist *l);

int synthesize_finished_round(struct strbuf *out);

#endif
