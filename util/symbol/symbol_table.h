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
 *
 * A kernel has some 200,000 symbols, of which a report shows a few hundred. So only the addresses
 * are read at first; name, module and end are read when a symbol is asked for.
 */
#ifndef SYMBOL_SYMBOL_TABLE_H
#define SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/symbol.h"

/* A line of the text; the only or the best one of its address. */
struct symbol_line {
	uint64_t address;
	uint32_t at; /* offset in the text */
	bool is_function;
};

struct symbol_table {
	struct symbol_line *lines; /* by address; functions and data */
	size_t nr_lines;
	size_t nr; /* number of functions */
	/* private */
	struct symbol *v; /* those of lines; filled in when they are asked for */
	char *text;
	size_t len;
	uint64_t shifted_by;
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

/* NULL if no symbol contains the address. Any thread may call it. */
const struct symbol *symbol_table_find(const struct symbol_table *t, uint64_t address);

/* The function of line i. NULL if the line is data. Any thread may call it. */
const struct symbol *symbol_table_at(const struct symbol_table *t, size_t i);

/* The addresses from the first function to the last one. The table has functions. */
void symbol_table_range(const struct symbol_table *t, uint64_t *ret_start, uint64_t *ret_end);

/* Move all addresses. Called before any other lookup than symbol_table_range(). */
void symbol_table_shift(struct symbol_table *t, uint64_t by);

#endif
