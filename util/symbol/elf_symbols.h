/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct elf_symbols: functions by address.
 *
 * Those that are added may overlap; what is found does not: an address belongs to the function that
 * starts last of those that have it, and of several names for one start the one with the highest
 * rank stays, or the longest of these.  What has no size ends where the next one starts, and a
 * label in a function is dropped.  Names are not printable, may contain anything, and belong to
 * whoever added them.  Errors: -ENOMEM.
 */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of two names that are as good, this many bytes are compared. */
#define ELF_SYMBOL_RANKED 1024

struct elf_symbol {
	uint64_t start, end; /* without a size: the end is the last it may have */
	uint64_t function;   /* where it starts: before `start` for what follows a nested one */
	const char *name;    /* may be long */
	uint32_t name_len;   /* up to ELF_SYMBOL_RANKED */
	uint32_t rank;	     /* of its name */
	bool has_size;
	bool is_label; /* not marked as a function */
	bool is_plt;   /* the entry of the linkage table that leads to that function */
};

/* All zeroes at first. */
struct elf_symbols {
	struct elf_symbol *v;
	size_t nr, cap;
};

/* `function` and `name_len` are set here. */
int elf_symbols_add(struct elf_symbols *s, const struct elf_symbol *sym);

/* When all have been added, before the first is looked up. */
int elf_symbols_arrange(struct elf_symbols *s);
void elf_symbols_deinit(struct elf_symbols *s);

/* NULL: the address is not in a function. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *s, uint64_t address);

/* The address after the last one of the function that starts there; what lies in it of others is
 * passed over. */
uint64_t elf_symbols_end(const struct elf_symbols *s, uint64_t function);

#endif
