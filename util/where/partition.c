// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/partition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/where/meminfo.h"
#include "util/where/page_sites.h"
#include "util/where/slab_part.h"
#include "util/where/vmalloc_part.h"

/* The line before the last one. */
#define RANK_FREE 1

struct making {
	struct balance *b;
	struct meminfo m;
	const struct holders *holders;
	const struct where_texts *texts;
};

/* Set the holders of a line to the processes with the largest numbers. */
static void set_largest(struct making *k, uint32_t line, enum holder_number number)
{
	struct strbuf who = STRBUF_INIT;

	holders_add_largest(k->holders, number, &who);
	k->b->failed |= who.failed;
	balance_set_who(k->b, line, who.buf);
	strbuf_deinit(&who);
}

/* Add a line unless it is 0 or unknown. */
static uint32_t add_known(struct making *k, uint32_t parent, const char *id, const char *label,
			  int64_t bytes)
{
	return bytes > 0 ? balance_add(k->b, parent, id, label, bytes) : BALANCE_NONE;
}

/* ---- user memory ----------------------------------------------------------------------------- */

/* Pages of the swap cache that are neither mapped nor shmem. */
static int64_t unmapped_swap_cache(const struct meminfo *m)
{
	const int64_t most = meminfo_bytes(m->swap_cached);
	int64_t bytes;

	if (!most || m->active_anon < 0)
		return most;
	bytes = m->active_anon + meminfo_bytes(m->inactive_anon) + meminfo_bytes(m->active_file) +
		meminfo_bytes(m->inactive_file) + meminfo_bytes(m->unevictable) +
		meminfo_bytes(m->isolated_anon) + meminfo_bytes(m->isolated_file) -
		meminfo_bytes(m->cached) - meminfo_bytes(m->buffers) - meminfo_bytes(m->anon);
	return bytes < 0 ? 0 : bytes < most ? bytes : most;
}

/* Shmem by file system. Files without a mount: memfd, System V, shared anonymous memory. */
static void add_shmem(struct making *k, uint32_t user)
{
	uint32_t shmem = add_known(k, user, "shmem", "shared memory and tmpfs", k->m.shmem);
	const struct holder *h;
	size_t at = 0;

	set_largest(k, shmem, HOLDER_NR_shmem);
	while ((h = holders_next(k->holders, HOLDER_tmpfs, &at))) {
		struct strbuf id = STRBUF_INIT;

		strbuf_addstr(&id, h->name);
		if (h->v[HOLDER_NR_pid])
			strbuf_addf(&id, " (of pid %" PRId64 ")", h->v[HOLDER_NR_pid]);
		k->b->failed |= id.failed;
		balance_add(k->b, shmem, id.buf, NULL, h->v[HOLDER_NR_bytes]);
		strbuf_deinit(&id);
	}
	/* tmpfs counts pages in swap, too: the rest may be negative */
	balance_add_rest(k->b, shmem, "rest", "in no mounted file system (memfd, shm)");
}

static void add_user(struct making *k)
{
	const struct meminfo *m = &k->m;
	const int64_t file = meminfo_bytes(m->cached) - meminfo_bytes(m->shmem);
	const int64_t swap_cache = unmapped_swap_cache(m);
	uint32_t user = balance_add(k->b, BALANCE_ROOT, "user", "user memory and page cache",
				    meminfo_bytes(m->anon) + meminfo_bytes(m->cached) +
					    meminfo_bytes(m->buffers) + swap_cache);

	set_largest(k, add_known(k, user, "anon", "memory of processes", m->anon), HOLDER_NR_anon);
	add_shmem(k, user);
	if (file)
		balance_add(k->b, user, "page_cache", "page cache", file);
	add_known(k, user, "buffers", "page cache of block devices", m->buffers);
	add_known(k, user, "swap_cache", "swap cache, not mapped", swap_cache);
}

/* ---- the kernel's ---------------------------------------------------------------------------- */

