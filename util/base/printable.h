/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names made safe to print: names in a recording, a kernel or a file may contain any bytes.
 *
 * Bytes and characters that do not belong in a name become '?'. These are bytes that are not UTF-8,
 * control characters (U+0000 to U+001F, U+007F to U+009F), which control the terminal, and line and
 * paragraph separators. Invisible characters, which change the text around them or make two names
 * look the same, are replaced, too. They are all that Unicode calls format characters (Cf:
 * bidirectional marks, zero width, the byte order mark, tags) or default ignorable (fillers,
 * variation selectors).
 *
 * Names that are identifiers (symbols, modules, events, flags, the recording's facts) are made
 * printable when they are read. Names that programs choose (commands, caches) are made printable
 * when they are rendered (util/render/value_text.h). Messages are made printable in the log and in
 * builtin_error(). JSON has \u escapes instead.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

/* Returns the length in bytes of the UTF-8 character at s, a NUL-terminated string; 0 if it is not
 * a character. *ret_char is the character. */
size_t utf8_decode(const char *s, uint32_t *ret_char);

/* Returns the number of UTF-8 characters in a text of len bytes. */
size_t utf8_count(const char *s, size_t len);

/* Whether it may be printed unchanged. */
bool printable_char(uint32_t c);

/* Make a string printable in place; it does not grow. Returns its new length. */
size_t printable_make(char *name);

/* The same for the strbuf's text from `start` on. */
void printable_strbuf(struct strbuf *sb, size_t start);

/* Whether a shell takes the name as one word, and an option for a list of names as one name. */
bool printable_is_word(const char *name);

#endif
