/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct rings: one ring buffer for each recorded CPU; all events of the CPU write into it.
 *
 * The buffers are as large as requested, or by default a share of the machine's memory (1/64 for
 * all CPUs together, 64 MiB per CPU at most), in powers of two.  If the kernel refuses
 * (RLIMIT_MEMLOCK, no memory), a default is halved until it fits; for a requested size that is an
 * error.  The rings refer to an open evlist, and must be freed before it.
 */
#ifndef CAPTURE_RINGS_H
#define CAPTURE_RINGS_H

#include "util/capture/event_open.h"
#include "util/host/ring_buffer.h"
#include "util/output/batch.h"

struct cpu_ring {
	struct ring_buffer rb;
	struct batch_stream stream;
	int cpu;
	int fd;	   /* to poll; belongs to the evlist */
	bool gone; /* the CPU went offline; if it comes back, its events do not */
};

struct rings {
	struct cpu_ring *v;
	size_t nr;
	uint64_t bytes; /* each */
};

/* The bytes per CPU for a requested size (0: the default). */
uint64_t rings_bytes(uint64_t asked, size_t nr_cpus);

/*
 * bytes: from rings_bytes(); shrink: halve a size that the kernel refuses; overwrite: as for
 * opening the events.
 */
int rings_init(struct rings *r, const struct evlist *l, const struct cpulist *cpus, uint64_t bytes,
	       bool shrink, bool overwrite, struct error *err);
/* Pause and resume writing into all rings; events meanwhile are lost. */
void rings_pause(const struct rings *r, bool pause);

void rings_deinit(struct rings *r);

#endif
