// SPDX-License-Identifier: GPL-2.0-or-later
/* The partition of MemTotal, of the texts of several kernels. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/where/partition.h"

#define KIB INT64_C(1024)

/* The same counters on every kernel: 1000 KiB of each are anon, shmem and so on. */
#define COMMON                                                                                     \
	"MemFree:           20000 kB\nMemAvailable:      40000 kB\nBuffers:             300 kB\n"  \
	"Cached:             7000 kB\nSwapCached:            0 kB\nActive(anon):        900 kB\n"  \
	"Inactive(anon):     600 kB\nActive(file):       3000 kB\nInactive(file):     3300 kB\n"   \
	"Unevictable:          0 kB\nAnonPages:          1000 kB\nMapped:              800 kB\n"   \
	"Shmem:               500 kB\nSlab:               4000 kB\nSReclaimable:       1500 kB\n"  \
	"SUnreclaim:         2500 kB\nPageTables:          400 kB\n"

static const char slabinfo[] =
	"slabinfo - version: 2.1\n# name            <active_objs> <num_objs> <objsize>\n"
	"dentry 10 21 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"
	"filp 10 21 256 16 1 : tunables 0 0 0 : slabdata 200 200 0\n"
	"kmalloc-8k 4 4 8192 4 8 : tunables 0 0 0 : slabdata 10 10 0\n";

static const char zoneinfo[] =
	"Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 1\n  pages free     "
	"100\n"
	"        min      10\n        protection: (0, 1, 2)\n  pagesets\n    cpu: 0\n"
	"              count: 3\n              high:  0\n    cpu: 1\n              count: 2\n"
	"Node 0, zone   Normal\n  pages free     4900\n      nr_free_pages 4900\n  pagesets\n"
	"    cpu: 0\n              count:    45\n              high_min: 5\n";

static const char areas_64k[] =
	"0x000000003b1f3e1a-0x000000005d6a2c11  131072 dup_task_struct+0x50/0x220 "
	"pages=100 vmalloc N0=1\n"
	"0x000000003b1f3e1b-0x000000005d6a2c12  131072 scs_alloc+0x50/0x220 "
	"pages=100 vmalloc N0=1\n";

struct expected {
	const char *path;
	int64_t bytes;
};

struct kernel {
	const char *name;
	uint32_t page_size;
	const char *texts[WHERE_TEXTS_NR];
	struct expected lines[24]; /* ends with a path that is NULL */
};

