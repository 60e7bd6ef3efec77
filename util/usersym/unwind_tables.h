/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unwind_tables: the unwind table of an ELF file, and the file's bytes.
 *
 * The table is that of .eh_frame_hdr, sorted by address, as linkers make it. A file without one
 * gets a table made from .eh_frame, at addresses outside of the file. Addresses are link-time
 * addresses. Other data point into the file, which must stay open. A file with an invalid table has
 * none.
 */
#ifndef USERSYM_UNWIND_TABLES_H
#define USERSYM_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/usersym/eh_frame.h"
#include "util/symbol/elf_file.h"

struct unwind_tables {
	struct elf_file file;	     /* its pointers belong to the owner */
	uint64_t header;	     /* address of .eh_frame_hdr or .eh_frame; 0 if there is none */
	uint64_t entries;	     /* address of its table */
	uint64_t nr;		     /* number of entries, each two i32, relative to the header */
	struct eh_frame_entry *made; /* owned; NULL if the table is in the file */
};

/* Errors: -ENOMEM. */
int unwind_tables_init(struct unwind_tables *t, const struct elf_file *f);
void unwind_tables_deinit(struct unwind_tables *t);

/* `size` bytes from this address on; at least the first must belong to the segment. NULL if the
 * file lacks them. */
const uint8_t *unwind_tables_bytes(const struct unwind_tables *t, uint64_t address, size_t size);

#endif
