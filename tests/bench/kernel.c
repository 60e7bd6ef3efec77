// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <linux/perf_event.h>

#define TEXT_START 0xffffffff81000000ULL

/* The allocator's own functions, and those where stacks begin; they come first in the text. */
enum {
	FN_ALLOC_FROZEN,
	FN_ALLOC_MPOL,
	FN_ALLOC_PAGES,
	FN_VMA_ALLOC_FOLIO,
	FN_FOLIO_ALLOC,
	FN_FREE_UNREF,
	FN_KMALLOC,
	FN_KFREE,
	FN_FAULT,
	FN_ASM_FAULT,
	FN_SYSCALL,
	FN_ENTRY_SYSCALL,
	FN_NAMED,
};

static const char *const named[FN_NAMED] = {
	"__alloc_frozen_pages_noprof",
	"alloc_pages_mpol",
	"alloc_pages_noprof",
	"vma_alloc_folio_noprof",
	"folio_alloc_noprof",
	"free_unref_folios",
	"__kmalloc_noprof",
	"kfree",
	"exc_page_fault",
	"asm_exc_page_fault",
	"do_syscall_64",
	"entry_SYSCALL_64_after_hwframe",
};

/* Other functions are named SYSTEM_VERB_NOUN. */
static const char *const systems[] = {
	"ext4", "btrfs", "xfs",	   "nfs",  "vfs",     "proc",  "sysfs",	 "kernfs", "tcp",     "udp",
	"ip6",	"inet",	 "sock",   "skb",  "netlink", "unix",  "shmem",	 "swap",   "filemap", "vma",
	"anon", "khuge", "memcg",  "bpf",  "sched",   "futex", "signal", "cgroup", "pid",     "tty",
	"usb",	"pci",	 "virtio", "nvme", "scsi",    "dm",    "blk_mq", "io",	   "crypto",  "drm",
};
static const char *const verbs[] = {
	"init",	  "setup",   "open",   "create", "get",	    "add",     "insert", "copy",  "clone",
	"lookup", "resolve", "map",    "expand", "grow",    "queue",   "submit", "send",  "receive",
	"read",	  "write",   "commit", "handle", "process", "release", "drop",	 "flush",
};
static const char *const nouns[] = {
	"inode", "page",    "folio",  "entry",	 "node",   "item",   "request", "buffer",
	"range", "segment", "header", "context", "handle", "extent", "record",	"table",
	"list",	 "state",   "event",  "work",	 "msg",	   "attr",   "file",	"path",
};

#define NR(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

_Static_assert(FN_NAMED + NR(systems) * NR(verbs) * NR(nouns) >= KERNEL_FUNCTIONS, "unique names");

static const uint32_t kmalloc_sizes[KERNEL_KMALLOCS] = {8,   16,  32,	64,   96,   128, 192,
							256, 512, 1024, 2048, 4096, 8192};

