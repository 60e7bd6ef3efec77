/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms text, line by line: "ADDRESS TYPE NAME[\t[MODULE]]".
 *
 * This is the format of KALLSYMS_PATH of the running kernel, of the symbols in recordings, and of
 * files saved by users. Lines in other formats are skipped, and so are the mapping symbols of arm
 * and RISC-V (util/base/symbol.h). A kernel that hides its addresses (kernel.kptr_restrict) shows
 * them all as 0.
 */
#ifndef HOST_KALLSYMS_H
#define HOST_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_PATH "/proc/kallsyms"

/* Points into the text; nothing is NUL-terminated. */
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

/* Get the next line of the text from *pos to end, and move *pos past it. Returns false after the
 * last line. */
bool kallsyms_next(const char **pos, const char *end, struct kallsyms_line *ret_line);

/* The same, four times as fast, without the length of the name and the module; kallsyms_finish()
 * adds these. */
bool kallsyms_next_start(const char **pos, const char *end, struct kallsyms_line *ret_line);
void kallsyms_finish(struct kallsyms_line *l);

/* Whether it is code, with any binding. */
static inline bool kallsyms_is_text(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

#endif
