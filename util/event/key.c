// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/key.h"

#include <errno.h>
#include <stdlib.h>
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

bool key_names_sweep_is_due(const struct key_names *n)
{
	return intern_sweep_is_due(&n->strings) || intern_sweep_is_due(&n->stacks);
}

int key_marks_init(struct key_marks *m, const struct key_names *n)
{
	*m = (struct key_marks){
		.strings = calloc(n->strings.nr + 1, 1),
		.stacks = calloc(n->stacks.nr + 1, 1),
		.nr_strings = n->strings.nr,
		.nr_stacks = n->stacks.nr,
	};
	if (m->strings && m->stacks)
		return 0;
	key_marks_deinit(m);
	return -ENOMEM;
}

void key_marks_deinit(struct key_marks *m)
{
	free(m->strings);
	free(m->stacks);
	*m = (struct key_marks){.strings = NULL};
}

void key_marks_add_string(struct key_marks *m, uint64_t number)
{
	if (number < m->nr_strings)
		m->strings[number] = 1;
}

void key_marks_add_stack(struct key_marks *m, uint64_t number)
{
	if (number < m->nr_stacks)
		m->stacks[number] = 1;
}

void key_marks_add(struct key_marks *m, enum kmem_key key, uint64_t value)
{
	if (key == KEY_STACK || key == KEY_USTACK)
		key_marks_add_stack(m, value);
	else if (keys[key].kind == KEY_KIND_STRING)
		key_marks_add_string(m, value);
}

int key_names_sweep(struct key_names *n, const struct key_marks *m)
{
	int ret = intern_sweep(&n->strings, m->strings);

	return ret ? ret : intern_sweep(&n->stacks, m->stacks);
}

const char *kmem_key_name(enum kmem_key key)
{
	return keys[key].name;
}

enum allocator kmem_key_allocators(enum kmem_key key)
{
	return keys[key].allocators;
}

key_mask_t kmem_keys_of(enum allocator allocator)
{
	key_mask_t bits = 0;

	for (int key = 0; key < KEY_NR; key++)
		if (keys[key].allocators & allocator)
			bits |= KEY_BIT(key);
	return bits;
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

#define AGE_CLASS_ROW(id, ...) [AGE_##id] = {__VA_ARGS__},

static const struct {
	uint64_t limit_ns;
	const char *name;
} classes[AGE_CLASSES_NR] = {AGE_CLASSES(AGE_CLASS_ROW)};

enum age_class age_class_of(uint64_t age_ns)
{
	int c = 0;

	while (age_ns > classes[c].limit_ns)
		c++;
	return (enum age_class)c;
}

uint64_t age_class_limit_ns(uint64_t age_class)
{
	return age_class < AGE_CLASSES_NR ? classes[age_class].limit_ns : UINT64_MAX;
}

const char *age_class_name(uint64_t age_class)
{
	return age_class < AGE_CLASSES_NR ? classes[age_class].name : NULL;
}
