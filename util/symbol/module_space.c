// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/module_space.h"

#include <string.h>

#define GIB (1ull << 30)

/* The last range is that of modules in symbol tables. */
#define FROM_TABLES (MODULE_SPACE_RANGES - 1)

static struct module_range around(const struct source_facts *f, uint64_t before, uint64_t after)
{
	return (struct module_range){
		.start = f->kernel_start > before ? f->kernel_start - before : 0,
		.end = f->kernel_end < UINT64_MAX - after ? f->kernel_end + after : UINT64_MAX,
	};
}

/* The kernel image is mapped below it: in up to 1 GiB with KASLR, otherwise in 512 MiB. */
static void init_x86_64(struct module_space *m, const struct source_facts *f)
{
	m->v[0] = (struct module_range){0xffffffffa0000000, 0xffffffffff000000};
	if (f->kernel_end > m->v[0].start && f->kernel_end < m->v[0].end)
		m->v[0].start = f->kernel_end;
}

/*
 * Branches reach 128 MiB. Through PLTs, modules may be up to 2 GiB away from the kernel, in any
 * direction (CONFIG_RANDOMIZE_BASE).
 */
static void init_arm64(struct module_space *m, const struct source_facts *f)
{
	m->v[0] = (struct module_range){0xffff800000000000, 0xffff800080000000};
	if (f->kernel_end)
		m->v[0] = around(f, 2 * GIB, 2 * GIB);
}

/* The last 2 GiB below the end of vmalloc space, or since 6.10 below the kernel. */
static void init_s390x(struct module_space *m, const struct source_facts *f)
{
	m->v[0] = (struct module_range){(1ull << 42) - 2 * GIB, 1ull << 42};
	m->v[1] = (struct module_range){(1ull << 53) - 2 * GIB, 1ull << 53};
	if (f->kernel_start > 1ull << 40) {
		m->v[0] = around(f, 2 * GIB, 0);
		m->v[1] = (struct module_range){0, 0};
	}
}

static const struct {
	const char *arch; /* machine name as in uname(2) */
	void (*init)(struct module_space *m, const struct source_facts *f);
} archs[] = {
	{"x86_64", init_x86_64},
	{"aarch64", init_arm64},
	{"s390x", init_s390x},
};

void module_space_init(struct module_space *m, const struct source_facts *facts)
{
	*m = (struct module_space){0};
	for (size_t i = 0; facts->arch && i < sizeof(archs) / sizeof(archs[0]); i++)
		if (!strcmp(facts->arch, archs[i].arch))
			archs[i].init(m, facts);
}

void module_space_add(struct module_space *m, const struct symbol_table *t)
{
	struct module_range *range = &m->v[FROM_TABLES];

	if (m->v[0].end) /* the range is documented, and "[bpf]" may be outside of it */
		return;
	for (size_t i = 0; i < t->nr_lines; i++) {
		const struct symbol *sym = symbol_table_at(t, i);

		if (!sym || !sym->module)
			continue;
		if (!range->end || sym->start < range->start)
			range->start = sym->start;
		if (sym->end > range->end)
			range->end = sym->end;
	}
}