static const struct kernel kernels[] = {
	{
		/* no SecPageTables, and percpu since the first chunk is unknown */
		"5.10",
		4096,
		{[WHERE_MEMINFO] = "MemTotal:          64000 kB\n" COMMON
				   "KReclaimable:       1600 kB\nKernelStack:         320 kB\n"
				   "VmallocTotal:   34359738367 kB\nVmallocUsed:        1320 kB\n"
				   "VmallocChunk:          0 kB\nPercpu:              640 kB\n"
				   "HardwareCorrupted:     8 kB\nHugePages_Total:       1\n"
				   "Hugepagesize:       2048 kB\nHugetlb:            2048 kB\n",
		 [WHERE_VMSTAT] = "nr_free_pages 5000\nnr_zspages 25\n",
		 [WHERE_ZONEINFO] = zoneinfo,
		 [WHERE_SLABINFO] = slabinfo,
		 /* stacks: 96 pages of which 80 are in use; a vmap without pages, an ioremap */
		 [WHERE_VMALLOCINFO] =
			 "0xffffb000-0xffffb005   20480 dup_task_struct+0x4b/0x1d0 pages=4 vmalloc "
			 "N0=4\n"
			 "0xffffb005-0xffffb00a  389120 copy_process+0x1e1/0x1a80 pages=92 "
			 "vmalloc\n"
			 "0xffffb00a-0xffffb00f   45056 bpf_prog_alloc_no_stats+0x33/0xe0 pages=10 "
			 "vmalloc N0=10\n"
			 "0xffffb00f-0xffffb01f  618496 htab_map_alloc+0x1/0x2 [foo] pages=150 "
			 "vmalloc N0=150\n"
			 "0xffffb01f-0xffffb02f  299008 htab_map_alloc+0x9/0x2 [foo] pages=72 "
			 "vmalloc vpages N0=72\n"
			 "0xffffb02f-0xffffb03f    8192 acpi_os_map_iomem+0x1/0x2 phys=0x1 "
			 "ioremap\n"
			 "0xffffb03f-0xffffb04f   20480 irq_init_percpu_irqstack+0x1/0x2 vmap\n"
			 "0xffffb04f-0xffffb05f   20480 shmem_pin_map+0x1/0x2 [i915] pages=5 "
			 "vmap\n"},
		{{"user", (1000 + 7000 + 300) * KIB},
		 {"user/anon", 1000 * KIB},
		 {"user/shmem", 500 * KIB},
		 {"user/page_cache", 6500 * KIB},
		 {"user/buffers", 300 * KIB},
		 {"slab", 4000 * KIB},
		 {"slab/reclaimable/dentry", 400 * KIB},
		 {"slab/reclaimable/rest", 1100 * KIB},
		 {"slab/unreclaimable/filp", 800 * KIB},
		 {"slab/unreclaimable/kmalloc-8k", 320 * KIB},
		 {"slab/unreclaimable/large_kmalloc", 1380 * KIB},
		 {"reclaimable", 100 * KIB},
		 {"kernel_stacks", 320 * KIB},
		 {"vmalloc", (1320 - 320 + 20) * KIB},
		 {"vmalloc/free_stacks", 64 * KIB},
		 {"vmalloc/htab_map_alloc [foo]", 888 * KIB},
		 {"vmalloc/shmem_pin_map [i915]", 20 * KIB},
		 {"vmalloc/rest", 8 * KIB},
		 {"hugetlb", 2048 * KIB},
		 {"compressed", 100 * KIB},
		 {"corrupted", 8 * KIB},
		 {"free", 20200 * KIB},
		 {"free/lists", 200 * KIB}},
	},
	{
		/* the swap cache: 2000 of it, of which 700 are mapped */
		"6.1",
		4096,
		{[WHERE_MEMINFO] = "MemTotal:          64000 kB\nMemFree:           20000 kB\n"
				   "Buffers:             300 kB\nCached:             7000 kB\n"
				   "SwapCached:         2000 kB\nActive(anon):       1900 kB\n"
				   "Inactive(anon):      900 kB\nActive(file):       3000 kB\n"
				   "Inactive(file):     3300 kB\nUnevictable:         400 kB\n"
				   "Zswap:              1024 kB\nZswapped:           4096 kB\n"
				   "AnonPages:          1000 kB\nShmem:               500 kB\n"
				   "KReclaimable:       1500 kB\nSReclaimable:       1500 kB\n"
				   "SUnreclaim:         2500 kB\nKernelStack:         320 kB\n"
				   "PageTables:          400 kB\nSecPageTables:        64 kB\n"
				   "Bounce:               12 kB\nWritebackTmp:         4 kB\n"
				   "VmallocUsed:        1320 kB\nPercpu:              640 kB\n"
				   "CmaTotal:           1024 kB\nCmaFree:             512 kB\n",
		 [WHERE_VMSTAT] = "nr_isolated_anon 25\nnr_isolated_file 0\nnr_zspages 300\n",
		 [WHERE_HOLDERS] = "percpu_first bytes=262144\n"
				   "zram bytes=204800 name=zram0\n"
				   "tmpfs bytes=102400 name=/dev/shm\n"
				   "tmpfs bytes=204800 pid=7 name=/run\n"
				   "process pid=7 anon=409600 threads=3 files=40 name=postgres\n"},
		{{"user/swap_cache", 1300 * KIB},
		 {"user/shmem//dev/shm", 100 * KIB},
		 {"user/shmem//run (of pid 7)", 200 * KIB},
		 {"user/shmem/rest", 200 * KIB},
		 {"page_tables", 464 * KIB},
		 {"page_tables/secondary", 64 * KIB},
		 {"percpu", 384 * KIB},
		 {"compressed", 1224 * KIB},
		 {"compressed/zswap", 1024 * KIB},
		 {"compressed/zram0", 200 * KIB},
		 {"io_copies", 16 * KIB},
		 {"vmalloc", 1000 * KIB},
		 {"free", 20000 * KIB}},
	},
	{
		/* stacks are made with vmalloc, whose caller is kernel_clone() */
		"6.18",
		4096,
		{[WHERE_MEMINFO] = "MemTotal:          64000 kB\n" COMMON
				   "KReclaimable:       1500 kB\nKernelStack:         160 kB\n"
				   "SecPageTables:         0 kB\nVmallocUsed:        1000 kB\n"
				   "Percpu:              800 kB\nBalloon:             100 kB\n"
				   "GPUActive:           200 kB\nGPUReclaim:          300 kB\n",
		 [WHERE_ZONEINFO] = zoneinfo,
		 [WHERE_PAGE_OWNER_STACKS] =
			 " post_alloc_hook+0x8f/0x120\n __alloc_pages_noprof+0x121/0x290\n"
			 " allocate_slab+0xa6/0x480\n mine+0x1/0x2 [leaker]\nnr_base_pages: "
			 "1000\n\n"
			 " __alloc_frozen_pages_noprof+0x1/0x2\n "
			 "alloc_pages_mpol_noprof+0xd1/0x190\n"
			 " leak_pages+0x1/0x2 [leaker]\n do_one_initcall+0x1/0x2\nnr_base_pages: "
			 "30\n\n"
			 " get_free_pages_noprof+0x1/0x2\n leak_pages+0x5/0x9 [leaker]\n"
			 "nr_base_pages: 20\n\n __pte_alloc+0x1/0x2\nstack_count: 5\n\n"
			 " alloc_page_ext+0x1/0x2\nnr_base_pages: 99999999999999\n\n"
			 "nr_base_pages: 7\n cut",
		 [WHERE_VMALLOCINFO] =
			 "0x0000000068fb216d-0x00000000d4f1f5e6 20480 kernel_clone+0x94/0x3e0 "
			 "pages=30 vmalloc N0=4\n"
			 "0x0000000068fb216e-0x00000000d4f1f5e7 20480 fork_idle+0x74/0x120 "
			 "pages=10 "
			 "vmalloc N0=4\n"
			 "0x0000000068fb216e-0x00000000d4f1f5e7 20480 array_map_alloc+0x1/0x2 "
			 "pages=210 user vmalloc N0=4\n"
			 "0x0000000068fb216e-0x00000000d4f1f5e7 8388608 pcpu_get_vm_areas+0x0/0x9 "
			 "vmalloc\n"},
		{{"kernel_stacks", 160 * KIB},
		 {"vmalloc", 840 * KIB},
		 {"vmalloc/array_map_alloc", 840 * KIB},
		 {"percpu", 800 * KIB},
		 {"gpu", 500 * KIB},
		 {"unaccounted/leak_pages", 200 * KIB},
		 {"unaccounted/rest",
		  (64000 - 8300 - 4000 - 400 - 160 - 840 - 800 - 500 - 20200 - 200) * KIB},
		 {"free/node 0, Normal", 19600 * KIB}},
	},
	{
		/* stacks are pages, VmallocUsed is 0 before 5.3, and there is no Hugetlb */
		"32-bit 4.14",
		4096,
		{[WHERE_MEMINFO] =
			 "MemTotal:          64000 kB\nHighTotal:         30000 kB\n" COMMON
			 "KernelStack:         160 kB\nVmallocTotal:     122880 kB\n"
			 "VmallocUsed:           0 kB\nHugePages_Total:       2\n"
			 "HugePages_Free:        1\nHugepagesize:       4096 kB\n",
		 [WHERE_SLABINFO] = slabinfo,
		 [WHERE_VMALLOCINFO] = "0xf7800000-0xf7803000   12288 "
				       "n_tty_open+0xd/0x90 pages=2 vmalloc\n"
				       "0xf7803000-0xf7883000  528384 sys_swapon+0x4f5/0xb50 "
				       "pages=128 vmalloc\n"},
		{{"kernel_stacks", 160 * KIB},
		 {"vmalloc", 520 * KIB},
		 {"vmalloc/sys_swapon", 512 * KIB},
		 {"hugetlb", 8192 * KIB},
		 {"free", 20000 * KIB}},
	},
	{
		/* slabs and areas are in pages of 64 KiB */
		"arm64 64K",
		65536,
		{[WHERE_MEMINFO] = "MemTotal:         640000 kB\nMemFree:          320000 kB\n"
				   "Cached:              640 kB\nShmem:                 0 kB\n"
				   "SReclaimable:      12800 kB\nSUnreclaim:       25600 kB\n"
				   "KReclaimable:      12800 kB\nKernelStack:        6400 kB\n"
				   "VmallocUsed:       12800 kB\nPercpu:             6400 kB\n",
		 [WHERE_VMSTAT] = "nr_zspages 10\n",
		 [WHERE_ZONEINFO] = zoneinfo,
		 [WHERE_SLABINFO] = slabinfo,
		 [WHERE_VMALLOCINFO] = areas_64k},
		{{"slab/reclaimable/dentry", 6400 * KIB},
		 {"slab/unreclaimable/filp", 12800 * KIB},
		 {"slab/unreclaimable/kmalloc-8k", 5120 * KIB},
		 {"slab/unreclaimable/large_kmalloc", 7680 * KIB},
		 {"vmalloc/scs_alloc", 6400 * KIB},
		 {"compressed", 640 * KIB},
		 {"free", 5050 * 64 * KIB}},
	},
	{
		/* Firecracker's 6.18: the host took memory back */
		"memory in no zone",
		4096,
		{[WHERE_MEMINFO] = "MemTotal:          64000 kB\n" COMMON,
		 [WHERE_ZONEINFO] = "Node 0, zone   Normal\n  pages free     2900\n"
				    "        managed  13900\n"},
		{{"free", 20000 * KIB}, {"free/outside", 8400 * KIB}},
	},
	{
		/* without root */
		"no root",
		4096,
		{[WHERE_MEMINFO] = "MemTotal:          64000 kB\n" COMMON
				   "KernelStack:         160 kB\nVmallocUsed:        1000 kB\n"},
		{{"slab/unreclaimable", 2500 * KIB}, {"vmalloc", 840 * KIB}, {"free", 20000 * KIB}},
	},
};