static void add_page_tables(struct making *k)
{
	const int64_t user = meminfo_bytes(k->m.page_tables);
	const int64_t secondary = meminfo_bytes(k->m.sec_page_tables);
	uint32_t line = add_known(k, BALANCE_ROOT, "page_tables", "page tables", user + secondary);

	if (secondary) {
		balance_add(k->b, line, "primary", "of processes", user);
		balance_add(k->b, line, "secondary", "of KVM and the IOMMU", secondary);
	}
	set_largest(k, line, HOLDER_NR_page_tables);
}

static void add_percpu(struct making *k)
{
	const struct holder *first;
	int64_t bytes = k->m.percpu;
	size_t at = 0;

	first = holders_next(k->holders, HOLDER_percpu_first, &at);
	if (first)
		bytes -= first->v[HOLDER_NR_bytes];
	add_known(k, BALANCE_ROOT, "percpu", "per-CPU allocations", bytes);
}

static void add_hugetlb(struct making *k)
{
	uint32_t line = add_known(k, BALANCE_ROOT, "hugetlb", "huge pages (hugetlb)", k->m.hugetlb);
	const struct holder *h;
	size_t at = 0;

	while ((h = holders_next(k->holders, HOLDER_hugetlb, &at))) {
		char id[UNITS_BUF + 16], text[UNITS_BUF];
		const int64_t used = h->v[HOLDER_NR_bytes] - h->v[HOLDER_NR_free];

		units_bytes(text, sizeof(text), (uint64_t)h->v[HOLDER_NR_size]);
		snprintf(id, sizeof(id), "%s, in use", text);
		if (used > 0)
			balance_add(k->b, line, id, NULL, used);
		snprintf(id, sizeof(id), "%s, unused", text);
		if (h->v[HOLDER_NR_free])
			balance_add(k->b, line, id, NULL, h->v[HOLDER_NR_free]);
	}
	balance_add_rest(k->b, line, "rest", "changed while reading");
}

static void add_compressed(struct making *k)
{
	const int64_t zswap = meminfo_bytes(k->m.zswap);
	const struct holder *h;
	int64_t zram = 0, sum;
	uint32_t line;
	size_t at = 0;

	while ((h = holders_next(k->holders, HOLDER_zram, &at)))
		zram = balance_sum(zram, h->v[HOLDER_NR_bytes]);
	sum = balance_sum(zram, zswap);
	line = add_known(k, BALANCE_ROOT, "compressed", "compressed (zram, zswap)",
			 k->m.zspages > sum ? k->m.zspages : sum);
	if (zswap)
		balance_add(k->b, line, "zswap", NULL, zswap);
	at = 0;
	while ((h = holders_next(k->holders, HOLDER_zram, &at)))
		balance_add(k->b, line, h->name, NULL, h->v[HOLDER_NR_bytes]);
	balance_add_rest(k->b, line, "rest", "changed while reading");
}

static void add_others(struct making *k)
{
	const struct meminfo *m = &k->m;

	add_known(k, BALANCE_ROOT, "reclaimable", "other reclaimable kernel memory",
		  meminfo_bytes(m->kreclaimable) - meminfo_bytes(m->slab_reclaimable));
	add_known(k, BALANCE_ROOT, "io_copies", "copies of pages being written",
		  meminfo_bytes(m->bounce) + meminfo_bytes(m->writeback_tmp));
	add_known(k, BALANCE_ROOT, "gpu", "GPU",
		  meminfo_bytes(m->gpu_active) + meminfo_bytes(m->gpu_reclaim));
	add_known(k, BALANCE_ROOT, "corrupted", "broken, not used again", m->corrupted);
}

/*
 * Kernels of some virtual machines count memory that the host has taken back as free and in
 * MemTotal, while no zone manages it.
 */
static int64_t outside_zones(const struct making *k, int64_t managed)
{
	int64_t bytes = k->m.total - managed;

	return managed && bytes > 0 && bytes <= meminfo_bytes(k->m.free) ? bytes : 0;
}

