// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/vmalloc_part.h"

#include <string.h>

#include "util/base/label.h"
#include "util/dump/vmalloc_line.h"
#include "util/event/area_functions.h"
#include "util/source/source_table.h"
#include "util/where/scan.h"

enum { BYTES, IS_STACK, COLUMNS };

static const struct source_table_kind kind = {
	.id = "callers",
	.columns = {[BYTES] = {"bytes", "Bytes", true}, [IS_STACK] = {"stack", "Stack", false}},
	.nr_columns = COLUMNS,
};

struct areas {
	struct area_functions functions;
	struct source_table callers;
	int64_t counted; /* bytes that VmallocUsed has, with stacks */
	int64_t owned;	 /* bytes of the areas of vmap() that own their pages */
	int64_t stacks;
	bool failed;
};

/* The function, and its module: "xt_alloc_table_info [x_tables]". */
static size_t write_name(const struct vmalloc_line *l, char name[SOURCE_TABLE_NAME_MAX])
{
	const char *caller = l->caller_len ? l->caller : label_unknown;
	const size_t caller_len = l->caller_len ? l->caller_len : strlen(label_unknown);
	const char *module = memchr(caller, ' ', caller_len);
	const size_t len = module ? caller_len - (size_t)(module - caller) : 0;
	const char *offset = memchr(caller, '+', caller_len - len);
	size_t n = offset ? (size_t)(offset - caller) : caller_len - len;

	n = n < SOURCE_TABLE_NAME_MAX ? n : SOURCE_TABLE_NAME_MAX;
	memcpy(name, caller, n);
	if (!len || n + len > SOURCE_TABLE_NAME_MAX)
		return n;
	memcpy(name + n, module, len);
	return n + len;
}

static void take_area(struct areas *a, const struct vmalloc_line *l, int64_t page)
{
	char name[SOURCE_TABLE_NAME_MAX];
	uint64_t v[COLUMNS] = {0};
	int64_t bytes;

	if (!l->pages || l->pages > (uint64_t)(SCAN_NUMBER_MAX / page))
		return;
	bytes = (int64_t)l->pages * page;
	/* VM_MAP_PUT_PAGES; areas of DMA own no pages */
	if (l->use == AREA_VMAP)
		a->owned = balance_sum(a->owned, bytes);
	else if (l->use == AREA_VMALLOC)
		a->counted = balance_sum(a->counted, bytes);
	else
		return;
	v[BYTES] = (uint64_t)bytes;
	a->failed |= source_table_add(&a->callers, name, write_name(l, name), v, COLUMNS) != 0;
}

static void read_areas(struct areas *a, const struct where_texts *texts)
{
	const struct strbuf *text = &texts->v[WHERE_VMALLOCINFO].text;
	struct vmalloc_line line;
	struct scan s;

	scan_init(&s, text->buf, text->len);
	while (!a->failed && scan_next(&s))
		if (vmalloc_line_parse(s.line, &line))
			take_area(a, &line, texts->facts.page_size);
}

static int64_t bytes_of(const struct areas *a, uint32_t row)
{
	return (int64_t)source_table_value(&a->callers, row, BYTES);
}

static void find_stacks(struct areas *a)
{
	static const uint64_t v[COLUMNS] = {[IS_STACK] = 1};

	for (uint32_t i = 0; i < source_table_rows(&a->callers); i++) {
		const char *caller = source_table_name(&a->callers, i);
		const size_t len = strlen(caller);
		bool skipped;

		if (area_functions_find(&a->functions, caller, len, &skipped) != AREA_STACK)
			continue;
		a->stacks = balance_sum(a->stacks, bytes_of(a, i));
		a->failed |= source_table_add(&a->callers, caller, len, v, COLUMNS) != 0;
	}
}

static void add_callers(struct balance *b, uint32_t vmalloc, const struct areas *a)
{
	for (uint32_t i = 0; i < source_table_rows(&a->callers); i++)
		if (!source_table_value(&a->callers, i, IS_STACK))
			balance_add_new(b, vmalloc, source_table_name(&a->callers, i), NULL,
					bytes_of(a, i));
}

void vmalloc_part_add(struct balance *b, const struct meminfo *m, const struct where_texts *texts)
{
	const bool listed = texts->v[WHERE_VMALLOCINFO].text.len > 0;
	const int64_t stacks = meminfo_bytes(m->kernel_stack);
	struct areas a = {.counted = 0};
	int64_t used = meminfo_bytes(m->vmalloc);
	uint32_t vmalloc;

	source_table_init(&a.callers, &kind);
	a.failed = area_functions_init(&a.functions, NULL) != 0;
	read_areas(&a, texts);
	find_stacks(&a);
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
	add_callers(b, vmalloc, &a);
	if (listed)
		balance_add_rest(b, vmalloc, "rest", "changed while reading");
	b->failed |= a.failed;
	area_functions_deinit(&a.functions);
	source_table_deinit(&a.callers);
}
