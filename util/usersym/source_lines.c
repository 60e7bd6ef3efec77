// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/source_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(HAVE_LIBDW) && defined(HAVE_LIBELF)
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "util/base/array.h"

/* Limits for hostile files, which may repeat ranges or nest functions without end: steps for the
 * indexes of a file, and data kept of a file and of a function. */
#define INDEX_STEPS (1u << 26)
#define RANGE_BYTES 2 /* bytes of the file for each range that is kept, at least */

/* To find an entry's sibling, libdw passes over its children, once for each level. Limits: bytes
 * for all indexes, and multiples of the file's size. */
#define PASSED_BYTES (1u << 24)
#define PASSED_TIMES 16
#define INLINED_MAX  (1u << 16)
#define NESTING_MAX  64

/* Addresses of a unit, or of a function in a unit. */
struct range {
	uint64_t start, end;
	uint64_t number; /* number of the unit or function */
};

struct ranges {
	struct range *v;
	size_t nr, cap;
};

/* Addresses of an inlined function. */
struct inlined {
	uint64_t start, end;
	uint32_t number, parent;  /* parent: number of the inlined function around it; 0: none */
	struct source_frame call; /* its name, and the line of its call */
};

struct function {
	Dwarf_Off die;
	const char *name;
	struct inlined *inlined; /* outer ones come first */
	size_t nr, cap;
	uint32_t last_number;
	bool is_indexed;
};

struct unit {
	Dwarf_Die die;
	struct ranges ranges; /* of its functions */
	struct function *functions;
	size_t nr, cap;
	bool is_indexed;
};

struct source_lines {
	Dwarf *dwarf;
	struct unit *units;
	size_t nr_units, cap_units;
	struct ranges of_units;
	uint32_t steps; /* remaining steps for indexes */
	size_t ranges;	/* remaining ranges to keep */
	size_t passed;	/* remaining bytes to pass over */
	bool is_indexed;
};

/* ---- ranges ---- */

