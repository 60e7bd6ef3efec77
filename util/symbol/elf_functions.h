/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of an ELF file.
 *
 * From .symtab, of the file or of its debug file; if neither has one, from .dynsym; and from the
 * procedure linkage table.  Of several names for one address the best is what the stock tool shows:
 * with a size, not weak, global, with the fewest leading underscores, the longest.  What has no
 * size, because it is written in assembly, ends where the next one starts.
 */
#ifndef SYMBOL_ELF_FUNCTIONS_H
#define SYMBOL_ELF_FUNCTIONS_H

#include "util/base/error.h"
#include "util/symbol/elf_file.h"
#include "util/symbol/elf_symbols.h"

/* Names are in the files, which must stay open.  debug: NULL, or its debug file.  Errors: -ENOMEM.
 */
int elf_functions_read(struct elf_symbols *s, const struct elf_file *f,
		       const struct elf_file *debug, struct error *err);

#endif
