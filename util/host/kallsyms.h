/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms text, line by line: "ADDRESS TYPE NAME[\t[MODULE]]".
 *
 * That is what the running kernel shows in KALLSYMS_PATH, what recordings carry and what people
 * save in files.  A line of any other form is passed over.  A kernel that hides its addresses
 * (kernel.kptr_restrict) shows them all as 0.
 */
#ifndef HOST_KALLSYMS_H
#define HOST_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_PATH "/proc/kallsyms"

/* Points into the text; nothing in it ends with NUL. */
struct kallsyms_line {
	const char *text; /* the whole line, without its newline */
	size_t len;
	uint64_t address;
	char type;
	const char *name;
	size_t name_len;    /* at least 1 */
	const char *module; /* NULL: the kernel itself */
	size_t module_len;
};

/* The next line of the text from *pos to end; *pos moves behind it. False: there are no more. */
bool kallsyms_next(const char **pos, const char *end, struct kallsyms_line *ret_line);

/* Is it code, of any binding? */
static inline bool kallsyms_is_text(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

#endif
