/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct module_space: the addresses at which a kernel loads modules.
 *
 * An address in module space that no symbol table contains belongs to an unloaded module. The
 * ranges are known by architecture from the kernel's documentation and source
 * (Documentation/arch/x86/x86_64/mm.rst, Documentation/arch/arm64/memory.rst,
 * arch/s390/boot/startup.c); on other architectures they are those of the modules in symbol tables.
 * The kernel itself may lie between modules; it is not excluded.
 */
#ifndef SYMBOL_MODULE_SPACE_H
#define SYMBOL_MODULE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/source/facts.h"
#include "util/symbol/symbol_table.h"

#define MODULE_SPACE_RANGES 3

/* Zeroed memory is an empty space. */
struct module_space {
	struct module_range {
		uint64_t start, end;
	} v[MODULE_SPACE_RANGES];
};

void module_space_init(struct module_space *m, const struct source_facts *facts);

/* On an unknown architecture, extend the space to the modules of a table. */
void module_space_add(struct module_space *m, const struct symbol_table *t);

static inline bool module_space_has(const struct module_space *m, uint64_t address)
{
	for (size_t i = 0; i < MODULE_SPACE_RANGES; i++)
		if (address >= m->v[i].start && address < m->v[i].end)
			return true;
	return false;
}

#endif
