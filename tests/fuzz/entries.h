/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs of fuzz targets that stand for several files: a line "@NAME" begins one, whose bytes
 * follow.
 */
#ifndef TESTS_FUZZ_ENTRIES_H
#define TESTS_FUZZ_ENTRIES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A name is cut to this. */
#define ENTRY_NAME_MAX 60

typedef void (*entry_fn)(void *ctx, const char *name, const uint8_t *body, size_t size);

static inline const uint8_t *find_entry(const uint8_t *from, const uint8_t *end)
{
	while (from < end && (from = memchr(from, '\n', (size_t)(end - from)))) {
		from++;
		if (from < end && *from == '@')
			return from;
	}
	return end;
}

/* Call fn for each entry of input that begins with "@". */
static inline void entries_for_each(const uint8_t *data, size_t size, entry_fn fn, void *ctx)
{
	const uint8_t *end = data + size;

	for (const uint8_t *at = data, *next; at < end; at = next) {
		const uint8_t *line_end, *body;
		char name[ENTRY_NAME_MAX + 1];
		size_t len;

		next = find_entry(at, end);
		line_end = memchr(at, '\n', (size_t)(next - at));
		body = line_end ? line_end + 1 : next;
		len = (size_t)((line_end ? line_end : next) - at) - 1;
		len = len < ENTRY_NAME_MAX ? len : ENTRY_NAME_MAX;
		memcpy(name, at + 1, len);
		name[len] = '\0';
		fn(ctx, name, body, (size_t)(next - body));
	}
}

#endif
