/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct flag_names: names of flags, from the __print_flags() table of a print fmt.
 *
 * The kernel prints a table such as {(unsigned long)((1UL) << (10)), "__GFP_IO"} after the field's
 * name; the values are C constant expressions. const_expr.h evaluates them: libtraceevent gives up
 * on a whole print fmt if one function in it is unknown (arm64's). The caller provides the values
 * of identifiers (enums that the kernel does not export); an entry with an unknown identifier is
 * skipped. Entries keep the order of the table: combined masks precede their bits.
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
 * Parse the first __print_flags() whose first argument names `field`, from the text of an event's
 * format. word: values of identifiers; may be NULL. Returns 0 (nr is 0 if none is found), or
 * -ENOMEM.
 */
int flag_names_parse(struct flag_names *f, const char *text, size_t len, const char *field,
		     const_expr_word_fn word, const void *ctx);

/* Append a flag. Returns 0, or -ENOMEM. */
int flag_names_add(struct flag_names *f, uint64_t mask, const char *name, size_t len);
void flag_names_deinit(struct flag_names *f);

#endif
