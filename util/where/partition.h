/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The partition of MemTotal: makes a balance from the texts of a kernel.
 *
 * Each page of MemTotal is in one line. MemTotal counts the pages that the page allocator got
 * (mm/page_alloc.c: totalram_pages()), without the kernel's image, struct page and the per-CPU
 * data of the start. Names are those of /proc/meminfo (fs/proc/meminfo.c) unless another file is
 * stated.
 *
 *	user           AnonPages, Shmem, Cached - Shmem, Buffers, swap cache that is not mapped.
 *	               Cached includes Shmem (filemap.c: NR_SHMEM is part of NR_FILE_PAGES).
 *	               AnonPages includes mapped pages of the swap cache (rmap.c), so that its rest
 *	               is all LRU lists - Cached - Buffers - AnonPages, at most SwapCached
 *	slab           SReclaimable, SUnreclaim; by cache from /proc/slabinfo: slabs * pages. The
 *	               rest is large kmalloc (slub.c: kmalloc over two pages has no cache, but
 *	               counts as NR_SLAB_UNRECLAIMABLE since 5.4)
 *	reclaimable    KReclaimable - SReclaimable (NR_KERNEL_MISC_RECLAIMABLE)
 *	page_tables    PageTables, SecPageTables (KVM, since 6.1; IOMMU, since 6.11)
 *	kernel_stacks  KernelStack
 *	vmalloc        VmallocUsed (vmalloc.c: nr_vmalloc_pages, since 5.3) without kernel stacks,
 *	               which are vmalloc areas, too, with CONFIG_VMAP_STACK (fork.c); by caller
 *	               from the areas of /proc/vmallocinfo that own pages; those of vmap() and
 *	               ioremap() do not. Areas with VM_MAP_PUT_PAGES do, and VmallocUsed lacks them
 *	percpu         Percpu without the first chunk, which precedes the page allocator
 *	               (percpu.c: pcpu_setup_first_chunk())
 *	hugetlb        Hugetlb
 *	compressed     nr_zspages of /proc/vmstat (zsmalloc: zram, zswap); Zswap and zram if they
 *	               are more, as zswap may have another allocator
 *	io_copies      Bounce, WritebackTmp: copies of pages that are being written
 *	gpu            GPUActive, GPUReclaim (since 6.19)
 *	corrupted      HardwareCorrupted
 *	free           free pages of the zones and their per-CPU lists, from /proc/zoneinfo; without
 *	               it MemFree, which lacks these lists
 *	unaccounted    what is left: pages that their users do not count; by call site, where
 *	               page_owner_stacks has the other pages (page_sites.h)
 *
 * Sockets, BPF maps, trace buffers and the like are made of slab, vmalloc, percpu or unaccounted
 * pages. They are not in the balance, but in a list beside it (extras.h).
 */
#ifndef WHERE_PARTITION_H
#define WHERE_PARTITION_H

#include "util/base/strbuf.h"
#include "util/where/balance.h"
#include "util/where/extras.h"
#include "util/where/holders.h"
#include "util/where/texts.h"

struct partition {
	struct balance balance;
	struct holders holders;
	struct extras extras;
	struct strbuf missing; /* a sentence about the texts that could not be read; "" if none */
};

/* Errors: -ENOMEM; -EINVAL if meminfo has no MemTotal. */
int partition_init(struct partition *p, const struct where_texts *texts);
void partition_deinit(struct partition *p);

#endif
