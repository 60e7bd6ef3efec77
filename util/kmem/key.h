/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys: what allocations can be grouped and sorted by.
 *
 * The value of a key is always 64 bits: a number, an address, or the number of an
 * interned string or callchain (struct key_names).  Which allocators know a key and how
 * its values are compared is one line of the table in key.c; how they are shown is
 * one line of the table in util/report/key_format.c.
 */
#ifndef KMEM_KEY_H
#define KMEM_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"

enum kmem_key {
	KEY_CALLSITE, /* address; 0: unknown */
	KEY_STACK,    /* callchain from the call site on, interned */
	KEY_PTR,
	KEY_PAGE,  /* pfn, or the address of struct page in old recordings */
	KEY_CACHE, /* interned */
	KEY_COMM,  /* interned */
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	KEY_NODE,   /* asked for, else that of the CPU; -1: not known */
	KEY_MODULE, /* of the call site, interned */
	KEY_GFP,
	KEY_ORDER,
	KEY_MIGRATETYPE,
	KEY_ACCOUNTED, /* 0, 1 */
	KEY_SIZE,      /* bytes asked for, rounded up to a power of two */
	KEY_NR,
};

/* Whose key it is: bits. */
enum allocator { ALLOCATOR_SLAB = 1, ALLOCATOR_PAGE = 2, ALLOCATOR_BOTH = 3 };

enum key_kind {
	KEY_KIND_UNSIGNED,
	KEY_KIND_SIGNED,
	KEY_KIND_STRING, /* by the interned string */
};

/* Interned strings and callchains that values of keys stand for. */
struct key_names {
	struct intern strings;
	struct intern stacks; /* arrays of u64 addresses, innermost first */
};

void key_names_init(struct key_names *n);
void key_names_deinit(struct key_names *n);

const char *kmem_key_name(enum kmem_key key);
enum allocator kmem_key_allocators(enum kmem_key key);
enum key_kind kmem_key_kind(enum kmem_key key);

/* By name, of len bytes; KEY_NR when there is none. */
enum kmem_key kmem_key_find(const char *name, size_t len);

/* < 0, 0, > 0. names: may be NULL when no value is interned. */
int kmem_key_compare(enum kmem_key key, const struct key_names *names, uint64_t a, uint64_t b);

#endif
