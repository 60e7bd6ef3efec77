/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct late_symbols: what /proc/kallsyms has beyond the copy of an earlier run
 * (util/host/kallsyms_copy.h).
 *
 * The copy lacks modules and BPF programs. So the kernel's own list is read when an address is not
 * in the copy, which is never the case where only the kernel itself allocates.
 */
#ifndef SYMBOL_LATE_SYMBOLS_H
#define SYMBOL_LATE_SYMBOLS_H

#include "util/symbol/module_space.h"
#include "util/symbol/symbol_table.h"

struct late_symbols;

/* kallsyms: KALLSYMS_PATH, or that of a test; not copied. NULL: out of memory. */
struct late_symbols *late_symbols_new(const char *kallsyms);
void late_symbols_free(struct late_symbols *l);

/* The table, which the first call reads. It is empty if the file cannot be read. Any thread
 * may call it. */
const struct symbol_table *late_symbols_table(struct late_symbols *l);

/* The space of the table's modules (module_space_add()). Empty until the table is read. */
const struct module_space *late_symbols_modules(const struct late_symbols *l);

#endif
