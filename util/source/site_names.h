/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct site_names: addresses for call sites of which only the names are known.
 *
 * What the kernel writes as text ("vfs_read+0x1c/0x90 [ext4]") has no addresses, but events, tables
 * and reports know call sites by nothing else.  So each distinct function (name, module, size) gets
 * a range of addresses that no kernel uses.  It follows from a hash of the three, and is the same
 * in every run and for every input, except that of two functions which hash alike (1 in 2^39 pairs)
 * the one met second gets the next free range.  The addresses mean nothing to anybody else: do not
 * show them as addresses of the kernel.  The names are copied, and printable
 * (util/base/printable.h).
 */
#ifndef SOURCE_SITE_NAMES_H
#define SOURCE_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/symbol.h"
#include "util/base/table.h"

/* So that an input which is nothing but names does not fill the memory. */
#define SITE_NAMES_MAX (1u << 20)

/* Bytes of a range; an offset beyond it is cut to fit. */
#define SITE_NAME_RANGE (1u << 20)

/* A function; the strings need no NUL. */
struct site_name {
	const char *symbol;
	size_t symbol_len;
	const char *module; /* NULL: the kernel itself */
	size_t module_len;
	uint64_t size; /* bytes; 0: unknown */
};

struct site_names {
	struct table ranges; /* u64 number of the range -> struct symbol * */
};

void site_names_init(struct site_names *n);
void site_names_deinit(struct site_names *n);

/*
 * The address at this offset in the function, which gets a range if it is new.  0: there are
 * SITE_NAMES_MAX others already. Errors: -ENOMEM.
 */
int site_names_address(struct site_names *n, const struct site_name *name, uint64_t offset,
		       uint64_t *ret_address);

/*
 * The same for a frame as the kernel prints it: "vfs_read+0x1c/0x90 [ext4]", with blanks around it
 * and, from old kernels, "[<ffffffff81234567>] " in front of it, or the address itself
 * ("0xffffffffa0065027"), of which nothing needs to be made up.  Of a name without offset and size
 * ("vfs_read") both are unknown.  0: it is neither. Errors: -ENOMEM.
 */
int site_names_parse(struct site_names *n, const char *text, size_t len, uint64_t *ret_address);

/* The function that the address was made up for; NULL: it was not made up here. */
const struct symbol *site_names_find(const struct site_names *n, uint64_t address);

/* Could the address be made up? */
static inline bool site_names_has_range(uint64_t address)
{
	return address >> 60 == 8;
}

#endif
