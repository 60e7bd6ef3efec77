/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys: the values that allocations can be grouped and sorted by.
 *
 * The value of a key always has 64 bits: a number, an address, or the number of an interned string
 * or callchain (struct key_names). A key is defined by its line in key_list.h.
 */
#ifndef EVENT_KEY_H
#define EVENT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/event/key_list.h"

#define KMEM_KEY_ENUM(id, ...) KEY_##id,
enum kmem_key { KMEM_KEYS(KMEM_KEY_ENUM) KEY_NR };

/* A set of keys. One bit after the last key is free for BYTES_BIT of account.h. */
typedef uint64_t key_mask_t;

#define KEY_BIT(key) ((key_mask_t)1 << (key))

/* The keys that need the id of the control group. */
#define CGROUP_KEYS                                                                                \
	(KEY_BIT(KEY_CGROUP) | KEY_BIT(KEY_CONTAINER) | KEY_BIT(KEY_POD) | KEY_BIT(KEY_UNIT))

_Static_assert(KEY_NR < 64, "a key_mask_t has a bit for each key, and one more");

/* Bits: the allocators that have the key. */
enum allocator {
	ALLOCATOR_SLAB = 1,
	ALLOCATOR_PAGE = 2,
	ALLOCATOR_VMALLOC = 4,
	ALLOCATOR_PERCPU = 8,
	/* sets */
	ALLOCATOR_BOTH = ALLOCATOR_SLAB | ALLOCATOR_PAGE, /* those of stock */
	ALLOCATOR_GFP = ALLOCATOR_BOTH | ALLOCATOR_PERCPU,
	ALLOCATOR_POINTERS = ALLOCATOR_SLAB | ALLOCATOR_VMALLOC | ALLOCATOR_PERCPU,
	ALLOCATOR_ALL = ALLOCATOR_BOTH | ALLOCATOR_VMALLOC | ALLOCATOR_PERCPU,
};

enum key_kind {
	KEY_KIND_UNSIGNED,
	KEY_KIND_SIGNED,
	KEY_KIND_STRING, /* by the interned string */
};

/* Interned strings and callchains that values of keys refer to. */
struct key_names {
	struct intern strings;
	struct intern stacks; /* arrays of u64 addresses, innermost first */
};

void key_names_init(struct key_names *n);
void key_names_deinit(struct key_names *n);

/* Marks of the numbers that are in use, a byte for each, for intern_sweep(). */
struct key_marks {
	uint8_t *strings, *stacks;
	size_t nr_strings, nr_stacks;
};

/* Whether forgetting unused names pays. */
bool key_names_sweep_is_due(const struct key_names *n);

/* Clear the marks. Errors: -ENOMEM. */
int key_marks_init(struct key_marks *m, const struct key_names *n);
void key_marks_deinit(struct key_marks *m);

void key_marks_add_string(struct key_marks *m, uint64_t number);
void key_marks_add_stack(struct key_marks *m, uint64_t number);

/* Mark the name of a value of the key, if it has one. */
void key_marks_add(struct key_marks *m, enum kmem_key key, uint64_t value);

/* Forget temporary names without a mark. Errors: -ENOMEM. */
int key_names_sweep(struct key_names *n, const struct key_marks *m);

const char *kmem_key_name(enum kmem_key key);
enum allocator kmem_key_allocators(enum kmem_key key);
/* Bits of the keys that the allocator's allocations have. */
key_mask_t kmem_keys_of(enum allocator allocator);
enum key_kind kmem_key_kind(enum kmem_key key);

/* The key with this name of len bytes, or KEY_NR. */
enum kmem_key kmem_key_find(const char *name, size_t len);

/* Returns < 0, 0 or > 0. names: may be NULL if no value is interned. */
int kmem_key_compare(enum kmem_key key, const struct key_names *names, uint64_t a, uint64_t b);

/*
 * Classes of age: the values of KEY_AGE. A class contains ages up to its limit and above the limit
 * of the class before.
 */

/* id, limit in ns, name */
#define AGE_CLASSES(CLASS)                                                                         \
	CLASS(1MS, 1000000ull, "1 ms")                                                             \
	CLASS(10MS, 10000000ull, "10 ms")                                                          \
	CLASS(100MS, 100000000ull, "100 ms")                                                       \
	CLASS(1S, 1000000000ull, "1 s")                                                            \
	CLASS(10S, 10000000000ull, "10 s")                                                         \
	CLASS(1MIN, 60000000000ull, "1 min")                                                       \
	CLASS(10MIN, 600000000000ull, "10 min")                                                    \
	CLASS(1H, 3600000000000ull, "1 h")                                                         \
	CLASS(1DAY, 86400000000000ull, "1 day")                                                    \
	CLASS(OLDER, UINT64_MAX, "any")

#define AGE_CLASS_ENUM(id, ...) AGE_##id,
enum age_class { AGE_CLASSES(AGE_CLASS_ENUM) AGE_CLASSES_NR };

enum age_class age_class_of(uint64_t age_ns);

/* In ns; UINT64_MAX for the last class, and for an invalid one. */
uint64_t age_class_limit_ns(uint64_t age_class);

/* "10 ms"; NULL if it is not a class. */
const char *age_class_name(uint64_t age_class);

#endif
