// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/cpu_pairs.h"

#include <stddef.h>
#include <stdlib.h>

struct cpu_pairs *cpu_pairs_new(void)
{
	struct cpu_pairs *p = calloc(1, sizeof(*p));

	if (p)
		table_init(&p->rows, sizeof(struct cpu_pair), offsetof(struct cpu_pair, frees));
	return p;
}

void cpu_pairs_free(struct cpu_pairs *p)
{
	if (p)
		table_deinit(&p->rows);
	free(p);
}

struct cpu_pair *cpu_pairs_get(struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu)
{
	const struct cpu_pair key = {.alloc_cpu = alloc_cpu, .free_cpu = free_cpu};
	uint32_t row = table_insert_number(&p->rows, &key);

	if (row == TABLE_NO_ROW)
		return NULL;
	p->cached[(uint32_t)alloc_cpu % CPU_PAIRS_CACHED][(uint32_t)free_cpu % CPU_PAIRS_CACHED] =
		row + 1;
	return table_row(&p->rows, row);
}

struct cpu_pair cpu_pairs_sum(const struct cpu_pairs *p, bool of_two)
{
	struct cpu_pair sum = {.alloc_cpu = -1, .free_cpu = -1};

	for (uint32_t i = 0; i < p->rows.nr; i++) {
		const struct cpu_pair *pair = table_row(&p->rows, i);

		if (of_two && pair->alloc_cpu == pair->free_cpu)
			continue;
		sum.frees += pair->frees;
		sum.bytes += pair->bytes;
	}
	return sum;
}
