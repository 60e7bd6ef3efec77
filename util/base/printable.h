/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that may be shown: what a recording, a kernel or a file calls something may hold any bytes.
 *
 * What does not belong into a name becomes '?': bytes that are not UTF-8, control characters
 * (U+0000 to U+001F, U+007F to U+009F: they move the cursor, or tell the terminal something), and
 * characters that change the order or the lines of what stands around them (bidirectional marks,
 * embeddings, overrides and isolates, line and paragraph separators, the byte order mark).
 *
 * The doors: names that are identifiers (symbols, modules, events, flags, what a recording says of
 * its machine) pass here when they are read; those that programs choose (commands, caches) in
 * key_format_text(); messages in the log and in builtin_error().  JSON writes \u escapes instead.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

/* Bytes of the character of UTF-8 at s, which ends with NUL; 0: there is none. *ret_char is it. */
size_t utf8_decode(const char *s, uint32_t *ret_char);

/* May it be shown as it is? */
bool printable_char(uint32_t c);

/* Make a string printable where it stands; it does not grow. Returns its length then. */
size_t printable_make(char *name);

/* Of what stands in the strbuf from `start` on. */
void printable_strbuf(struct strbuf *sb, size_t start);

#endif