static int add_range(struct ranges *r, uint64_t start, uint64_t end, uint64_t number)
{
	struct range *v;

	if (start >= end || !start)
		return 0; /* dropped by the linker: it starts at 0 */
	v = array_room(r->v, r->nr, &r->cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	r->v = v;
	r->v[r->nr++] = (struct range){start, end, number};
	return 0;
}

/* Sort by start, then the longest first, so that the innermost is found. */
static int compare_ranges(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void sort_ranges(struct ranges *r)
{
	if (r->nr)
		qsort(r->v, r->nr, sizeof(*r->v), compare_ranges);
}

/* The last-starting range that contains the address; few ranges overlap. */
static const struct range *find_range(const struct ranges *r, uint64_t address)
{
	size_t n = array_count_upto(r->v, r->nr, sizeof(*r->v), address);

	for (size_t i = 0; i < NESTING_MAX && n; i++)
		if (address < r->v[--n].end)
			return &r->v[n];
	return NULL;
}

/* A walk through the ranges of an entry; starts with zeroes. libdw adds later ranges to the base
 * that it left there. */
struct range_walk {
	ptrdiff_t at;
	Dwarf_Addr base, start, end;
};

/* The next range of an entry. Returns false at the end, or at the limit. */
static bool next_range(struct source_lines *l, Dwarf_Die *die, struct range_walk *w)
{
	w->at = l->ranges ? dwarf_ranges(die, w->at, &w->base, &w->start, &w->end) : 0;
	if (w->at <= 0)
		return false;
	l->ranges--;
	return true;
}

/* Add the ranges of an entry. */
static int add_ranges_of(struct source_lines *l, struct ranges *r, Dwarf_Die *die, uint64_t number)
{
	struct range_walk w = {0};
	int ret = 0;

	while (!ret && next_range(l, die, &w))
		ret = add_range(r, w.start, w.end, number);
	return ret;
}

/* ---- indexes ---- */

static int add_unit(struct source_lines *l, const Dwarf_Die *die)
{
	struct unit *units = array_room(l->units, l->nr_units, &l->cap_units, sizeof(*units));

	if (!units)
		return -ENOMEM;
	l->units = units;
	l->units[l->nr_units++] = (struct unit){.die = *die};
	return 0;
}

static int index_units(struct source_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;
	int ret = 0;

	l->is_indexed = true;
	while (!ret && l->steps && !dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, &split)) {
		l->steps--;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		ret = add_ranges_of(l, &l->of_units, &die, l->nr_units);
		if (!ret)
			ret = add_unit(l, type == DW_UT_skeleton && split.addr ? &split : &die);
	}
	if (ret)
		l->of_units.nr = 0;
	sort_ranges(&l->of_units);
	return ret;
}

/* The next sibling of an entry. Stops where a broken file leads backwards, does not end, or exceeds
 * the limit. */
static bool next_sibling(struct source_lines *l, Dwarf_Die *die)
{
	Dwarf_Die next = {.addr = NULL};
	int ret = dwarf_siblingof(die, &next); /* 1: there is no sibling */
	size_t passed = (uintptr_t)next.addr - (uintptr_t)die->addr;

	if (ret < 0 || !next.addr || !passed || passed > l->passed) {
		l->steps = 0;
		return false;
	}
	l->passed -= passed;
	if (!ret)
		*die = next;
	return !ret;
}

static int add_function(struct source_lines *l, struct unit *unit, Dwarf_Die *die)
{
	struct function *v;
	size_t nr_ranges = unit->ranges.nr;
	int ret = add_ranges_of(l, &unit->ranges, die, unit->nr);

	if (ret || unit->ranges.nr == nr_ranges)
		return ret; /* it has no code: inlined everywhere, or defined elsewhere */
	v = array_room(unit->functions, unit->nr, &unit->cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	unit->functions = v;
	unit->functions[unit->nr++] = (struct function){.die = dwarf_dieoffset(die)};
	return 0;
}

static int index_functions(struct source_lines *l, struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int ret = 0;

	if (depth > NESTING_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (!l->steps)
			break;
		l->steps--;
		if (tag == DW_TAG_subprogram)
			ret = add_function(l, unit, &die);
		if (!ret &&
		    (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module))
			ret = index_functions(l, unit, &die, depth + 1);
	} while (!ret && next_sibling(l, &die));
	return ret;
}

/* The unit that contains the address, with its functions indexed. NULL if none, or out of
 * memory. */
static struct unit *find_unit(struct source_lines *l, uint64_t address)
{
	const struct range *range;
	struct unit *unit;

	if (!l->is_indexed && index_units(l))
		return NULL;
	range = find_range(&l->of_units, address);
	unit = range ? &l->units[range->number] : NULL;
	if (!unit || unit->is_indexed)
		return unit;
	unit->is_indexed = true;
	if (index_functions(l, unit, &unit->die, 0))
		unit->ranges.nr = 0;
	sort_ranges(&unit->ranges);
	return unit;
}

/* ---- lookups ---- */

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Dwarf_Attribute attr;
		const char *name =
			dwarf_attr_integrate(die, names[i], &attr) ? dwarf_formstring(&attr) : NULL;

		if (name)
			return name;
	}
	return NULL;
}

static bool number_of(Dwarf_Die *die, unsigned int name, Dwarf_Word *ret_number)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, ret_number);
}

/* The name of an inlined function, and the line of its call. */
static struct source_frame call_of(struct unit *unit, Dwarf_Die *die)
{
	struct source_frame call = {.function = name_of(die)};
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (number_of(die, DW_AT_call_file, &number) &&
	    !dwarf_getsrcfiles(&unit->die, &files, &nr) && number < nr)
		call.file = dwarf_filesrc(files, number, NULL, NULL);
	if (number_of(die, DW_AT_call_line, &number) && number <= INT32_MAX)
		call.line = (uint32_t)number;
	return call;
}

