/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct elf_symbols: functions by address.
 *
 * Added functions may overlap. A lookup finds the innermost one: of all functions that contain the
 * address, the one that starts last. If several names have one start, the name of the highest rank
 * is kept, then the longest. A function without a size ends where the next one starts; a label
 * inside a function is dropped. Names may contain any bytes, and belong to the caller. Errors:
 * -ENOMEM.
 */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of bytes compared of two names of equal rank. */
#define ELF_SYMBOL_RANKED 1024

struct elf_symbol {
	uint64_t start, end; /* without a size, `end` is the upper limit */
	uint64_t function;   /* start of the function; less than `start` in a piece after a nested
				function */
	const char *name;    /* may be long */
	uint32_t name_len;   /* up to ELF_SYMBOL_RANKED */
	uint32_t rank;	     /* quality of the name */
	bool has_size;
	bool is_label; /* not marked as a function */
	bool is_plt;   /* the PLT entry of that function */
	bool is_thumb; /* ARM: code of the Thumb instruction set */
};

/* Zeroed memory is an empty set. */
struct elf_symbols {
	struct elf_symbol *v;
	size_t nr, cap;
};

/* Sets `function` and `name_len`. */
int elf_symbols_add(struct elf_symbols *s, const struct elf_symbol *sym);

/* Called once after the last addition and before the first lookup. */
int elf_symbols_arrange(struct elf_symbols *s);
void elf_symbols_deinit(struct elf_symbols *s);

/* NULL if no function contains the address. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *s, uint64_t address);

/* The end address of the function that starts there, including functions nested in it. */
uint64_t elf_symbols_end(const struct elf_symbols *s, uint64_t function);

#endif
