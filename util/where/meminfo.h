/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct meminfo: the counters of /proc/meminfo, and those of /proc/vmstat and /proc/zoneinfo that
 * a balance needs besides, in bytes. -1 if the kernel does not have a counter.
 */
#ifndef WHERE_MEMINFO_H
#define WHERE_MEMINFO_H

#include <stdint.h>

#include "util/where/texts.h"

#define MEMINFO_COUNTERS(COUNTER)                                                                  \
	COUNTER(total, "MemTotal")                                                                 \
	COUNTER(free, "MemFree")                                                                   \
	COUNTER(buffers, "Buffers")                                                                \
	COUNTER(cached, "Cached")                                                                  \
	COUNTER(swap_cached, "SwapCached")                                                         \
	COUNTER(active_anon, "Active(anon)")                                                       \
	COUNTER(inactive_anon, "Inactive(anon)")                                                   \
	COUNTER(active_file, "Active(file)")                                                       \
	COUNTER(inactive_file, "Inactive(file)")                                                   \
	COUNTER(unevictable, "Unevictable")                                                        \
	COUNTER(anon, "AnonPages")                                                                 \
	COUNTER(shmem, "Shmem")                                                                    \
	COUNTER(kreclaimable, "KReclaimable")                                                      \
	COUNTER(slab, "Slab")                                                                      \
	COUNTER(slab_reclaimable, "SReclaimable")                                                  \
	COUNTER(slab_unreclaimable, "SUnreclaim")                                                  \
	COUNTER(kernel_stack, "KernelStack")                                                       \
	COUNTER(page_tables, "PageTables")                                                         \
	COUNTER(sec_page_tables, "SecPageTables")                                                  \
	COUNTER(vmalloc, "VmallocUsed")                                                            \
	COUNTER(percpu, "Percpu")                                                                  \
	COUNTER(hugetlb, "Hugetlb")                                                                \
	COUNTER(huge_page, "Hugepagesize")                                                         \
	COUNTER(zswap, "Zswap")                                                                    \
	COUNTER(bounce, "Bounce")                                                                  \
	COUNTER(writeback_tmp, "WritebackTmp")                                                     \
	COUNTER(gpu_active, "GPUActive")                                                           \
	COUNTER(gpu_reclaim, "GPUReclaim")                                                         \
	COUNTER(corrupted, "HardwareCorrupted")                                                    \
	COUNTER(cma_total, "CmaTotal")                                                             \
	COUNTER(cma_free, "CmaFree")                                                               \
	COUNTER(balloon, "Balloon")

/* Counters of /proc/vmstat, which has pages. */
#define VMSTAT_COUNTERS(COUNTER)                                                                   \
	COUNTER(zspages, "nr_zspages")                                                             \
	COUNTER(isolated_anon, "nr_isolated_anon")                                                 \
	COUNTER(isolated_file, "nr_isolated_file")

#define MEMINFO_MEMBER(name, word) int64_t name;

struct meminfo {
	MEMINFO_COUNTERS(MEMINFO_MEMBER)
	VMSTAT_COUNTERS(MEMINFO_MEMBER)
	int64_t nr_huge_pages; /* HugePages_Total: a number */
};

void meminfo_read(struct meminfo *m, const struct where_texts *texts);

/* 0 if the kernel does not have the counter. */
static inline int64_t meminfo_bytes(int64_t counter)
{
	return counter > 0 ? counter : 0;
}

/* Pages of a zone, in bytes. */
struct meminfo_zone {
	char name[64];	 /* "node 0, Normal" */
	int64_t managed; /* by the page allocator */
	int64_t free;
	int64_t lists; /* in per-CPU lists */
};

#define MEMINFO_ZONES_MAX 1024

/* Read the zones of /proc/zoneinfo. Returns their number; zones is an array of
 * MEMINFO_ZONES_MAX. */
size_t meminfo_read_zones(struct meminfo_zone *zones, const struct where_texts *texts);

#endif
