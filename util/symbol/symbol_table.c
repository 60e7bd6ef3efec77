// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/label.h"
#include "util/base/printable.h"
#include "util/host/kallsyms.h"

#define PAGE 4096u

/* A kernel with all its modules has less than a million symbols. Further lines are ignored. */
#define SYMBOLS_MAX (1u << 21)

/* Larger than any function of a module. */
#define FUNCTION_MAX (64u << 10)

/* Names come from a file: they may contain any bytes and have any length. The byte after a name may
 * be overwritten. */
static const char *clean_name(struct symbol_table *t, const char *name, size_t len)
{
	char *s = t->text + (name - t->text);

	s[len < SYMBOL_NAME_MAX ? len : SYMBOL_NAME_MAX - 1] = '\0';
	printable_make(s);
	return label_fixed(s);
}

static struct symbol symbol_of(struct symbol_table *t, const struct kallsyms_line *l)
{
	return (struct symbol){
		.start = l->address,
		.name = clean_name(t, l->name, l->name_len),
		.module = l->module ? clean_name(t, l->module, l->module_len) : NULL,
		.type = l->type,
	};
}

static int add(struct symbol_table *t, size_t *cap, struct symbol sym)
{
	struct symbol *v = array_room(t->v, t->nr, cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	t->v = v;
	t->v[t->nr++] = sym;
	return 0;
}

static int parse(struct symbol_table *t, size_t len)
{
	const char *pos = t->text, *end = t->text + len;
	struct kallsyms_line line;
	size_t cap = 0;
	bool any_address = false;

	while (t->nr < SYMBOLS_MAX && kallsyms_next(&pos, end, &line)) {
		any_address |= line.address != 0;
		if (add(t, &cap, symbol_of(t, &line)))
			return -ENOMEM;
	}
	t->hidden = t->nr && !any_address;
	if (t->hidden)
		t->nr = 0;
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_symbols(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;
	int ret = compare_u64(a->start, b->start);

	/* of several names for one address, text precedes data, then the last line comes first */
	if (!ret)
		ret = kallsyms_is_text(b->type) - kallsyms_is_text(a->type);
	/* the text is one buffer, so pointers are in the order of lines */
	return ret ? ret : compare_u64((uintptr_t)b->name, (uintptr_t)a->name);
}

static bool is_sorted(const struct symbol_table *t)
{
	for (size_t i = 1; i < t->nr; i++)
		if (t->v[i - 1].start >= t->v[i].start)
			return false;
	return true;
}

static uint64_t page_end(uint64_t address)
{
	return (address + PAGE + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool same_module(const struct symbol *a, const struct symbol *b)
{
	if (!a->module || !b->module)
		return a->module == b->module;
	return !strcmp(a->module, b->module);
}

/*
 * Whether the symbol may reach up to the next one. It may not across the gap between two
 * allocations of a module, or between two BPF programs, which kallsyms lists as module "bpf".
 */
static bool reaches(const struct symbol *sym, const struct symbol *next)
{
	if (!same_module(sym, next))
		return false;
	if (!sym->module)
		return true;
	return strcmp(sym->module, "bpf") != 0 && next->start - sym->start <= FUNCTION_MAX;
}

/* Sort, keep one name for each address, set the ends, then drop symbols that are not text. */
static void arrange(struct symbol_table *t)
{
	size_t nr = 0, text = 0;

	if (!is_sorted(t))
		qsort(t->v, t->nr, sizeof(*t->v), compare_symbols);
	for (size_t i = 0; i < t->nr; i++)
		if (!nr || t->v[nr - 1].start != t->v[i].start)
			t->v[nr++] = t->v[i];
	for (size_t i = 0; i < nr; i++) {
		struct symbol *sym = &t->v[i];
		const struct symbol *next = i + 1 < nr ? sym + 1 : NULL;

		sym->end = page_end(sym->start);
		if (sym->end < sym->start)
			sym->end = UINT64_MAX;
		if (next && (reaches(sym, next) || next->start < sym->end))
			sym->end = next->start;
	}
	for (size_t i = 0; i < nr; i++)
		if (kallsyms_is_text(t->v[i].type))
			t->v[text++] = t->v[i];
	t->nr = text;
}

static void move(struct symbol_table *t, const char *reference, uint64_t address,
		 uint64_t *ret_moved_by)
{
	uint64_t by = 0;
	size_t nr = 0;

	for (size_t i = 0; reference[0] && i < t->nr; i++) {
		if (t->v[i].module || strcmp(t->v[i].name, reference) != 0)
			continue;
		by = address - t->v[i].start;
		break;
	}
	*ret_moved_by = by;
	if (!by)
		return;
	for (size_t i = 0; i < t->nr; i++) {
		if (t->v[i].module)
			continue;
		t->v[nr] = t->v[i];
		t->v[nr++].start += by;
	}
	t->nr = nr;
}

int symbol_table_init(struct symbol_table *t, char *text, size_t len, const char *reference,
		      uint64_t reference_address, uint64_t *ret_moved_by)
{
	int ret;

	*t = (struct symbol_table){.text = text};
	ret = parse(t, len);
	if (ret) {
		symbol_table_deinit(t);
		return ret;
	}
	move(t, reference, reference_address, ret_moved_by);
	arrange(t);
	return 0;
}

void symbol_table_deinit(struct symbol_table *t)
{
	free(t->v);
	free(t->text);
	*t = (struct symbol_table){0};
}

const struct symbol *symbol_table_find(const struct symbol_table *t, uint64_t address)
{
	size_t n = array_count_upto(t->v, t->nr, sizeof(*t->v), address);

	return n && address < t->v[n - 1].end ? &t->v[n - 1] : NULL;
}
