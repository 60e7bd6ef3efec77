/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unwind_tables: where an ELF file says how its functions are unwound, and its bytes.
 *
 * The table is that of .eh_frame_hdr, sorted by address, as the linker makes it for programs and
 * libraries; one that has none gets one, made of .eh_frame, at addresses where no file is.
 * Addresses are those that the file was linked for.  Everything else points into the file, which
 * must stay open.  A file whose table makes no sense has none.
 */
#ifndef USERSYM_UNWIND_TABLES_H
#define USERSYM_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/usersym/eh_frame.h"
#include "util/symbol/elf_file.h"

struct unwind_tables {
	struct elf_file file; /* what it points to is the owner's */
	uint64_t header;      /* the address of .eh_frame_hdr or .eh_frame; 0: there is none */
	uint64_t entries;     /* the address of its table */
	uint64_t nr;	      /* entries, of two i32 each, relative to the header */
	struct eh_frame_entry *made; /* owned; NULL: the table is in the file */
};

/* Errors: -ENOMEM. */
int unwind_tables_init(struct unwind_tables *t, const struct elf_file *f);
void unwind_tables_deinit(struct unwind_tables *t);

/* `size` bytes from this address on, of which at least the first belongs to the segment; NULL: the
 * file has nothing there. */
const uint8_t *unwind_tables_bytes(const struct unwind_tables *t, uint64_t address, size_t size);

#endif
