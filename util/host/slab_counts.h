/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct slab_counts: the kernel's own count of the objects in each slab cache, read twice.
 *
 * /proc/slabinfo (for root) counts objects in use, with or without an event. Its counts are upper
 * bounds: SLUB counts each object of a slab that a CPU works on as in use (mm/slub.c:
 * get_slabinfo() subtracts only free objects of the nodes' partial slabs). `hidden` is the most
 * that may be free among them:
 *
 *   CPUs x objects per slab x (1 + slabs on the CPU's partial list),
 *       at most 2 * cpu_partial / objects per slab of these (slub_set_cpu_partial());
 *   sheaf_capacity x (3 sheaves for each CPU + 10 full ones in each node's barn)
 *       (since 6.18: struct slub_percpu_sheaves, MAX_FULL_SHEAVES);
 *   free objects beyond 10000, as only 10000 partial slabs are counted and the rest is estimated
 *       (since 6.10: MAX_PARTIAL_TO_SCAN);
 *   in CONFIG_SLAB (before 6.8) the limit of each CPU's array, and the nodes' shared arrays.
 *
 * A cache's true growth therefore differs from the counted one by at most `hidden`. The random
 * copies kmalloc-rnd-NN-N are counted as kmalloc-N, which is their name in events. Merged caches
 * have the same single name as in events.
 */
#ifndef HOST_SLAB_COUNTS_H
#define HOST_SLAB_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/host/slab_caches.h"

/* The first reading, and the latest. */
enum { SLAB_START, SLAB_LATEST, SLAB_READINGS };

struct slab_count {
	char *name;
	/* 0 objects at the start if the cache is younger, now if it was destroyed */
	uint64_t used[SLAB_READINGS], objects[SLAB_READINGS];
	uint64_t object_bytes, per_slab;
	uint64_t hidden;
};

struct slab_counts {
	uint64_t time_ns[SLAB_READINGS]; /* on the clock of the events */
	unsigned int nr_readings;	 /* 0: unreadable; 1: only the first */
	bool whole;	      /* the events are those of all tasks and CPUs, without a filter */
	struct slab_count *v; /* sorted by name */
	size_t nr, cap;
};

/* A cache's objects in use, now and at the start. */
struct slab_growth {
	uint64_t used, before;
	int64_t objects;      /* used - before */
	uint64_t uncertainty; /* of `objects`, in either direction */
	/* Most objects in use that the events may attribute to another cache: kmalloc() from
	 * separate buckets (msg_msg-256, since 6.11) is kmalloc-256 there. */
	uint64_t elsewhere;
};

void slab_counts_deinit(struct slab_counts *c);

/*
 * Read the counts. slabinfo, caches: SLAB_CACHES_INFO, SLAB_CACHES_DIR, or those of a test. Returns
 * 0, also if they cannot be read, or -ENOMEM.
 */
int slab_counts_read(struct slab_counts *c, const char *slabinfo, const char *caches,
		     uint64_t time_ns);

/* The latest reading becomes the first. */
void slab_counts_restart(struct slab_counts *c);

/* Add a cache of a recording, with a name larger than all others. Returns NULL if out of memory. */
struct slab_count *slab_counts_add(struct slab_counts *c, const char *name);

/* Returns false if there are no two readings, or no such cache. */
bool slab_counts_growth(const struct slab_counts *c, const char *name, struct slab_growth *ret);

/* All caches together, as slabtop has them, by the latest reading. */
struct slab_totals {
	uint64_t used, objects; /* objects in use, and all */
	uint64_t used_bytes, bytes;
};

/* Zero if there is no reading. */
struct slab_totals slab_counts_totals(const struct slab_counts *c);

/*
 * ---- a line of /proc/slabinfo (mm/slab_common.c, version 2.1) ----
 *
 *	# name  <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit>
 *	<batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>
 */

/* The first words of the file. */
#define SLABINFO_MAGIC "slabinfo - version: "

/* Initial size; names may be longer, but few are. */
#define SLABINFO_NAME_MAX 255

struct slabinfo_cache {
	char name[SLABINFO_NAME_MAX + 1];
	uint64_t active, objects, object_bytes, per_slab, slab_pages, slabs;
	uint64_t limit, batch, shared; /* of CONFIG_SLAB, before 6.8; 0 in SLUB */
};

/* Returns false if it does not describe a cache. The text is modified. */
bool slabinfo_parse(char *text, size_t len, struct slabinfo_cache *ret);

#endif