static const struct cache caches[KERNEL_CACHES] = {
	{"filp", 192},
	{"dentry", 192},
	{"vm_area_struct", 256},
	{"names_cache", 4096},
	{"maple_node", 256},
	{"anon_vma_chain", 64},
	{"anon_vma", 104},
	{"lsm_file_cache", 24},
	{"lsm_inode_cache", 80},
	{"ext4_inode_cache", 1184},
	{"buffer_head", 104},
	{"skbuff_head_cache", 256},
	{"skbuff_small_head", 640},
	{"skbuff_fclone_cache", 512},
	{"sock_inode_cache", 832},
	{"proc_inode_cache", 712},
	{"shmem_inode_cache", 768},
	{"inode_cache", 640},
	{"kernfs_node_cache", 128},
	{"radix_tree_node", 576},
	{"task_struct", 4480},
	{"signal_cache", 1152},
	{"sighand_cache", 2112},
	{"mm_struct", 1408},
	{"files_cache", 704},
	{"fs_cache", 64},
	{"cred_jar", 184},
	{"pid", 192},
	{"task_delay_info", 232},
	{"sigqueue", 80},
	{"eventpoll_epi", 128},
	{"eventpoll_pwq", 64},
	{"fasync_cache", 48},
	{"file_lock_cache", 192},
	{"ext4_io_end_vec", 32},
	{"ext4_io_end", 64},
	{"ext4_extent_status", 40},
	{"ext4_prealloc_space", 112},
	{"ext4_allocation_context", 144},
	{"jbd2_journal_head", 120},
	{"jbd2_journal_handle", 48},
	{"jbd2_transaction_s", 256},
	{"bio-120", 128},
	{"bio-248", 256},
	{"biovec-16", 256},
	{"biovec-64", 1024},
	{"biovec-128", 2048},
	{"biovec-max", 4096},
	{"request_sock_TCP", 304},
	{"TCP", 2432},
	{"tw_sock_TCP", 248},
	{"UDP", 1216},
	{"UNIX", 1088},
	{"ip_dst_cache", 192},
	{"inotify_inode_mark", 80},
	{"khugepaged_mm_slot", 40},
	{"pool_workqueue", 512},
	{"posix_timers_cache", 248},
	{"uts_namespace", 432},
	{"seq_file", 120},
};

static void add_symbol(struct kernel *k, uint64_t address, const char *name)
{
	strbuf_addf(&k->kallsyms, "%" PRIx64 " T %s\n", address, name);
}

static void make_functions(struct kernel *k, struct random_state *r)
{
	uint64_t at = k->start;

	add_symbol(k, at, "_text");
	add_symbol(k, at, "_stext");
	for (uint32_t i = 0; i < KERNEL_FUNCTIONS; i++) {
		uint32_t name = i - FN_NAMED;

		k->functions[i] = at;
		if (i < FN_NAMED)
			add_symbol(k, at, named[i]);
		else
			strbuf_addf(&k->kallsyms, "%" PRIx64 " t %s_%s_%s\n", at,
				    systems[name / (NR(verbs) * NR(nouns))],
				    verbs[name / NR(nouns) % NR(verbs)], nouns[name % NR(nouns)]);
		at += 64 + 16 * random_below(r, 64);
	}
	k->end = at;
	add_symbol(k, at, "_etext");
}

/* A location in a function: after a call, somewhere in the first 64 bytes. */
static uint64_t inside(const struct kernel *k, struct random_state *r, uint32_t function)
{
	return k->functions[function] + 5 + random_below(r, 59);
}

static uint64_t anywhere(const struct kernel *k, struct random_state *r)
{
	return inside(k, r, FN_NAMED + random_below(r, KERNEL_FUNCTIONS - FN_NAMED));
}

static void make_slab_site(struct kernel *k, struct slab_site *s, struct random_state *r)
{
	static const uint64_t gfp[] = {0xcc0, 0xcc0, 0xdc0, 0x400cc0, 0x400dc0, 0x820, 0x52820};
	uint32_t c = random_below(r, 10) < 4 ? random_below(r, KERNEL_KMALLOCS)
					     : KERNEL_KMALLOCS + random_below(r, KERNEL_CACHES);
	uint32_t below = c && c < KERNEL_KMALLOCS ? k->caches[c - 1].size : 0;

	s->address = anywhere(k, r);
	s->cache = c;
	s->bytes_req = k->caches[c].size;
	if (c < KERNEL_KMALLOCS)
		s->bytes_req -= random_below(r, k->caches[c].size - below);
	s->gfp_flags = gfp[random_below(r, NR(gfp))];
}

static void add_frame(struct chain *c, uint64_t ip)
{
	c->ips[c->nr++] = ip;
}

/* The allocator, the site, what leads to it, and the entry to the kernel: 10 to 14 frames. */
static void make_chain(const struct kernel *k, struct chain *c, uint64_t site, uint64_t helper,
		       struct random_state *r)
{
	uint32_t middle = 4 + random_below(r, 5);
	bool fault = random_below(r, 3);

