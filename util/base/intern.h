/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct intern: maps byte strings to small numbers; each string is stored once.
 *
 * Numbers count from 0 in the order in which strings were first added and never change. The intern
 * owns the strings (names, or the addresses of a callchain); a pointer to one is valid until the
 * next intern_add() or sweep.
 *
 * A sweep forgets strings that were only added as passing ones and whose numbers are not held any
 * more. New strings get these numbers. Strings may be chosen by an attacker, so they are hashed
 * with a key (hash.h). Errors: -ENOMEM, as INTERN_NONE.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
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
	size_t nr; /* number of numbers; forgotten ones have an empty string */
	size_t cap, used, pool_cap;
	size_t nr_passing, nr_passing_left; /* now; after the latest sweep */
	uint32_t forgotten;		    /* latest forgotten number; INTERN_NONE: none */
};

void intern_init(struct intern *it);
void intern_deinit(struct intern *it);

/* Returns the number of the string, which is stored if it is new; INTERN_NONE if out of memory. */
uint32_t intern_add(struct intern *it, const void *data, size_t len);
uint32_t intern_add_str(struct intern *it, const char *s);

/* intern_add() for a string that may be forgotten. */
uint32_t intern_add_passing(struct intern *it, const void *data, size_t len);

/* Whether a sweep pays off: there are twice as many passing strings as the last sweep left. */
bool intern_sweep_is_due(const struct intern *it);

/*
 * Forget passing strings. held: one byte for each of the `nr` numbers, not 0 if the number is still
 * used. Errors: -ENOMEM, with nothing changed.
 */
int intern_sweep(struct intern *it, const uint8_t *held);

/* Returns the number of a known string, or INTERN_NONE. */
uint32_t intern_find(const struct intern *it, const void *data, size_t len);

/* Returns the string with this number, followed by a NUL and aligned to 8. *ret_len may be NULL. */
const void *intern_get(const struct intern *it, uint32_t number, size_t *ret_len);

#endif
