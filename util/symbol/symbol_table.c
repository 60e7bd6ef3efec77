// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/symbol_table.h"

#include <errno.h>
#include <pthread.h>
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
static const char *clean_name(const struct symbol_table *t, const char *name, size_t len)
{
	char *s = t->text + (name - t->text);

	s[len < SYMBOL_NAME_MAX ? len : SYMBOL_NAME_MAX - 1] = '\0';
	printable_make(s);
	return label_fixed(s);
}

/* ---- reading the addresses ------------------------------------------------------------------ */

/* For lines of one address: text precedes data, then the last line comes first. */
static void keep_best(struct symbol_line *kept, const struct symbol_line *later)
{
	if (later->is_function || !kept->is_function)
		*kept = *later;
}

static int add(struct symbol_table *t, size_t *cap, const struct symbol_line *line)
{
	struct symbol_line *v = t->lines;

	if (t->nr_lines && v[t->nr_lines - 1].address == line->address) {
		keep_best(&v[t->nr_lines - 1], line);
		return 0;
	}
	v = array_room(v, t->nr_lines, cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->lines = v;
	t->lines[t->nr_lines++] = *line;
	return 0;
}

static int parse(struct symbol_table *t)
{
	const char *pos = t->text, *end = t->text + t->len;
	struct kallsyms_line line;
	size_t cap = 0;
	bool any_address = false;

	for (size_t i = 0; i < SYMBOLS_MAX && kallsyms_next_start(&pos, end, &line); i++) {
		struct symbol_line own = {
			.address = line.address,
			.at = (uint32_t)(line.text - t->text),
			.is_function = kallsyms_is_text(line.type),
		};

		any_address |= line.address != 0;
		if (add(t, &cap, &own))
			return -ENOMEM;
	}
	t->hidden = t->nr_lines && !any_address;
	if (t->hidden)
		t->nr_lines = 0;
	return 0;
}

static struct kallsyms_line line_at(const struct symbol_table *t, size_t i)
{
	const char *pos = t->text + t->lines[i].at;
	struct kallsyms_line line = {0};

	kallsyms_next(&pos, t->text + t->len, &line);
	return line;
}

/* How far the kernel was moved since the text was made. */
static uint64_t find_move(const struct symbol_table *t, const char *reference, uint64_t address)
{
	const char *pos = t->text, *end = t->text + t->len;
	struct kallsyms_line line;

	while (reference[0] && kallsyms_next_start(&pos, end, &line)) {
		if (line.name[0] != reference[0])
			continue;
		kallsyms_finish(&line);
		if (!line.module && line.name_len == strlen(reference) &&
		    !memcmp(line.name, reference, line.name_len))
			return address - line.address;
	}
	return 0;
}

/* Move the kernel's symbols, and drop those of modules. */
static void move_kernel(struct symbol_table *t, uint64_t by)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_lines; i++) {
		if (line_at(t, i).module)
			continue;
		t->lines[nr] = t->lines[i];
		t->lines[nr++].address += by;
	}
	t->nr_lines = nr;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_lines(const void *x, const void *y)
{
	const struct symbol_line *a = x, *b = y;
	int ret = compare_u64(a->address, b->address);

	return ret ? ret : compare_u64(a->at, b->at);
}

/* The kernel's own symbols are sorted. Those of modules follow, and are sorted in part: sort from
 * the first line after which a lower address comes. */
static void sort(struct symbol_table *t)
{
	size_t sorted = t->nr_lines ? 1 : 0, from = 0, nr = 0;
	struct symbol_line *v = t->lines;
	uint64_t lowest = UINT64_MAX;

	while (sorted < t->nr_lines && v[sorted - 1].address < v[sorted].address)
		sorted++;
	if (sorted == t->nr_lines)
		return;
	for (size_t i = sorted; i < t->nr_lines; i++)
		lowest = v[i].address < lowest ? v[i].address : lowest;
	if (lowest)
		from = array_count_upto(v, sorted, sizeof(*v), lowest - 1);
	qsort(v + from, t->nr_lines - from, sizeof(*v), compare_lines);
	for (size_t i = 0; i < t->nr_lines; i++) {
		if (nr && v[nr - 1].address == v[i].address)
			keep_best(&v[nr - 1], &v[i]);
		else
			v[nr++] = v[i];
	}
	t->nr_lines = nr;
}

