/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct rings: one ring buffer for each recorded CPU; all events of the CPU write into it.
 *
 * The buffers are as large as asked, or by default a share of the machine's memory
 * (1/64 for all CPUs together, 64 MiB per CPU at most), in powers of two.  Where the kernel
 * refuses (RLIMIT_MEMLOCK, no memory) a default is halved until it fits; a size that was
 * asked for is an error then.  The rings are of an open evlist, and go before it.
 */
#ifndef RECORD_RINGS_H
#define RECORD_RINGS_H

#include "util/record/event_open.h"
#include "util/record/ring_buffer.h"

struct cpu_ring {
	struct ring_buffer rb;
	int cpu;
	int fd;	   /* to poll: the evlist's */
	bool gone; /* the CPU went offline; when it comes back its events stay away */
};

struct rings {
	struct cpu_ring *v;
	size_t nr;
	uint64_t bytes; /* each */
};

/* The bytes per CPU that an asked-for (0: default) size comes to. */
uint64_t rings_bytes(uint64_t asked, size_t nr_cpus);

/*
 * bytes: from rings_bytes(); shrink: halve what the kernel refuses; overwrite: as the
 * events were opened.
 */
int rings_init(struct rings *r, const struct evlist *l, const struct cpulist *cpus, uint64_t bytes,
	       bool shrink, bool overwrite, struct error *err);
/* Stop and go on writing into all of them; what happens between is lost. */
void rings_pause(const struct rings *r, bool pause);

void rings_deinit(struct rings *r);

#endif
