/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct area_functions: kernel functions that show what an area of vmalloc space is for.
 *
 * Some are between alloc_vmap_area() and the caller whose memory it is; they are skipped on the way
 * to the call site. Others are callers. Names are compared without compiler suffixes
 * (".isra.0"), offsets and modules.
 */
#ifndef EVENT_AREA_FUNCTIONS_H
#define EVENT_AREA_FUNCTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/error.h"
#include "util/event/area_use.h"

struct area_functions {
	regex_t *regexes;
	size_t nr;
};

/* Errors: -ENOMEM. Deinit is allowed after an error. */
int area_functions_init(struct area_functions *f, struct error *err);
void area_functions_deinit(struct area_functions *f);

/*
 * The use that a function shows; AREA_OTHER: none. *ret_skipped: it is not the call site. The name
 * may be as the kernel prints it, "dup_task_struct.isra.0+0x1/0x2 [module]", and need no NUL.
 */
enum area_use area_functions_find(const struct area_functions *f, const char *name, size_t len,
				  bool *ret_skipped);

/*
 * The use that functions show, from the innermost one on: vmalloc() and vmap() only show how the
 * area was made.
 */
static inline enum area_use area_use_outside(enum area_use inner, enum area_use outer)
{
	const bool is_vague = inner == AREA_OTHER || inner == AREA_VMALLOC || inner == AREA_VMAP;

	return is_vague && outer != AREA_OTHER ? outer : inner;
}

#endif