static void fill(struct where_texts *t, const struct kernel *k)
{
	where_texts_init(t);
	t->facts.page_size = k->page_size;
	for (int i = 0; i < WHERE_TEXTS_NR; i++)
		if (k->texts[i]) {
			assert_int_equal(strbuf_addstr(&t->v[i].text, k->texts[i]), 0);
			t->v[i].missing = NULL;
		}
}

/* Each line with children is their sum, and lines are in order. */
static void check_sums(const struct balance *b)
{
	for (uint32_t i = 0; i < b->nr; i++) {
		int64_t sum = 0, previous = INT64_MAX;
		uint8_t rank = 0;
		bool has_children = false;

		for (uint32_t j = i + 1; j < b->nr; j++) {
			if (b->v[j].parent != i)
				continue;
			assert_int_equal(b->v[j].depth, b->v[i].depth + 1);
			if (b->v[j].rank == rank)
				assert_true(b->v[j].bytes <= previous);
			else
				assert_true(b->v[j].rank > rank);
			rank = b->v[j].rank;
			previous = b->v[j].bytes;
			sum += b->v[j].bytes;
			has_children = true;
		}
		if (has_children && strcmp(b->v[i].id, "vmalloc") != 0 && b->v[i].is_leaf)
			fail_msg("%s has children", b->v[i].id);
		if (has_children && sum != b->v[i].bytes)
			fail_msg("%s: %" PRId64 " is not the sum of %" PRId64, b->v[i].id,
				 b->v[i].bytes, sum);
	}
}

