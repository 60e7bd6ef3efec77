// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/user_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/label.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/usersym/demangle.h"

struct user_dso {
	char *name; /* printable */
	bool is_open;
	struct dso dso;
};

struct function_row {
	uint64_t file, start;
	char *name;
};

struct lines_row {
	uint64_t file, address;
	struct user_frame *frames;
	uint64_t nr;
};

/* A name from DWARF as printed. */
struct string_row {
	uint64_t raw; /* where libdw has the name in memory */
	char *text;
};

static int compare_paths(const void *x, const void *y)
{
	const struct source_build_id *const *a = x, *const *b = y;

	return strcmp((*a)->path, (*b)->path);
}

int user_names_init(struct user_names *n, const struct process_maps *maps,
		    const struct source_facts *recording, const struct dso_search *search,
		    struct error *err)
{
	*n = (struct user_names){.maps = maps, .recording = recording};
	table_init(&n->functions, sizeof(struct function_row), 2 * sizeof(uint64_t));
	table_init(&n->lines, sizeof(struct lines_row), 2 * sizeof(uint64_t));
	table_init(&n->strings, sizeof(struct string_row), sizeof(uint64_t));
	if (search)
		n->search = *search;
	n->nr_dsos = process_maps_nr_files(maps);
	n->dsos = calloc((size_t)n->nr_dsos + 1, sizeof(*n->dsos));
	n->build_ids = calloc(recording->nr_build_ids + 1, sizeof(struct source_build_id *));
	if (!n->dsos || !n->build_ids) {
		user_names_deinit(n);
		return error_nomem(err);
	}
	for (size_t i = 0; i < recording->nr_build_ids; i++)
		if (!recording->build_ids[i].of_kernel)
			n->build_ids[n->nr_build_ids++] = &recording->build_ids[i];
	qsort(n->build_ids, n->nr_build_ids, sizeof(struct source_build_id *), compare_paths);
	return 0;
}

void user_names_deinit(struct user_names *n)
{
	for (uint32_t i = 0; i < n->functions.nr; i++)
		free(((struct function_row *)table_row(&n->functions, i))->name);
	for (uint32_t i = 0; i < n->lines.nr; i++)
		free(((struct lines_row *)table_row(&n->lines, i))->frames);
	for (uint32_t i = 0; i < n->strings.nr; i++)
		free(((struct string_row *)table_row(&n->strings, i))->text);
	table_deinit(&n->functions);
	table_deinit(&n->lines);
	table_deinit(&n->strings);
	for (uint32_t i = 0; n->dsos && i < n->nr_dsos; i++) {
		free(n->dsos[i].name);
		if (n->dsos[i].is_open)
			dso_deinit(&n->dsos[i].dso);
	}
	free(n->dsos);
	free(n->build_ids);
	*n = (struct user_names){0};
}

static const struct source_build_id *find_build_id(const struct user_names *n, const char *path)
{
	struct source_build_id key = {.path = (char *)(uintptr_t)path};
	const struct source_build_id *key_ptr = &key, **found;

	found = bsearch(&key_ptr, n->build_ids, n->nr_build_ids, sizeof(key_ptr), compare_paths);
	return found ? *found : NULL;
}

/* New files may appear while the recording is read. */
static int make_room(struct user_names *n, uint32_t file)
{
	uint32_t nr = file >= 2 * n->nr_dsos ? file + 1 : 2 * n->nr_dsos;
	struct user_dso *v;

	if (file < n->nr_dsos)
		return 0;
	v = reallocarray(n->dsos, nr, sizeof(*v));
	if (!v)
		return -ENOMEM;
	memset(v + n->nr_dsos, 0, (nr - n->nr_dsos) * sizeof(*v));
	n->dsos = v;
	n->nr_dsos = nr;
	return 0;
}

/* On the heap, printable, and quoted if it is a label. NULL if out of memory. */
static char *printable_name(const char *name)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, name);
	printable_strbuf(&text, 0);
	label_strbuf(&text, 0);
	return strbuf_detach(&text);
}

static struct user_dso *open_dso(struct user_names *n, uint32_t file)
{
	struct mapped_file mapped;
	struct user_dso *d;

	if (make_room(n, file))
		return NULL;
	d = &n->dsos[file];
	if (d->is_open)
		return d;
	mapped = process_maps_file(n->maps, file);
	if (!d->name)
		d->name = printable_name(mapped.path);
	if (!d->name)
		return NULL;
	if (dso_init(&d->dso, &mapped, find_build_id(n, mapped.path), n->recording, &n->search,
		     NULL))
		return NULL;
	d->is_open = true;
	return d;
}

