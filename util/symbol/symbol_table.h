/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbol_table: kernel text symbols by address, read from kallsyms text.
 *
 * A line is "ADDRESS TYPE NAME[\t[MODULE]]". Only text (types T and W) is kept. An address belongs
 * to the last symbol at or before it, up to the next symbol of any type. The last symbol of the
 * kernel, of a module, or before a gap in a module ends one page after the next page boundary. If
 * several names have one address, the last line wins, as in the stock tool, so that both name the
 * same call sites. Names are printable (util/base/printable.h) and of limited length. The table
 * owns the text.
 */
#ifndef SYMBOL_SYMBOL_TABLE_H
#define SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/symbol.h"

struct symbol_table {
	struct symbol *v; /* by address */
	size_t nr;
	char *text;
	bool hidden; /* the lines had no addresses: kptr_restrict */
};

/*
 * Takes over text (heap, NUL-terminated, len bytes without the NUL), also on failure, and modifies
 * it. Invalid lines are skipped, and lines after two million are ignored. reference: a symbol whose
 * address in the recording is known from its MMAP record ("_stext"; may be empty). If the text has
 * another address for it, the text is from another boot: the kernel's symbols are moved by
 * *ret_moved_by; modules' symbols cannot be moved and are dropped. Errors: -ENOMEM.
 */
int symbol_table_init(struct symbol_table *t, char *text, size_t len, const char *reference,
		      uint64_t reference_address, uint64_t *ret_moved_by);
void symbol_table_deinit(struct symbol_table *t);

/* NULL if no symbol contains the address. */
const struct symbol *symbol_table_find(const struct symbol_table *t, uint64_t address);

#endif