static void test_kernels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		const struct kernel *k = &kernels[i];
		struct where_texts t;
		struct partition p;

		fill(&t, k);
		assert_int_equal(partition_init(&p, &t), 0);
		check_sums(&p.balance);
		for (const struct expected *e = k->lines; e->path; e++) {
			const struct balance_line *l = balance_find(&p.balance, e->path);

			if (!l)
				fail_msg("%s: no %s", k->name, e->path);
			else if (l->bytes != e->bytes)
				fail_msg("%s: %s has %" PRId64 " KiB instead of %" PRId64, k->name,
					 e->path, l->bytes / KIB, e->bytes / KIB);
		}
		assert_non_null(balance_find(&p.balance, "unaccounted"));
		assert_string_equal(p.balance.v[p.balance.nr - 1].id,
				    k->texts[WHERE_PAGE_OWNER_STACKS] ? "rest" : "unaccounted");
		partition_deinit(&p);
		where_texts_deinit(&t);
	}
}

/* Sockets of AF_UNIX are in signal_cache, where the kernel merged the two. */
static void test_merged_caches(void **state)
{
	const struct balance_line *l;
	struct where_texts t;
	struct partition p;

	(void)state;
	fill(&t, &kernels[0]);
	strbuf_addstr(&t.facts.cache_aliases, "dentry/a/b\nkmalloc-8k/UNIX/c/d/e\n");
	strbuf_reset(&t.v[WHERE_HOLDERS].text);
	strbuf_addstr(&t.v[WHERE_HOLDERS].text, "process pid=7 sockets=5 name=leaky\n");
	assert_int_equal(partition_init(&p, &t), 0);
	l = balance_find(&p.balance, "slab/unreclaimable/kmalloc-8k");
	assert_non_null(l);
	assert_string_equal(l->label, "kmalloc-8k = UNIX, c and 2 more");
	assert_string_equal(l->who, "leaky 7 (5 sockets)");
	l = balance_find(&p.balance, "slab/reclaimable/dentry");
	assert_non_null(l);
	assert_string_equal(l->label, "dentry = a, b");
	assert_null(l->who);
	partition_deinit(&p);
	where_texts_deinit(&t);
}

