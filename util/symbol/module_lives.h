/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct module_lives: the functions of modules that were loaded or unloaded during a recording.
 *
 * Made from the source's module lines (util/source/facts.h). A module shares its addresses with
 * others that were there before or after it. An address in such a module therefore gets an
 * identity: an address that no kernel uses. Events, tables and reports use identities instead of
 * real addresses. An address whose module is gone has another identity, without a name. All other
 * addresses are their own identities. A module that is loaded again at the same addresses keeps its
 * identities.
 *
 * Only the decoding thread calls module_lives_read() and module_lives_identity(); any thread may
 * call the other functions meanwhile.
 */
#ifndef SYMBOL_MODULE_LIVES_H
#define SYMBOL_MODULE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/symbol.h"
#include "util/symbol/symbol_table.h"

struct module_lives;

/* text: the source's lines, which may grow; it must outlive the lives. NULL if out of memory. */
struct module_lives *module_lives_new(const struct strbuf *text);
void module_lives_free(struct module_lives *l);

/*
 * Read new lines. tables: used for a module whose functions were not read when it was loaded.
 * Returns 0, or -ENOMEM.
 */
int module_lives_read(struct module_lives *l, const struct symbol_table *tables, size_t nr_tables);

/* Whether there are no lives. Each address is its own identity then. */
bool module_lives_none(const struct module_lives *l);

/* The identity of an address in an event of this time. Fast if events are mostly in time order. */
uint64_t module_lives_identity(struct module_lives *l, uint64_t address, uint64_t time_ns);

/* Changes whenever identities may have changed. */
uint32_t module_lives_epoch(struct module_lives *l, uint64_t time_ns);

/* The real address of an identity. */
uint64_t module_lives_address(const struct module_lives *l, uint64_t identity);

/* The function that contains an identity; its addresses are identities, too. NULL if none does. */
const struct symbol *module_lives_find(const struct module_lives *l, uint64_t identity);

/* Whether a module was loaded at this real address later. Names from the end do not apply
 * before. */
bool module_lives_replaced(const struct module_lives *l, uint64_t address);

#endif