struct dso *user_names_dso(struct user_names *n, uint32_t file)
{
	struct user_dso *d = open_dso(n, file);

	return d ? &d->dso : NULL;
}

const char *user_names_why_not(const struct user_names *n, uint32_t file)
{
	const struct user_dso *d = file < n->nr_dsos ? &n->dsos[file] : NULL;

	return d && d->is_open && d->dso.why_not[0] ? d->dso.why_not : NULL;
}

/* The name of a function, made at the first call. NULL if out of memory. */
static const char *function_name(struct user_names *n, uint32_t file, const struct elf_symbol *sym)
{
	struct function_row key = {.file = file, .start = sym->function}, *row;
	struct strbuf name = STRBUF_INIT;

	row = table_find(&n->functions, &key);
	if (row)
		return row->name;
	demangle(&name, sym->name);
	if (sym->is_plt)
		strbuf_addstr(&name, "@plt");
	printable_strbuf(&name, 0);
	label_strbuf(&name, 0);
	key.name = strbuf_detach(&name);
	row = key.name ? table_insert(&n->functions, &key) : NULL;
	if (!row) {
		free(key.name);
		return NULL;
	}
	row->name = key.name;
	return row->name;
}

int user_names_find(struct user_names *n, struct mapped_address at, struct user_name *ret_name)
{
	const struct elf_symbol *sym = NULL;
	struct user_name name = {.address = at.offset};
	struct user_dso *d = open_dso(n, at.file);

	if (!d)
		return -ENOMEM;
	name.dso = d->name;
	if (dso_address(&d->dso, at.offset, &name.address))
		sym = elf_symbols_find(&d->dso.symbols, name.address);
	if (sym) {
		name.symbol = function_name(n, at.file, sym);
		name.offset = name.address - sym->function;
		if (!name.symbol)
			return -ENOMEM;
	}
	*ret_name = name;
	return 0;
}

/* A name from DWARF as printed, made at the first call. NULL if out of memory. */
static const char *printed(struct user_names *n, const char *raw)
{
	struct string_row key = {.raw = (uintptr_t)raw}, *row = table_find(&n->strings, &key);
	struct strbuf text = STRBUF_INIT;

	if (row)
		return row->text;
	demangle(&text, raw);
	printable_strbuf(&text, 0);
	key.text = strbuf_detach(&text);
	row = key.text ? table_insert(&n->strings, &key) : NULL;
	if (!row) {
		free(key.text);
		return NULL;
	}
	row->text = key.text;
	return row->text;
}

static int make_frames(struct user_names *n, const struct user_name *name,
		       const struct source_frame *raw, size_t nr, struct user_frame *frames)
{
	for (size_t i = 0; i < nr; i++) {
		struct user_frame *f = &frames[i];

		f->line = raw[i].line;
		f->file = raw[i].file ? printed(n, raw[i].file) : NULL;
		f->function = raw[i].function ? printed(n, raw[i].function) : NULL;
		if ((raw[i].file && !f->file) || (raw[i].function && !f->function))
			return -ENOMEM;
	}
	if (name->symbol)
		frames[nr - 1].function = name->symbol;
	return 0;
}

int user_names_lines(struct user_names *n, struct mapped_address at,
		     const struct user_frame **ret_frames, size_t *ret_nr)
{
	struct lines_row key = {.file = at.file, .address = at.offset};
	struct source_frame raw[SOURCE_FRAMES_MAX];
	const struct lines_row *known = table_find(&n->lines, &key);
	struct source_lines *lines;
	struct lines_row *row;
	struct user_name name;
	int ret;

	if (known) {
		*ret_frames = known->frames;
		*ret_nr = known->nr;
		return 0;
	}
	ret = user_names_find(n, at, &name);
	if (ret)
		return ret;
	lines = dso_lines(&n->dsos[at.file].dso);
	if (lines && dso_address(&n->dsos[at.file].dso, at.offset, &name.address))
		key.nr = source_lines_find(lines, name.address, raw);
	if (key.nr) {
		key.frames = calloc(key.nr, sizeof(*key.frames));
		if (!key.frames || make_frames(n, &name, raw, key.nr, key.frames)) {
			free(key.frames);
			return -ENOMEM;
		}
	}
	row = table_insert(&n->lines, &key);
	if (!row) {
		free(key.frames);
		return -ENOMEM;
	}
	*row = key;
	*ret_frames = row->frames;
	*ret_nr = row->nr;
	return 0;
}
