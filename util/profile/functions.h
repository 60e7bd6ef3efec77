/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct functions: the functions of frames as numbers, with their names and lines.
 *
 * Each distinct frame is looked up once, after everything has been read. A frame has one function
 * with code of its own, which may be unknown, and the functions inlined there. Two frames have the
 * same function if file, start and name are equal. Numbers count from 0; strings are numbers of the
 * profile's. Errors: -ENOMEM, as FUNCTION_NONE.
 */
#ifndef PROFILE_FUNCTIONS_H
#define PROFILE_FUNCTIONS_H

#include "util/profile/profile.h"
#include "util/symbol/symbols.h"

#define FUNCTION_NONE UINT32_MAX

struct function {
	/* the key */
	uint64_t start; /* address; without a name, that of the frame; 0: inlined */
	uint32_t dso;	/* string: a path, "[kernel.kallsyms]", "[ext4]" or "[unknown]" */
	uint32_t name;	/* string; INTERN_NONE if unknown */
	/* */
	bool in_user, is_inlined;
};

struct kernel_image;

/* A frame, and whether it is a kernel frame that called another: then its address is after the
 * call. User-space frames contain that information. */
struct function_place {
	uint64_t frame;
	uint64_t is_caller; /* 0 or 1 */
};

struct functions {
	struct profile *profile;
	const struct symbols *kernel;
	struct kernel_image
		*image;	     /* source of lines and inlined functions of the kernel; may be NULL */
	bool inlined;	     /* look for inlined functions, too */
	bool whole_paths;    /* names of source files */
	struct table rows;   /* struct function */
	struct table frames; /* struct function_place -> struct frame_functions */
	struct table lines;  /* place and level -> struct frame_line */
	uint32_t *lists;
	size_t nr_lists, cap_lists;
};

/* The profile must outlive it, and the names of the kernel, which must exist before the first
 * lookup. */
void functions_init(struct functions *f, struct profile *profile, const struct symbols *kernel,
		    bool inlined);
void functions_deinit(struct functions *f);

/* The functions of a frame, innermost first, valid until the next call. 0 if out of memory. */
size_t functions_of(struct functions *f, struct function_place place,
		    const uint32_t **ret_functions);

static inline struct function_place function_place_in(const struct profile_chain *chain, size_t i)
{
	const uint64_t frame = profile_frame(chain, i);

	return (struct function_place){.frame = frame,
				       .is_caller = i && !user_stacks_is_frame(frame)};
}

/* The function with code of its own. */
uint32_t functions_own(struct functions *f, uint64_t frame);

static inline const struct function *function_at(const struct functions *f, uint32_t number)
{
	return table_row(&f->rows, number);
}

/* Whether it has no symbol. */
static inline bool function_is_unknown(const struct functions *f, uint32_t number)
{
	return function_at(f, number)->name == INTERN_NONE;
}

/* "main", "main (inlined)" or "0x4012"; made in `text`, which is emptied first, if it is not a
 * permanent string. */
const char *function_name(const struct functions *f, uint32_t number, struct strbuf *text);

/* A path without its directories; other names unchanged. */
const char *dso_short_name(const char *name);

/*
 * The source location of a frame as a string: "file.c:12"; without debug information "function+12",
 * or "file[address]". level: index in the functions of the frame, 0 is the innermost. INTERN_NONE
 * if out of memory.
 */
uint32_t functions_line(struct functions *f, struct function_place place, uint32_t level);

/* The same without the line; "" without debug information. */
uint32_t functions_file(struct functions *f, struct function_place place, uint32_t level);

#endif