static void add_free(struct making *k)
{
	struct meminfo_zone *zones = calloc(MEMINFO_ZONES_MAX, sizeof(*zones));
	size_t nr = zones ? meminfo_read_zones(zones, k->texts) : 0;
	int64_t bytes = 0, lists = 0, managed = 0, outside;
	uint32_t line;

	k->b->failed |= !zones;
	for (size_t i = 0; i < nr; i++) {
		managed = balance_sum(managed, zones[i].managed);
		bytes = balance_sum(bytes, zones[i].free);
		lists = balance_sum(lists, zones[i].lists);
	}
	outside = outside_zones(k, managed);
	bytes = balance_sum(balance_sum(bytes, lists), outside);
	line = balance_add(k->b, BALANCE_ROOT, "free", "free",
			   nr ? bytes : meminfo_bytes(k->m.free));
	balance_set_rank(k->b, line, RANK_FREE);
	for (size_t i = 0; i < nr; i++)
		add_known(k, line, zones[i].name, NULL, zones[i].free);
	add_known(k, line, "lists", "in per-CPU lists", lists);
	add_known(k, line, "outside", "counted as free, but in no zone", outside);
	free(zones);
}

/* The last line, unless everything adds up to the byte. */
static void add_unaccounted(struct making *k)
{
	page_sites_add(k->b, balance_add_rest(k->b, BALANCE_ROOT, "unaccounted", NULL), k->texts);
}

/* ---- the sentence about missing texts -------------------------------------------------------- */

static void add_missing(struct partition *p, const struct where_texts *texts)
{
	static const char *const lacks[WHERE_TEXTS_NR] = {
		[WHERE_ZONEINFO] = "free pages by zone",
		[WHERE_SLABINFO] = "the caches of slab",
		[WHERE_VMALLOCINFO] = "the callers of vmalloc",
		[WHERE_SOCKSTAT] = "buffers of sockets",
		[WHERE_HOLDERS] = "holders",
	};
	struct strbuf *sb = &p->missing;
	const struct holder *h;
	size_t at = 0;

	for (int i = 0; i < WHERE_TEXTS_NR; i++)
		if (texts->v[i].missing && lacks[i])
			strbuf_addf(sb, "%s%s (%s: %s)", sb->len ? ", " : "Missing: ", lacks[i],
				    where_text_name(i), texts->v[i].missing);
	while ((h = holders_next(&p->holders, HOLDER_skipped, &at))) {
		if (h->v[HOLDER_NR_denied])
			strbuf_addf(sb,
				    "%sdescriptors of %" PRId64 " processes (only root may read "
				    "them)",
				    sb->len ? ", " : "Missing: ", h->v[HOLDER_NR_denied]);
		if (h->v[HOLDER_NR_late])
			strbuf_addf(sb, "%s%" PRId64 " processes (out of time)",
				    sb->len ? ", " : "Missing: ", h->v[HOLDER_NR_late]);
	}
}

int partition_init(struct partition *p, const struct where_texts *texts)
{
	const struct strbuf *holders = &texts->v[WHERE_HOLDERS].text;
	struct making k = {.b = &p->balance, .holders = &p->holders, .texts = texts};

	*p = (struct partition){.missing = STRBUF_INIT};
	meminfo_read(&k.m, texts);
	balance_init(&p->balance, meminfo_bytes(k.m.total));
	holders_init(&p->holders, holders->buf, holders->len);
	add_user(&k);
	slab_part_add(k.b, &k.m, texts, k.holders);
	add_page_tables(&k);
	vmalloc_part_add(k.b, &k.m, texts);
	set_largest(&k, balance_add(k.b, BALANCE_ROOT, "kernel_stacks", NULL, 0),
		    HOLDER_NR_threads);
	add_percpu(&k);
	add_hugetlb(&k);
	add_compressed(&k);
	add_others(&k);
	add_free(&k);
	add_unaccounted(&k);
	balance_finish(&p->balance);
	extras_init(&p->extras, &k.m, texts, k.holders);
	add_missing(p, texts);
	if (!p->balance.failed && !p->holders.failed && !p->extras.failed && !p->missing.failed &&
	    k.m.total > 0)
		return 0;
	partition_deinit(p);
	return k.m.total > 0 ? -ENOMEM : -EINVAL;
}

void partition_deinit(struct partition *p)
{
	extras_deinit(&p->extras);
	balance_deinit(&p->balance);
	holders_deinit(&p->holders);
	strbuf_deinit(&p->missing);
}
