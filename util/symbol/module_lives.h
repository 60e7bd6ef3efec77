/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct module_lives: the functions of modules that were loaded or unloaded during a recording.
 *
 * Made of the source's module lines (util/source/facts.h).  A module that was loaded later shares
 * its addresses with whatever was there before.  So an address in such a module has an identity of
 * its own, an address that no kernel uses.  Events, tables and reports use it instead of the real
 * address. An address whose module is gone has another identity, without a name.  All other
 * addresses are their own identities.  A module that is loaded again at the same addresses is the
 * same one.
 *
 * module_lives_read() and module_lives_identity() are for the thread that decodes; the other
 * functions may be called by any thread meanwhile.
 */
#ifndef SYMBOL_MODULE_LIVES_H
#define SYMBOL_MODULE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/symbol.h"
#include "util/symbol/symbol_table.h"

struct module_lives;

/* text: the source's lines, to which it may add; it must outlive the lives. NULL: no memory. */
struct module_lives *module_lives_new(const struct strbuf *text);
void module_lives_free(struct module_lives *l);

/*
 * Read them. tables: for the functions of a module whose names were not read when it was loaded.
 * Returns 0 or -ENOMEM.
 */
int module_lives_read(struct module_lives *l, const struct symbol_table *tables, size_t nr_tables);

/* Are there no lives? Then each address is its own identity. */
bool module_lives_none(const struct module_lives *l);

/* The identity of an address in an event of this time; events come mostly in the order of time. */
uint64_t module_lives_identity(struct module_lives *l, uint64_t address, uint64_t time_ns);

/* Changes when an address may have another identity than before. */
uint32_t module_lives_epoch(struct module_lives *l, uint64_t time_ns);

/* The real address of an identity. */
uint64_t module_lives_address(const struct module_lives *l, uint64_t identity);

/* The function that contains an identity, whose addresses are identities, too; NULL: none here. */
const struct symbol *module_lives_find(const struct module_lives *l, uint64_t identity);

/* Was a module loaded at this real address later? Then names from the end do not apply before. */
bool module_lives_replaced(const struct module_lives *l, uint64_t address);

#endif
