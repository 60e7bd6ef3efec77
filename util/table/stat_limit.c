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

int stat_limit_init(struct stat_limit *l, const uint64_t *stored_bytes, struct key_names *names)
{
	*l = (struct stat_limit){
		.stored_bytes = stored_bytes,
		.string = intern_add_str(&names->strings, LABEL_OTHERS),
		.stack = intern_add(&names->stacks, NULL, 0),
	};
	return l->string == INTERN_NONE || l->stack == INTERN_NONE ? -ENOMEM : 0;
}

bool stat_limit_has_room(const struct stat_limit *l, uint32_t nr_rows, bool large)
{
	const uint64_t stored = __atomic_load_n(l->stored_bytes, __ATOMIC_RELAXED);

	return nr_rows < unpacked_held_max(stored) / (large ? BYTES_PER_LARGE_ROW : BYTES_PER_ROW);
}

uint64_t stat_limit_other(const struct stat_limit *l, enum kmem_key key, uint64_t value)
{
	switch (key) {
	case KEY_STACK:
	case KEY_USTACK:
		return l->stack;
	case KEY_PTR:
	case KEY_PAGE:
		return 0;
	case KEY_PID:
	case KEY_TID:
		return UINT64_MAX;
	case KEY_COMM:
	case KEY_CGROUP:
		return l->string;
	default:
		return value;
	}
}
