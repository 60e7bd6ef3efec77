// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"

int elf_symbols_add(struct elf_symbols *s, const struct elf_symbol *sym)
{
	struct elf_symbol *v = array_room(s->v, s->nr, &s->cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	s->v = v;
	s->v[s->nr] = *sym;
	s->v[s->nr++].name_len = (uint32_t)strnlen(sym->name, ELF_SYMBOL_RANKED);
	return 0;
}

/* Sort by start address, then by quality of the name, best first. */
static int compare(const void *x, const void *y)
{
	const struct elf_symbol *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->name_len != b->name_len)
		return a->name_len > b->name_len ? -1 : 1;
	return memcmp(a->name, b->name, a->name_len);
}

/* Functions that contain the current address, the innermost one last. */
struct open_functions {
	struct elf_symbol *v;
	size_t nr;
};

static int emit(struct elf_symbols *out, const struct elf_symbol *sym, uint64_t from, uint64_t to)
{
	struct elf_symbol piece = *sym;

	if (from >= to)
		return 0;
	piece.function = sym->start;
	piece.start = from;
	piece.end = to;
	return elf_symbols_add(out, &piece);
}

/* Advance to this address: close functions that end before it, and emit their pieces. */
static int advance(struct elf_symbols *out, struct open_functions *open, uint64_t *at, uint64_t to)
{
	int ret = 0;

	while (open->nr && !ret) {
		const struct elf_symbol *top = &open->v[open->nr - 1];
		uint64_t end = top->end < to ? top->end : to;

		ret = emit(out, top, *at, end);
		if (*at < end)
			*at = end;
		if (top->end > to)
			break;
		open->nr--;
	}
	if (*at < to)
		*at = to;
	return ret;
}

/* Cut overlapping functions, sorted and with one name for each start, into disjoint pieces. */
static int flatten(struct elf_symbols *s)
{
	struct open_functions open = {.v = reallocarray(NULL, s->nr + 1, sizeof(*open.v))};
	struct elf_symbols out = {0};
	uint64_t at = 0;
	int ret = open.v ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->nr && !ret; i++) {
		struct elf_symbol sym = s->v[i];

		ret = advance(&out, &open, &at, sym.start);
		if (!sym.has_size && open.nr) {
			if (sym.is_label)
				continue;
			if (sym.end > open.v[open.nr - 1].end)
				sym.end = open.v[open.nr - 1].end;
		}
		if (!sym.has_size && i + 1 < s->nr && sym.end > s->v[i + 1].start)
			sym.end = s->v[i + 1].start;
		open.v[open.nr++] = sym;
	}
	if (!ret)
		ret = advance(&out, &open, &at, UINT64_MAX);
	free(open.v);
	free(s->v);
	*s = out;
	return ret;
}

int elf_symbols_arrange(struct elf_symbols *s)
{
	size_t nr = 0;

	if (!s->nr)
		return 0;
	qsort(s->v, s->nr, sizeof(*s->v), compare);
	for (size_t i = 0; i < s->nr; i++)
		if (!nr || s->v[nr - 1].start != s->v[i].start)
			s->v[nr++] = s->v[i];
	s->nr = nr;
	return flatten(s);
}

void elf_symbols_deinit(struct elf_symbols *s)
{
	free(s->v);
	*s = (struct elf_symbols){0};
}

/* The number of functions that start at or before the address. */
static size_t nr_before(const struct elf_symbols *s, uint64_t address)
{
	return array_count_upto(s->v, s->nr, sizeof(*s->v), address);
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *s, uint64_t address)
{
	size_t n = nr_before(s, address);

	return n && address < s->v[n - 1].end ? &s->v[n - 1] : NULL;
}

uint64_t elf_symbols_end(const struct elf_symbols *s, uint64_t function)
{
	uint64_t end = function;
	size_t i = nr_before(s, function);

	/* nested functions lie between its pieces */
	for (i -= i > 0; i < s->nr; i++)
		if (s->v[i].function == function)
			end = s->v[i].end;
	return end;
}