static int add_inlined(struct source_lines *l, struct unit *unit, struct function *f,
		       Dwarf_Die *die, uint32_t parent)
{
	struct source_frame call = call_of(unit, die);
	struct range_walk w = {0};

	f->last_number++;
	while (f->nr < INLINED_MAX && next_range(l, die, &w)) {
		struct inlined *v = array_room(f->inlined, f->nr, &f->cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		f->inlined = v;
		f->inlined[f->nr++] =
			(struct inlined){w.start, w.end, f->last_number, parent, call};
	}
	return 0;
}

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static int index_inlined(struct source_lines *l, struct unit *unit, struct function *f,
			 Dwarf_Die *in, uint32_t parent, int depth)
{
	Dwarf_Die die;
	int ret = 0;

	if (depth > 4 * NESTING_MAX || dwarf_child(in, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (!l->steps)
			break;
		l->steps--;
		if (tag == DW_TAG_inlined_subroutine) {
			ret = add_inlined(l, unit, f, &die, parent);
			if (!ret)
				ret = index_inlined(l, unit, f, &die, f->last_number, depth + 1);
		} else if (is_block(tag)) {
			ret = index_inlined(l, unit, f, &die, parent, depth + 1);
		}
	} while (!ret && next_sibling(l, &die));
	return ret;
}

/* The function that contains the address, with its inlined functions indexed. NULL if none. */
static const struct function *find_function(struct source_lines *l, struct unit *unit,
					    uint64_t address)
{
	const struct range *range = find_range(&unit->ranges, address);
	struct function *f = range ? &unit->functions[range->number] : NULL;
	Dwarf_Die die;

	if (!f || f->is_indexed)
		return f;
	f->is_indexed = true;
	if (!dwarf_offdie(dwarf_cu_getdwarf(unit->die.cu), f->die, &die))
		return f;
	f->name = name_of(&die);
	if (index_inlined(l, unit, f, &die, 0, 0))
		f->nr = 0;
	return f;
}

/* The functions inlined at the address, outermost first. */
static size_t find_inlined(const struct function *f, uint64_t address,
			   const struct inlined *chain[SOURCE_FRAMES_MAX])
{
	uint32_t in = 0;
	size_t nr = 0;

	for (size_t i = 0; i < f->nr && nr + 1 < SOURCE_FRAMES_MAX; i++) {
		const struct inlined *c = &f->inlined[i];

		if (c->parent != in || address < c->start || address >= c->end)
			continue;
		chain[nr++] = c;
		in = c->number;
	}
	return nr;
}

static void line_of_address(struct unit *unit, uint64_t address, struct source_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	int number = 0;

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		frame->line = (uint32_t)number;
}

size_t source_lines_find(struct source_lines *l, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX])
{
	const struct inlined *chain[SOURCE_FRAMES_MAX];
	struct unit *unit = find_unit(l, address);
	const struct function *f;
	size_t nr;

	if (!unit)
		return 0;
	frames[0] = (struct source_frame){0};
	line_of_address(unit, address, &frames[0]);
	f = find_function(l, unit, address);
	if (!f)
		return frames[0].file != NULL;
	nr = find_inlined(f, address, chain);
	for (size_t i = 0; i < nr; i++) {
		const struct source_frame *call = &chain[nr - 1 - i]->call;

		frames[i].function = call->function;
		frames[i + 1] = (struct source_frame){.file = call->file, .line = call->line};
	}
	frames[nr].function = f->name;
	return nr + 1;
}

int source_lines_open(const struct elf_file *f, const char *path, struct source_lines **ret_lines,
		      struct error *err)
{
	struct source_lines *l;

	if (!elf_file_has_section(f, ".debug_info") && !elf_file_has_section(f, ".zdebug_info"))
		return error_set(err, ENODATA, "'%s' has no debug information", path);
	l = calloc(1, sizeof(*l));
	if (!l)
		return error_nomem(err);
	l->steps = INDEX_STEPS;
	l->passed = PASSED_BYTES + PASSED_TIMES * f->size;
	l->ranges = INDEX_STEPS;
	if (f->size && f->size / RANGE_BYTES < l->ranges)
		l->ranges = f->size / RANGE_BYTES;
	l->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (!l->dwarf) {
		free(l);
		return error_set(err, ENODATA, "the debug information of '%s' cannot be read: %s",
				 path, dwarf_errmsg(-1));
	}
	*ret_lines = l;
	return 0;
}

void source_lines_close(struct source_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr_units; i++) {
		struct unit *unit = &l->units[i];

		for (size_t j = 0; j < unit->nr; j++)
			free(unit->functions[j].inlined);
		free(unit->functions);
		free(unit->ranges.v);
	}
	free(l->units);
	free(l->of_units.v);
	dwarf_end(l->dwarf);
	free(l);
}

#else

int source_lines_open(const struct elf_file *f, const char *path, struct source_lines **ret_lines,
		      struct error *err)
{
	(void)f;
	(void)ret_lines;
	return error_set(err, ENOTSUP, "no source lines of '%s': this perf was built without libdw",
			 path);
}

void source_lines_close(struct source_lines *l)
{
	(void)l;
}

size_t source_lines_find(struct source_lines *l, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX])
{
	(void)l;
	(void)address;
	(void)frames;
	return 0;
}

#endif