static void test_holders(void **state)
{
	const struct balance_line *l;
	struct where_texts t;
	struct partition p;

	(void)state;
	fill(&t, &kernels[1]);
	assert_int_equal(partition_init(&p, &t), 0);
	l = balance_find(&p.balance, "user/anon");
	assert_non_null(l);
	assert_string_equal(l->who, "postgres 7 (400.0 KiB)");
	l = balance_find(&p.balance, "kernel_stacks");
	assert_non_null(l);
	assert_string_equal(l->who, "postgres 7 (3 threads)");
	assert_int_equal(p.extras.nr, 1);
	assert_string_equal(p.extras.v[0].id, "cma_free");
	partition_deinit(&p);
	where_texts_deinit(&t);
}

static void check_maps(const char *more, const char *in)
{
	struct where_texts t;
	struct partition p;

	fill(&t, &kernels[1]);
	strbuf_addstr(&t.v[WHERE_HOLDERS].text, "bpf_map bytes=8192 id=1 name=hash conns\n");
	strbuf_addstr(&t.v[WHERE_HOLDERS].text, more);
	assert_int_equal(partition_init(&p, &t), 0);
	assert_string_equal(p.extras.v[0].id, "bpf_maps");
	assert_string_equal(p.extras.v[0].in, in);
	partition_deinit(&p);
	where_texts_deinit(&t);
}