	c->nr = 0;
	add_frame(c, (uint64_t)PERF_CONTEXT_KERNEL);
	add_frame(c, k->ip_page_alloc);
	add_frame(c, k->functions[FN_ALLOC_MPOL] + 0x36);
	add_frame(c, helper);
	add_frame(c, site);
	while (middle--)
		add_frame(c, anywhere(k, r));
	add_frame(c, k->functions[fault ? FN_FAULT : FN_SYSCALL] + 0x26);
	add_frame(c, k->functions[fault ? FN_ASM_FAULT : FN_ENTRY_SYSCALL] + 0x22);
}

static void make_page_site(struct kernel *k, struct page_site *s, struct random_state *r)
{
	static const struct {
		uint64_t gfp_flags;
		int32_t migratetype;
	} kinds[] = {{0x140dca, 1}, {0x140dca, 1}, {0x152c4a, 1}, {0x400cc0, 0}, {0x52c50, 2}};
	uint32_t kind = random_below(r, NR(kinds)), order = random_below(r, 1000);
	uint64_t site = anywhere(k, r);
	uint64_t helper = k->functions[FN_ALLOC_PAGES + random_below(r, 3)] + 0x31;

	for (int i = 0; i < KERNEL_CHAINS; i++)
		make_chain(k, &s->chains[i], site, helper, r);
	s->gfp_flags = kinds[kind].gfp_flags;
	s->migratetype = kinds[kind].migratetype;
	s->order = order < 920 ? 0 : order < 950 ? 1 : order < 970 ? 2 : order < 999 ? 3 : 9;
}

/* Site n gets its share according to the weight 1 / (n + 8). */
static void make_skewed(struct kernel *k)
{
	uint64_t total = 0, sum = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < KERNEL_SITES; i++)
		total += (1u << 24) / (i + 8);
	for (uint32_t i = 0; i < KERNEL_SITES; i++) {
		sum += (1u << 24) / (i + 8);
		while (at < sum * NR(k->skewed) / total)
			k->skewed[at++] = (uint16_t)i;
	}
	while (at < NR(k->skewed))
		k->skewed[at++] = 0;
}

int kernel_init(struct kernel *k)
{
	struct random_state r = {0x9e3779b97f4a7c15ULL};

	*k = (struct kernel){.kallsyms = STRBUF_INIT, .start = TEXT_START};
	k->functions = calloc(KERNEL_FUNCTIONS, sizeof(*k->functions));
	if (!k->functions)
		return -ENOMEM;
	make_functions(k, &r);
	for (uint32_t i = 0; i < KERNEL_KMALLOCS; i++)
		k->caches[i].size = kmalloc_sizes[i];
	for (uint32_t i = 0; i < KERNEL_CACHES; i++)
		k->caches[KERNEL_KMALLOCS + i] = caches[i];
	k->ip_alloc = inside(k, &r, FN_KMALLOC);
	k->ip_free = inside(k, &r, FN_KFREE);
	k->ip_page_alloc = inside(k, &r, FN_ALLOC_FROZEN);
	k->ip_page_free = inside(k, &r, FN_FREE_UNREF);
	for (uint32_t i = 0; i < KERNEL_SITES; i++)
		make_slab_site(k, &k->slab_sites[i], &r);
	for (uint32_t i = 0; i < KERNEL_SITES; i++)
		make_page_site(k, &k->page_sites[i], &r);
	for (uint32_t i = 0; i < KERNEL_FREE_SITES; i++)
		k->free_sites[i] = anywhere(k, &r);
	make_skewed(k);
	return k->kallsyms.failed ? -ENOMEM : 0;
}

void kernel_deinit(struct kernel *k)
{
	strbuf_deinit(&k->kallsyms);
	free(k->functions);
	*k = (struct kernel){.kallsyms = STRBUF_INIT};
}
