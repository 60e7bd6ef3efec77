/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbol_table: kernel text symbols by address, read from kallsyms text.
 *
 * A line is "ADDRESS TYPE NAME[\t[MODULE]]".  Only text (types T and W) is kept; an address belongs
 * to the last symbol at or before it, up to the next symbol of any type or, after the last one of
 * the kernel, of a module or before a gap in a module, to the end of the page.  Of several names
 * for one address the last line wins, as in the stock tool, so that both name the same call sites.
 * Names are printable (util/base/printable.h), and of a bounded length. The table owns the text.
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
 * Takes over text (heap, NUL-terminated, len bytes without the NUL), also on failure; it is
 * modified.  Lines that do not parse are skipped, as are those after two million.  reference: a
 * symbol whose address in the recording is known from the MMAP record ("_stext"; may be empty).  If
 * it is elsewhere in the text, the text is of another boot: the kernel's symbols are moved, by
 * *ret_moved_by; modules' cannot be, and are left out.  Errors: -ENOMEM.
 */
int symbol_table_init(struct symbol_table *t, char *text, size_t len, const char *reference,
		      uint64_t reference_address, uint64_t *ret_moved_by);
void symbol_table_deinit(struct symbol_table *t);

/* NULL: the address is not inside a symbol. */
const struct symbol *symbol_table_find(const struct symbol_table *t, uint64_t address);

#endif
