/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names made safe to print: names in a recording, a kernel or a file may contain any bytes.
 *
 * Bytes and characters that do not belong in a name become '?': bytes that are not UTF-8, control
 * characters (U+0000 to U+001F, U+007F to U+009F: they move the cursor or control the terminal),
 * line and paragraph separators, and invisible characters that change the text around them or make
 * two names look the same: all that Unicode calls format characters (Cf: bidirectional marks, zero
 * width, the byte order mark, tags) or default ignorable (fillers, variation selectors).
 *
 * Where this is done: for names that are identifiers (symbols, modules, events, flags, what a
 * recording says about its machine), when they are read; for those that programs choose (commands,
 * caches), when a form writes them (util/render/value_text.h); for messages, in the log and in
 * builtin_error().  JSON has \u escapes instead.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

/* The length in bytes of the UTF-8 character at s, which ends with NUL; 0: not a character.
 * *ret_char is the character. */
size_t utf8_decode(const char *s, uint32_t *ret_char);

/* May it be printed as it is? */
bool printable_char(uint32_t c);

/* Make a string printable in place; it does not grow. Returns its new length. */
size_t printable_make(char *name);

/* The same for the part of the strbuf from `start` on. */
void printable_strbuf(struct strbuf *sb, size_t start);

#endif
