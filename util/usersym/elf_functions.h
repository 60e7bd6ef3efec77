/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file.
 *
 * From .symtab, of the file or of its debug file; if neither has one, from .dynsym and the .symtab
 * that .gnu_debugdata has (mini_debug.h); and from the procedure linkage table.  Of several names
 * for one address the best is what the stock tool shows: with a size, not weak, global, with the
 * fewest leading underscores, the longest.  What has no size, because it is written in assembly,
 * ends where the next one starts.
 */
#ifndef USERSYM_ELF_FUNCTIONS_H
#define USERSYM_ELF_FUNCTIONS_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/symbol/elf_file.h"
#include "util/symbol/elf_symbols.h"

/* Has it a .symtab? */
bool elf_functions_has_table(const struct elf_file *f);

/* Names are in the files, which must stay open.  debug, mini: NULL, or its debug file and what
 * .gnu_debugdata is when it is unpacked.  Errors: -ENOMEM. */
int elf_functions_read(struct elf_symbols *s, const struct elf_file *f,
		       const struct elf_file *debug, const struct elf_file *mini,
		       struct error *err);

#endif
