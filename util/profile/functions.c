// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/base/path.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/usersym/demangle.h"
#include "util/usersym/kernel_image.h"

#define UNKNOWN "[unknown]"

struct frame_functions {
	struct function_place place; /* the key */
	uint32_t own;
	uint32_t first, nr; /* range in the lists; nr is 0 before the first lookup */
};

struct frame_line {
	struct function_place place;
	uint64_t level;	     /* the end of the key */
	uint32_t line, file; /* strings */
};

/* A frame's own function, and the offset in it. */
struct found {
	uint32_t number;
	uint64_t offset;
	uint64_t address; /* of the frame, in the file */
};

void functions_init(struct functions *f, struct profile *profile, const struct symbols *kernel,
		    bool inlined)
{
	*f = (struct functions){.profile = profile, .kernel = kernel, .inlined = inlined};
	table_init(&f->rows, sizeof(struct function), offsetof(struct function, in_user));
	table_init(&f->frames, sizeof(struct frame_functions), sizeof(struct function_place));
	table_init(&f->lines, sizeof(struct frame_line), offsetof(struct frame_line, line));
}

void functions_deinit(struct functions *f)
{
	table_deinit(&f->rows);
	table_deinit(&f->frames);
	table_deinit(&f->lines);
	free(f->lists);
}

/* key: complete except for the strings. */
static uint32_t add_function(struct functions *f, struct function key, const char *dso,
			     const char *name)
{
	struct intern *strings = &f->profile->strings;
	struct function *row;
	uint32_t number;

	key.dso = intern_add_str(strings, dso);
	key.name = name ? intern_add_str(strings, name) : INTERN_NONE;
	if (key.dso == INTERN_NONE || (name && key.name == INTERN_NONE))
		return FUNCTION_NONE;
	number = table_insert_number(&f->rows, &key);
	if (number == TABLE_NO_ROW)
		return FUNCTION_NONE;
	row = table_row(&f->rows, number);
	row->in_user = key.in_user;
	row->is_inlined = key.is_inlined;
	return number;
}

static struct found find_kernel(struct functions *f, uint64_t address)
{
	const struct symbol *sym = symbols_find(f->kernel, address);
	struct function key = {.start = sym ? sym->start : address};
	_cleanup_(strbuf_deinit) struct strbuf module = STRBUF_INIT;
	const char *dso = symbols_dso(f->kernel, f->profile->facts, sym, address, &module);

	if (module.failed)
		return (struct found){.number = FUNCTION_NONE};
	return (struct found){add_function(f, key, dso ? dso : UNKNOWN, sym ? sym->name : NULL),
			      address - key.start, address};
}

static struct found find_user(struct functions *f, uint64_t frame)
{
	struct function key = {.in_user = true};
	struct user_name name;

	if (!user_stacks_name(f->profile->user, frame, &name))
		return (struct found){.number = FUNCTION_NONE};
	key.start = name.symbol ? name.address - name.offset : name.address;
	return (struct found){add_function(f, key, name.dso ? name.dso : UNKNOWN, name.symbol),
			      name.symbol ? name.offset : 0, name.address};
}

static struct found find(struct functions *f, uint64_t frame)
{
	return user_stacks_is_frame(frame) ? find_user(f, frame) : find_kernel(f, frame);
}

static int add_to_list(struct functions *f, uint32_t number)
{
	uint32_t *v;

	if (number == FUNCTION_NONE)
		return -ENOMEM;
	v = array_room(f->lists, f->nr_lists, &f->cap_lists, sizeof(*v));
	if (!v)
		return -ENOMEM;
	f->lists = v;
	f->lists[f->nr_lists++] = number;
	return 0;
}

static int add_inlined(struct functions *f, bool in_user, uint32_t own, const char *name)
{
	const struct function key = {.in_user = in_user, .is_inlined = true};
	const char *dso = profile_string(f->profile, function_at(f, own)->dso);

	return add_to_list(f, add_function(f, key, dso, name));
}

/* The last of the lines belongs to the function with code of its own. */
static int add_inlined_in_user(struct functions *f, uint64_t frame, uint32_t own)
{
	const struct user_frame *lines;
	size_t nr;

	if (!user_stacks_lines(f->profile->user, frame, &lines, &nr))
		return -ENOMEM;
	for (size_t i = 0; i + 1 < nr; i++)
		if (lines[i].function && add_inlined(f, true, own, lines[i].function))
			return -ENOMEM;
	return 0;
}

/* Like source_lines_find(), for a kernel address, from the image. */
static size_t lines_of_kernel(struct functions *f, const struct function_place *place,
			      struct source_frame frames[SOURCE_FRAMES_MAX])
{
	struct source_lines *lines = f->image ? dso_lines(&f->image->dso) : NULL;

	return lines ? source_lines_find(
			       lines, place->frame - place->is_caller - f->image->moved_by, frames)
		     : 0;
}

static int add_inlined_in_kernel(struct functions *f, const struct function_place *place,
				 uint32_t own)
{
	_cleanup_(strbuf_deinit) struct strbuf name = STRBUF_INIT;
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t nr = lines_of_kernel(f, place, frames);

	for (size_t i = 0; i + 1 < nr; i++) {
		if (!frames[i].function)
			continue;
		strbuf_reset(&name);
		demangle(&name, frames[i].function);
		printable_strbuf(&name, 0);
		if (name.failed || add_inlined(f, false, own, name.buf))
			return -ENOMEM;
	}
	return 0;
}

