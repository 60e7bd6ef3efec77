/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file.
 *
 * From .symtab, of the file or of its debug file; if neither has one, from .dynsym and the .symtab
 * in .gnu_debugdata (mini_debug.h); and from the procedure linkage table. If several names have one
 * address, the stock tool's choice is used: with a size, not weak, global, with the fewest leading
 * underscores, the longest. A function without a size (written in assembly) ends where the next one
 * starts.
 */
#ifndef USERSYM_ELF_FUNCTIONS_H
#define USERSYM_ELF_FUNCTIONS_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/symbol/elf_file.h"
#include "util/symbol/elf_symbols.h"

/* Whether it has a .symtab. */
bool elf_functions_has_table(const struct elf_file *f);

/* Names point into the files, which must stay open. debug, mini: the debug file, the unpacked
 * .gnu_debugdata; may be NULL. Errors: -ENOMEM. */
int elf_functions_read(struct elf_symbols *s, const struct elf_file *f,
		       const struct elf_file *debug, const struct elf_file *mini,
		       struct error *err);

#endif
