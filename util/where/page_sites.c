// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/page_sites.h"

#include <stdio.h>
#include <string.h>

#include "util/source/source_table.h"
#include "util/where/scan.h"

/*
 * Functions whose pages a line of the balance has. Each name is a prefix, after leading
 * underscores; the compiler and the kernel add suffixes ("_noprof", ".isra.0").
 */
static const char *const counted[] = {
	/* slab, and kmalloc over two pages */
	"allocate_slab",
	"alloc_slab_page",
	"kmalloc_large",
	"kmalloc_order",
	/* user */
	"vma_alloc_",
	"folio_prealloc",
	"alloc_anon_folio",
	"do_anonymous_page",
	"do_huge_pmd_",
	"wp_page_copy",
	"shmem_alloc_",
	"filemap_",
	"page_cache_",
	"ractl_alloc",
	"pagecache_get_page",
	"read_swap_cache",
	"alloc_migration_target",
	"compaction_alloc",
	"khugepaged",
	"collapse_",
	/* page_tables */
	"pte_alloc",
	"pmd_alloc",
	"pud_alloc",
	"p4d_alloc",
	"pgd_alloc",
	"kvm_mmu_memory_cache",
	/* kernel_stacks and vmalloc */
	"alloc_thread_stack",
	"vmalloc",
	"vmap_alloc",
	"vm_area_alloc_pages",
	/* percpu */
	"pcpu_",
	/* hugetlb */
	"alloc_buddy_hugetlb",
	"alloc_fresh_h",
	"alloc_pool_huge",
	/* compressed */
	"alloc_zspage",
	"zs_malloc",
};

/* The page allocator's own functions, in the same way. */
static const char *const plumbing[] = {
	"post_alloc_hook", "prep_new_page",	 "get_page_from_freelist",
	"alloc_pages",	   "alloc_frozen_pages", "get_free_page",
	"get_zeroed_page", "folio_alloc",	 "alloc_page_noprof",
	"set_page_owner",  "save_stack",	 "register_",
};

static bool begins_with_any(const char *name, const char *const *prefixes, size_t nr)
{
	name += strspn(name, "_");
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

#define BEGINS_WITH(name, prefixes)                                                                \
	begins_with_any(name, prefixes, sizeof(prefixes) / sizeof((prefixes)[0]))

static const struct source_table_kind kind = {
	.id = "sites",
	.columns = {{"bytes", "Bytes", true}},
	.nr_columns = 1,
};

struct stack {
	char site[SOURCE_TABLE_NAME_MAX + 1]; /* "" at first */
	bool is_counted;
};

/* " alloc_page_ext+0x1/0x2 [module]" */
static void take_frame(struct stack *s, char *name)
{
	name += strspn(name, " ");
	name[strcspn(name, "+ ")] = '\0';
	s->is_counted |= BEGINS_WITH(name, counted);
	if (!*s->site && strlen(name) < sizeof(s->site) && strcmp(name, "alloc_page") != 0 &&
	    !BEGINS_WITH(name, plumbing))
		snprintf(s->site, sizeof(s->site), "%s", name);
}

/* Blocks of frames, each with its number of pages (util/dump/page_owner_stacks.c). */
static int read_stacks(struct source_table *t, const struct where_texts *texts)
{
	const struct strbuf *text = &texts->v[WHERE_PAGE_OWNER_STACKS].text;
	const int64_t page = texts->facts.page_size;
	struct stack stack = {.is_counted = false};
	struct scan s;
	int ret = 0;

	scan_init(&s, text->buf, text->len);
	while (!ret && scan_next(&s)) {
		int64_t pages;
		uint64_t bytes;

		if (s.line[0] == ' ') {
			take_frame(&stack, s.line);
			continue;
		}
		if (!scan_after(s.line, "nr_base_pages: ", &pages) &&
		    !scan_after(s.line, "stack_count: ", &pages))
			continue;
		bytes = pages <= SCAN_NUMBER_MAX / page ? (uint64_t)(pages * page) : 0;
		if (*stack.site && !stack.is_counted && bytes)
			ret = source_table_add(t, stack.site, strlen(stack.site), &bytes, 1);
		stack = (struct stack){.is_counted = false};
	}
	return ret;
}

void page_sites_add(struct balance *b, uint32_t unaccounted, const struct where_texts *texts)
{
	struct source_table t;

	source_table_init(&t, &kind);
	b->failed |= read_stacks(&t, texts) != 0;
	for (uint32_t i = 0; i < source_table_rows(&t); i++) {
		uint64_t bytes = source_table_value(&t, i, 0);

		if (bytes <= SCAN_NUMBER_MAX)
			balance_add_new(b, unaccounted, source_table_name(&t, i), NULL,
					(int64_t)bytes);
	}
	balance_add_rest(b, unaccounted, "rest", "not in page_owner");
	source_table_deinit(&t);
}