static struct frame_functions *look_up(struct functions *f, const struct function_place *place)
{
	struct frame_functions *row = table_find(&f->frames, place);
	uint32_t own;

	if (row)
		return row;
	own = find(f, place->frame).number;
	row = own == FUNCTION_NONE ? NULL : table_insert(&f->frames, place);
	if (row)
		row->own = own;
	return row;
}

/* All functions of the frame, which needs debug information. */
static int make_list(struct functions *f, struct frame_functions *row)
{
	const size_t first = f->nr_lists;
	int ret = 0;

	if (f->inlined && user_stacks_is_frame(row->place.frame))
		ret = add_inlined_in_user(f, row->place.frame, row->own);
	else if (f->inlined)
		ret = add_inlined_in_kernel(f, &row->place, row->own);
	if (ret || add_to_list(f, row->own))
		return -ENOMEM;
	row->first = (uint32_t)first;
	row->nr = (uint32_t)(f->nr_lists - first);
	return 0;
}

size_t functions_of(struct functions *f, struct function_place place,
		    const uint32_t **ret_functions)
{
	struct frame_functions *row = look_up(f, &place);

	if (!row || (!row->nr && make_list(f, row)))
		return 0;
	*ret_functions = f->lists + row->first;
	return row->nr;
}

uint32_t functions_own(struct functions *f, uint64_t frame)
{
	const struct function_place place = {.frame = frame};
	const struct frame_functions *row = look_up(f, &place);

	return row ? row->own : FUNCTION_NONE;
}

const char *function_name(const struct functions *f, uint32_t number, struct strbuf *text)
{
	const struct function *fn = function_at(f, number);

	strbuf_reset(text);
	if (fn->name == INTERN_NONE)
		strbuf_addf(text, "%#" PRIx64, fn->start);
	else if (fn->is_inlined)
		strbuf_addf(text, "%s (inlined)", profile_string(f->profile, fn->name));
	else
		return profile_string(f->profile, fn->name);
	return text->buf;
}

const char *dso_short_name(const char *name)
{
	return *name == '/' ? path_base(name) : name;
}

static const char *file_name(const struct functions *f, const char *path)
{
	return f->whole_paths ? path : path_base(path);
}

/* Without debug information. */
static int add_place(struct functions *f, struct strbuf *text, uint64_t frame)
{
	const struct found found = find(f, frame);
	const struct function *fn;

	if (found.number == FUNCTION_NONE)
		return -ENOMEM;
	fn = function_at(f, found.number);
	if (fn->name != INTERN_NONE)
		return strbuf_addf(text, "%s+%" PRIu64, profile_string(f->profile, fn->name),
				   found.offset);
	return strbuf_addf(text, "%s[%" PRIx64 "]",
			   dso_short_name(profile_string(f->profile, fn->dso)), found.address);
}

/* For a kernel frame; the path is made in *path.  ret->file is NULL if unknown. */
static int find_kernel_line(struct functions *f, const struct frame_line *row, struct strbuf *path,
			    struct user_frame *ret)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];

	if (row->level >= lines_of_kernel(f, &row->place, frames) || !frames[row->level].file)
		return 0;
	strbuf_addstr(path, frames[row->level].file);
	printable_strbuf(path, 0);
	*ret = (struct user_frame){.file = path->buf, .line = frames[row->level].line};
	return path->failed ? -ENOMEM : 0;
}

/* ret->file is NULL if unknown. */
static int find_line(struct functions *f, const struct frame_line *row, struct strbuf *path,
		     struct user_frame *ret)
{
	const struct user_frame *lines;
	size_t nr;

	if (!user_stacks_is_frame(row->place.frame))
		return find_kernel_line(f, row, path, ret);
	if (!user_stacks_lines(f->profile->user, row->place.frame, &lines, &nr))
		return -ENOMEM;
	if (row->level < nr)
		*ret = lines[row->level];
	return 0;
}

static int make_line(struct functions *f, struct frame_line *row)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT, path = STRBUF_INIT;
	struct intern *strings = &f->profile->strings;
	struct user_frame line = {.file = NULL};

	if (find_line(f, row, &path, &line))
		return -ENOMEM;
	if (line.file) {
		row->file = intern_add_str(strings, file_name(f, line.file));
		strbuf_addf(&text, "%s:%" PRIu32, file_name(f, line.file), line.line);
	} else {
		row->file = intern_add_str(strings, "");
		if (add_place(f, &text, row->place.frame))
			return -ENOMEM;
	}
	row->line = text.failed ? INTERN_NONE : intern_add_str(strings, text.buf);
	return row->file == INTERN_NONE || row->line == INTERN_NONE ? -ENOMEM : 0;
}

static const struct frame_line *line_of(struct functions *f, struct function_place place,
					uint32_t level)
{
	struct frame_line key = {.place = place, .level = level}, *row;

	row = table_find(&f->lines, &key);
	if (row)
		return row;
	if (make_line(f, &key))
		return NULL;
	row = table_insert(&f->lines, &key);
	if (row)
		*row = key;
	return row;
}

uint32_t functions_line(struct functions *f, struct function_place place, uint32_t level)
{
	const struct frame_line *line = line_of(f, place, level);

	return line ? line->line : INTERN_NONE;
}

uint32_t functions_file(struct functions *f, struct function_place place, uint32_t level)
{
	const struct frame_line *line = line_of(f, place, level);

	return line ? line->file : INTERN_NONE;
}
