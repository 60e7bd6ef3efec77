/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_text: the lines of a source file.
 *
 * Its path comes from debug information and may be any file's: only a regular file of at most
 * SOURCE_TEXT_MAX bytes is read. Lines count from 1, are NUL-terminated, may contain any character,
 * and belong to the struct.
 */
#ifndef USERSYM_SOURCE_TEXT_H
#define USERSYM_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

#define SOURCE_TEXT_MAX (16u << 20) /* bytes */

struct source_text {
	struct strbuf text;
	size_t *lines; /* offsets of lines in it */
	size_t nr;
};

/* Returns 0 or -errno: -EINVAL if it is not such a file. On failure, there are no lines. */
int source_text_read(struct source_text *s, const char *path);
void source_text_deinit(struct source_text *s);

/* NULL if it has no such line. */
const char *source_text_line(const struct source_text *s, uint32_t line);

#endif
