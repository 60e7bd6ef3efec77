// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/cpu_pairs.h"

#include <errno.h>
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

/* NULL: no memory. */
static struct cpu_pair *pair_of(struct cpu_pairs *p, const struct cpu_pair *key)
{
	uint32_t *cached = &p->cached[(uint32_t)key->alloc_cpu % CPU_PAIRS_CACHED]
				     [(uint32_t)key->free_cpu % CPU_PAIRS_CACHED];
	struct cpu_pair *pair = *cached ? table_row(&p->rows, *cached - 1) : NULL;
	uint32_t row;

	if (pair && pair->alloc_cpu == key->alloc_cpu && pair->free_cpu == key->free_cpu)
		return pair;
	row = table_insert_number(&p->rows, key);
	if (row == TABLE_NO_ROW)
		return NULL;
	*cached = row + 1;
	return table_row(&p->rows, row);
}

int cpu_pairs_add(struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu, uint64_t frees,
		  uint64_t bytes)
{
	const struct cpu_pair key = {.alloc_cpu = alloc_cpu, .free_cpu = free_cpu};
	struct cpu_pair *pair = pair_of(p, &key);

	if (!pair)
		return -ENOMEM;
	pair->frees += frees;
	pair->bytes += bytes;
	return 0;
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
