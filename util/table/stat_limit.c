// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_limit.h"

#include <errno.h>

#include "util/base/label.h"
#include "util/source/unpacking.h"

/* Parts of unpacked_held_max(). */
#define BYTES_PER_ROW	    512
#define BYTES_PER_LARGE_ROW 2048

_Static_assert((64 << 20) / BYTES_PER_LARGE_ROW >= STAT_LIMIT_MIN,
	       "the least limit of unpacked_held_max() is enough");

/* Keys that take new values for as long as the system runs. */
#define OPEN_KEYS                                                                                  \
	(KEY_BIT(KEY_STACK) | KEY_BIT(KEY_USTACK) | KEY_BIT(KEY_PTR) | KEY_BIT(KEY_PAGE) |         \
	 KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | CGROUP_KEYS)

bool stat_others_has(enum kmem_key key)
{
	return OPEN_KEYS >> key & 1;
}

uint64_t stat_others_key(const struct stat_others *o, enum kmem_key key, uint64_t value)
{
	if (!stat_others_has(key))
		return value;
	if (key == KEY_STACK || key == KEY_USTACK)
		return o->stack;
	switch (kmem_key_kind(key)) {
	case KEY_KIND_STRING:
		return o->string;
	case KEY_KIND_SIGNED:
		return UINT64_MAX;
	default:
		return 0;
	}
}

int stat_limit_init(struct stat_limit *l, const uint64_t *stored_bytes, uint32_t max_rows,
		    struct key_names *names)
{
	*l = (struct stat_limit){
		.stored_bytes = max_rows ? NULL : stored_bytes,
		.free_rows = max_rows ? max_rows : STAT_LIMIT_MIN,
		.others = {.string = intern_add_str(&names->strings, LABEL_OTHERS),
			   .stack = intern_add(&names->stacks, NULL, 0)},
	};
	return l->others.string == INTERN_NONE || l->others.stack == INTERN_NONE ? -ENOMEM : 0;
}

bool stat_limit_has_room(const struct stat_limit *l, uint32_t nr_rows, bool large)
{
	uint64_t stored;

	if (nr_rows < l->free_rows || !l->stored_bytes)
		return nr_rows < l->free_rows;
	stored = __atomic_load_n(l->stored_bytes, __ATOMIC_RELAXED);
	return nr_rows < unpacked_held_max(stored) / (large ? BYTES_PER_LARGE_ROW : BYTES_PER_ROW);
}
