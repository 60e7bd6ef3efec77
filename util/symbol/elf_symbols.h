/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct elf_symbols: the functions of an ELF file by address.
 *
 * From .symtab, of the file or of its debug file; if neither has one, from .dynsym; and from the
 * procedure linkage table.  What is returned does not overlap: of two functions that do, an address
 * belongs to the one that starts last; of several names for one start that one remains which the
 * stock tool shows (with a size, not weak, global, with the fewest leading underscores, the
 * longest).  What has no size, because it is written in assembly, ends where the next one starts.
 * Names are the linker's, and may contain anything; they belong to the files, which must stay open.
 */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/symbol/elf_file.h"

/* Of two names that are as good, this many bytes are compared. */
#define ELF_SYMBOL_RANKED 1024

struct elf_symbol {
	uint64_t start, end;	 /* addresses in the file */
	uint64_t function;	 /* where it starts: before `start` for what follows a nested one */
	const char *name;	 /* not printable; may be long */
	uint32_t name_len;	 /* up to ELF_SYMBOL_RANKED */
	bool is_plt;		 /* the entry of the linkage table that leads to that function */
	bool has_size, is_label; /* label: not marked as a function */
	uint32_t rank;		 /* of its name: the highest one stays */
};

struct elf_symbols {
	struct elf_symbol *v;
	size_t nr, cap;
};

/* debug: NULL, or its debug file. Errors: -ENOMEM. */
int elf_symbols_init(struct elf_symbols *s, const struct elf_file *f, const struct elf_file *debug,
		     struct error *err);
/* For symbols from elsewhere, in empty ones: add them, and then put them in order. Errors: -ENOMEM.
 */
int elf_symbols_add(struct elf_symbols *s, const struct elf_symbol *sym);
int elf_symbols_arrange(struct elf_symbols *s);

void elf_symbols_deinit(struct elf_symbols *s);

/* NULL: the address is not in a function. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *s, uint64_t address);

#endif
