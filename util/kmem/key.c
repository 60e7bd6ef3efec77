// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/key.h"

#include <string.h>

#define KEY_ROW(id, name, allocator, kind, ...)                                                    \
	[KEY_##id] = {name, ALLOCATOR_##allocator, KEY_KIND_##kind},

static const struct {
	const char *name;
	enum allocator allocators;
	enum key_kind kind;
} keys[KEY_NR] = {KMEM_KEYS(KEY_ROW)};

void key_names_init(struct key_names *n)
{
	intern_init(&n->strings);
	intern_init(&n->stacks);
}

void key_names_deinit(struct key_names *n)
{
	intern_deinit(&n->strings);
	intern_deinit(&n->stacks);
}

const char *kmem_key_name(enum kmem_key key)
{
	return keys[key].name;
}

enum allocator kmem_key_allocators(enum kmem_key key)
{
	return keys[key].allocators;
}

enum key_kind kmem_key_kind(enum kmem_key key)
{
	return keys[key].kind;
}

enum kmem_key kmem_key_find(const char *name, size_t len)
{
	int key = 0;

	while (key < KEY_NR && (strlen(keys[key].name) != len || memcmp(keys[key].name, name, len)))
		key++;
	return (enum kmem_key)key;
}

int kmem_key_compare(enum kmem_key key, const struct key_names *names, uint64_t a, uint64_t b)
{
	switch (keys[key].kind) {
	case KEY_KIND_SIGNED:
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	case KEY_KIND_STRING:
		return a == b ? 0
			      : strcmp(intern_get(&names->strings, (uint32_t)a, NULL),
				       intern_get(&names->strings, (uint32_t)b, NULL));
	default:
		return (a > b) - (a < b);
	}
}
