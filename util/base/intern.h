/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct intern: byte strings to small numbers, each string stored once.
 *
 * Numbers count from 0 in the order in which strings were first seen and never change.  The strings
 * (names, or the addresses of a callchain) are owned by the intern; a pointer to one is valid until
 * the next intern_add() or sweep.  Strings that only ever were added as passing ones are forgotten
 * by a sweep if nobody holds their numbers any more, and new strings get those numbers.  Strings
 * may be chosen by an attacker, so they are hashed with a key (hash.h).  Errors: -ENOMEM, as
 * INTERN_NONE.
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
	size_t nr; /* numbers given, of which forgotten ones have an empty string */
	size_t cap, used, pool_cap;
	size_t nr_passing, nr_passing_left; /* now, and after the latest sweep */
	uint32_t forgotten;		    /* the latest forgotten number; INTERN_NONE: none */
};

void intern_init(struct intern *it);
void intern_deinit(struct intern *it);

/* The number of the string, which is stored if it is new; INTERN_NONE: no memory. */
uint32_t intern_add(struct intern *it, const void *data, size_t len);
uint32_t intern_add_str(struct intern *it, const char *s);

/* The same for a string that may be forgotten. */
uint32_t intern_add_passing(struct intern *it, const void *data, size_t len);

/* Are there so many passing strings, twice as many as a sweep left, that one is worth it? */
bool intern_sweep_is_due(const struct intern *it);

/*
 * Forget passing strings. held: a byte for each of the `nr` numbers, other than 0 if somebody holds
 * it. Errors: -ENOMEM, with nothing changed.
 */
int intern_sweep(struct intern *it, const uint8_t *held);

/* The number of a known string, or INTERN_NONE. */
uint32_t intern_find(const struct intern *it, const void *data, size_t len);

/* The string with this number, followed by a NUL; aligned to 8. *ret_len may be NULL. */
const void *intern_get(const struct intern *it, uint32_t number, size_t *ret_len);

#endif