int symbol_table_init(struct symbol_table *t, char *text, size_t len, const char *reference,
		      uint64_t reference_address, uint64_t *ret_moved_by)
{
	*t = (struct symbol_table){.text = text, .len = len < UINT32_MAX ? len : UINT32_MAX};
	if (parse(t)) {
		symbol_table_deinit(t);
		return -ENOMEM;
	}
	*ret_moved_by = t->nr_lines ? find_move(t, reference, reference_address) : 0;
	if (*ret_moved_by)
		move_kernel(t, *ret_moved_by);
	sort(t);
	for (size_t i = 0; i < t->nr_lines; i++)
		t->nr += t->lines[i].is_function;
	/* memory that is never touched costs nothing */
	t->v = calloc(t->nr_lines ? t->nr_lines : 1, sizeof(*t->v));
	if (!t->v) {
		symbol_table_deinit(t);
		return -ENOMEM;
	}
	return 0;
}

void symbol_table_deinit(struct symbol_table *t)
{
	free(t->lines);
	free(t->v);
	free(t->text);
	*t = (struct symbol_table){0};
}

void symbol_table_shift(struct symbol_table *t, uint64_t by)
{
	for (size_t i = 0; i < t->nr_lines; i++)
		t->lines[i].address += by;
	t->shifted_by += by;
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* Symbols may be asked for by several threads. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

/* Read the symbol of line i, except its addresses. */
static const struct symbol *read_names(const struct symbol_table *t, size_t i)
{
	struct symbol *sym = &t->v[i];
	struct kallsyms_line line;

	if (!sym->name) {
		line = line_at(t, i);
		sym->type = line.type;
		sym->name = clean_name(t, line.name, line.name_len);
		sym->module = line.module ? clean_name(t, line.module, line.module_len) : NULL;
	}
	return sym;
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
static bool reaches(const struct symbol *sym, const struct symbol *next, uint64_t distance)
{
	if (!same_module(sym, next))
		return false;
	if (!sym->module)
		return true;
	return strcmp(sym->module, "bpf") != 0 && distance <= FUNCTION_MAX;
}

static uint64_t find_end(const struct symbol_table *t, size_t i)
{
	uint64_t start = t->lines[i].address - t->shifted_by, end = page_end(start), next;

	if (end < start)
		end = UINT64_MAX;
	if (i + 1 < t->nr_lines) {
		next = t->lines[i + 1].address - t->shifted_by;
		if (next < end || reaches(read_names(t, i), read_names(t, i + 1), next - start))
			end = next;
	}
	return end + t->shifted_by;
}

const struct symbol *symbol_table_at(const struct symbol_table *t, size_t i)
{
	struct symbol *sym = &t->v[i];

	if (!t->lines[i].is_function)
		return NULL;
	/* the end is set last */
	if (__atomic_load_n(&sym->end, __ATOMIC_ACQUIRE))
		return sym;
	pthread_mutex_lock(&reading);
	if (!sym->end) {
		read_names(t, i);
		sym->start = t->lines[i].address;
		__atomic_store_n(&sym->end, find_end(t, i), __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&reading);
	return sym;
}

void symbol_table_range(const struct symbol_table *t, uint64_t *ret_start, uint64_t *ret_end)
{
	size_t first = 0, last = t->nr_lines - 1;

	while (!t->lines[first].is_function)
		first++;
	while (!t->lines[last].is_function)
		last--;
	*ret_start = t->lines[first].address;
	pthread_mutex_lock(&reading);
	*ret_end = find_end(t, last);
	pthread_mutex_unlock(&reading);
}

const struct symbol *symbol_table_find(const struct symbol_table *t, uint64_t address)
{
	size_t n = array_count_upto(t->lines, t->nr_lines, sizeof(*t->lines), address);
	const struct symbol *sym = n ? symbol_table_at(t, n - 1) : NULL;

	return sym && address < sym->end ? sym : NULL;
}
