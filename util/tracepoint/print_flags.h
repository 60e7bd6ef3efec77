/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct flag_names: the names of flags, from a print fmt's __print_flags() table.
 *
 * After the field's name the kernel prints a table such as {(unsigned long)((1UL) << (10)),
 * "__GFP_IO"}; the values are C constant expressions.  They are evaluated by const_expr.h, because
 * libtraceevent gives up on a whole print fmt if it does not know one function in it (arm64's).  An
 * identifier (an enum that the kernel does not export) has the value that the caller provides; an
 * entry with an unknown one is skipped.  Entries keep the order of the table: combined masks come
 * before their bits.
 */
#ifndef TRACEPOINT_PRINT_FLAGS_H
#define TRACEPOINT_PRINT_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#include "util/tracepoint/const_expr.h"

struct flag_name {
	uint64_t mask;
	char *name;
};

struct flag_names {
	struct flag_name *v;
	size_t nr;
};

/*
 * Read the first __print_flags() whose first argument names `field`, from the text of an event's
 * format; word: the values of identifiers, or NULL. Returns 0 (nothing found: nr is 0) or -ENOMEM.
 */
int flag_names_parse(struct flag_names *f, const char *text, size_t len, const char *field,
		     const_expr_word_fn word, const void *ctx);

/* Add one at the end. Returns 0 or -ENOMEM. */
int flag_names_add(struct flag_names *f, uint64_t mask, const char *name, size_t len);
void flag_names_deinit(struct flag_names *f);

#endif
