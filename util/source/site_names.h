/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct site_names: made-up addresses for call sites without real ones.
 *
 * Kernel texts ("vfs_read+0x1c/0x90 [ext4]") have no addresses, but events, tables and reports
 * identify call sites by address. So each distinct function (name, module, size) gets a range of
 * addresses that no kernel uses. The range follows from a hash of the three, and is the same in
 * every run and for every input. If two functions have the same hash (1 in 2^39 pairs), the second
 * one gets the next free range. The addresses have no meaning outside this program: do not show
 * them as kernel addresses. The names are copied, and printable (util/base/printable.h).
 */
#ifndef SOURCE_SITE_NAMES_H
#define SOURCE_SITE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/symbol.h"
#include "util/base/table.h"

/* Limits memory for an input that consists of names only. */
#define SITE_NAMES_MAX (1u << 20)

/* Bytes of a range; larger offsets are reduced to fit. */
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
 * The address at this offset in the function, which gets a range if it is new; 0 if there are
 * SITE_NAMES_MAX others already. Errors: -ENOMEM.
 */
int site_names_address(struct site_names *n, const struct site_name *name, uint64_t offset,
		       uint64_t *ret_address);

/*
 * The same for a frame as printed by the kernel: "vfs_read+0x1c/0x90 [ext4]". It may have blanks
 * around it and, from old kernels, "[<ffffffff81234567>] " before it. A real address
 * ("0xffffffffa0065027") is used itself. A name without offset and size ("vfs_read") is accepted;
 * both are unknown then. 0 if it is neither. Errors: -ENOMEM.
 */
int site_names_parse(struct site_names *n, const char *text, size_t len, uint64_t *ret_address);

/* Returns the function for a made-up address, or NULL if the address is not one of these. */
const struct symbol *site_names_find(const struct site_names *n, uint64_t address);

/* Whether the address is in the range of made-up addresses. */
static inline bool site_names_has_range(uint64_t address)
{
	return address >> 60 == 8;
}

#endif
