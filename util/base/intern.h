/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct intern: byte strings to small numbers, each string stored once.
 *
 * Numbers count from 0 in the order of first sight and never change.  The strings
 * (of names, or of a callchain's addresses) are owned by the intern; a pointer to one
 * holds until the next intern_add().  Strings are chosen by others, so they are hashed with a key
 * (hash.h).  Errors: -ENOMEM, as INTERN_NONE.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/hash.h"
#include "util/base/table.h"

#define INTERN_NONE UINT32_MAX

struct intern {
	struct table index; /* hash of the string -> its number */
	struct hash_key key;
	struct intern_entry *entries;
	uint8_t *pool;
	size_t nr, cap, used, pool_cap;
};

void intern_init(struct intern *it);
void intern_deinit(struct intern *it);

/* The number of the string, stored when it is new; INTERN_NONE: no memory. */
uint32_t intern_add(struct intern *it, const void *data, size_t len);
uint32_t intern_add_str(struct intern *it, const char *s);

/* The number of a string that is there; INTERN_NONE: it is not. */
uint32_t intern_find(const struct intern *it, const void *data, size_t len);

/* The string with this number, with a NUL behind it; aligned to 8. *ret_len may be NULL. */
const void *intern_get(const struct intern *it, uint32_t number, size_t *ret_len);

#endif