static void test_lines_of_bpf_maps(void **state)
{
	(void)state;
	check_maps("", "vmalloc, slab, percpu");
	check_maps("bpf_map bytes=4096 id=2 name=ringbuf\n", "vmalloc, slab, percpu, unaccounted");
}

static void test_missing_texts(void **state)
{
	struct where_texts t;
	struct partition p;

	(void)state;
	fill(&t, &kernels[sizeof(kernels) / sizeof(kernels[0]) - 1]);
	t.v[WHERE_SLABINFO].missing = "only root may read it";
	strbuf_addstr(&t.v[WHERE_HOLDERS].text, "skipped late=3 denied=9\n");
	t.v[WHERE_HOLDERS].missing = NULL;
	assert_int_equal(partition_init(&p, &t), 0);
	assert_non_null(
		strstr(p.missing.buf, "the caches of slab (slabinfo: only root may read it)"));
	assert_non_null(strstr(p.missing.buf, "descriptors of 9 processes"));
	assert_non_null(strstr(p.missing.buf, "3 processes (out of time)"));
	partition_deinit(&p);
	where_texts_deinit(&t);
}

static void test_hostile_texts(void **state)
{
	static const char *const meminfos[] = {"", "MemTotal: 0 kB\n",
					       "MemTotal: 99999999999999999999999 kB\n",
					       "MemTotal: 64000\n", "MemTotal: 64000 kB"};
	static const struct kernel huge = {
		"huge",
		65536,
		{[WHERE_MEMINFO] = "MemTotal: 4398046511104 kB\nMemTotal: 1 kB\nCached: 1 kB\n"
				   "Shmem: 4398046511104 kB\nSUnreclaim: 4398046511104 kB\n",
		 [WHERE_SLABINFO] =
			 "slabinfo - version: 2.1\n"
			 "a 1 1 1 1 99999999999 : tunables 0 0 0 : slabdata 1 99999999999 "
			 "0\nb 1 1 1 1 1 : tunables 0 0 0 : slabdata 1 68719476736 0\n",
		 [WHERE_VMALLOCINFO] = "0x1-0x2 1 f+0x1 pages=68719476736 vmalloc\n"
				       "0x1-0x2 1 f+0x1 pages=99999999999999 vmalloc\n"
				       "0x1-0x2\n0x1-0x2 1 pages=\n",
		 [WHERE_ZONEINFO] = "count: 5\nNode 0, zone X\n  pages free 68719476736\n"
				    "count: 68719476736\ncount: x\n"},
		{{NULL, 0}},
	};
	struct where_texts t;
	struct partition p;

	(void)state;
	for (size_t i = 0; i < sizeof(meminfos) / sizeof(meminfos[0]); i++) {
		const struct kernel k = {"hostile", 4096, {[WHERE_MEMINFO] = meminfos[i]}, {{0}}};

		fill(&t, &k);
		assert_int_equal(partition_init(&p, &t), -EINVAL);
		where_texts_deinit(&t);
	}
	fill(&t, &huge);
	assert_int_equal(partition_init(&p, &t), 0);
	check_sums(&p.balance);
	assert_int_equal(p.balance.v[0].bytes, INT64_C(1) << 52);
	assert_null(balance_find(&p.balance, "slab/unreclaimable/a"));
	partition_deinit(&p);
	where_texts_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),	      cmocka_unit_test(test_holders),
		cmocka_unit_test(test_merged_caches), cmocka_unit_test(test_lines_of_bpf_maps),
		cmocka_unit_test(test_missing_texts), cmocka_unit_test(test_hostile_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
