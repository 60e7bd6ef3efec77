// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/vmalloc_part.h"

#include <string.h>

#include "util/source/source_table.h"
#include "util/where/scan.h"

/*
 * Functions that appear as callers of kernel stacks: alloc_thread_stack_node() passes its return
 * address (kernel/fork.c), and compilers inline the functions between.
 */
static const char *const stack_callers[] = {
	"alloc_thread_stack_node",
	"dup_task_struct",
	"copy_process",
	"kernel_clone",
	"_do_fork",
	"fork_idle",
	"create_io_thread",
	"vhost_task_create",
	"kernel_thread",
	"user_mode_thread",
};

enum { BYTES, AREAS, COLUMNS };

static const struct source_table_kind kind = {
	.id = "callers",
	.columns = {[BYTES] = {"bytes", "Bytes", true}, [AREAS] = {"areas", "Areas", false}},
	.nr_columns = COLUMNS,
};

struct areas {
	struct source_table callers;
	int64_t counted; /* bytes that VmallocUsed has, with stacks */
	int64_t owned;	 /* bytes of the areas of vmap() that own their pages */
	int64_t stacks;
	bool failed;
};

/* "htab_map_alloc+0x2e4/0x5a0 [module] pages=...": the length of the function's name. */
static size_t name_length(const char *caller)
{
	size_t len = strcspn(caller, " ");
	const char *plus = memchr(caller, '+', len);

	return plus ? (size_t)(plus - caller) : len;
}

static bool is_stack(const char *caller, size_t len)
{
	for (size_t i = 0; i < sizeof(stack_callers) / sizeof(stack_callers[0]); i++) {
		const size_t known = strlen(stack_callers[i]);

		/* a suffix of the compiler may follow: "dup_task_struct.isra.0" */
		if (len >= known && !strncmp(caller, stack_callers[i], known) &&
		    (len == known || caller[known] == '.'))
			return true;
	}
	return false;
}

/* The function, and its module: "xt_alloc_table_info [x_tables]". */
static size_t write_name(const char *caller, char name[SOURCE_TABLE_NAME_MAX])
{
	size_t len = name_length(caller), n;
	const char *module = caller + strcspn(caller, " ");

	n = len < SOURCE_TABLE_NAME_MAX ? len : SOURCE_TABLE_NAME_MAX;
	memcpy(name, caller, n);
	module += strspn(module, " ");
	len = *module == '[' ? strcspn(module, "]") + 1 : 0;
	if (!len || n + len + 1 > SOURCE_TABLE_NAME_MAX)
		return n;
	name[n] = ' ';
	memcpy(name + n + 1, module, len);
	return n + 1 + len;
}

/* mm/vmalloc.c: vmalloc_info_show(): "0x..-0x..   20480 caller pages=4 vmalloc N0=4" */
static void take_area(struct areas *a, const char *line, int64_t page)
{
	const char *at = strchr(line, ' ');
	char name[SOURCE_TABLE_NAME_MAX];
	int64_t size, pages, bytes;
	uint64_t v[COLUMNS];

	if (!at || !scan_number(&at, &size) || !scan_key(at, "pages=", &pages) ||
	    pages > SCAN_NUMBER_MAX / page)
		return;
	at += strspn(at, " ");
	bytes = pages * page;
	if (!scan_word(at, "vmalloc")) {
		/* VM_MAP_PUT_PAGES; memory of DMA belongs to devices */
		if (!scan_word(at, "vmap"))
			return;
		a->owned = balance_sum(a->owned, bytes);
	} else {
		a->counted = balance_sum(a->counted, bytes);
		if (is_stack(at, name_length(at))) {
			a->stacks = balance_sum(a->stacks, bytes);
			return;
		}
	}
	v[BYTES] = (uint64_t)bytes;
	v[AREAS] = 1;
	a->failed |= source_table_add(&a->callers, name, write_name(at, name), v, COLUMNS) != 0;
}

static void read_areas(struct areas *a, const struct where_texts *texts)
{
	const struct strbuf *text = &texts->v[WHERE_VMALLOCINFO].text;
	struct scan s;

	scan_init(&s, text->buf, text->len);
	while (!a->failed && scan_next(&s))
		take_area(a, s.line, texts->facts.page_size);
}

static void add_callers(struct balance *b, uint32_t vmalloc, const struct source_table *t)
{
	for (uint32_t i = 0; i < source_table_rows(t); i++)
		balance_add_new(b, vmalloc, source_table_name(t, i), NULL,
				(int64_t)source_table_value(t, i, BYTES));
}

void vmalloc_part_add(struct balance *b, const struct meminfo *m, const struct where_texts *texts)
{
	const bool listed = texts->v[WHERE_VMALLOCINFO].text.len > 0;
	const int64_t stacks = meminfo_bytes(m->kernel_stack);
	struct areas a = {.counted = 0};
	int64_t used = meminfo_bytes(m->vmalloc);
	uint32_t vmalloc;

	source_table_init(&a.callers, &kind);
	read_areas(&a, texts);
	if (!used) /* before 5.3 */
		used = a.counted;
	/* who may not read the areas cannot see whether stacks are among them: 64-bit kernels have
	 * CONFIG_VMAP_STACK by default */
	if (!listed && used >= stacks)
		a.stacks = stacks;
	/* stacks that wait for their next thread are areas, but not in KernelStack */
	used = balance_sum(balance_sum(used, a.owned), -(a.stacks < stacks ? a.stacks : stacks));
	balance_add(b, BALANCE_ROOT, "kernel_stacks", "kernel stacks", stacks);
	vmalloc = balance_add(b, BALANCE_ROOT, "vmalloc", "vmalloc", used);
	if (a.stacks > stacks)
		balance_add(b, vmalloc, "free_stacks", "stacks kept for new threads",
			    a.stacks - stacks);
	add_callers(b, vmalloc, &a.callers);
	if (listed)
		balance_add_rest(b, vmalloc, "rest", "changed while reading");
	b->failed |= a.failed;
	source_table_deinit(&a.callers);
}
