/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words wrapped to the width of a terminal, for usage texts and lists.
 *
 * Text starts at column `at` (already written) and continues at `indent` on further lines. Lines
 * break at blanks before `columns`, and at newlines in the text. A longer word is not broken. Each
 * byte takes one column (ASCII text).
 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include <stdio.h>

/* Ends with a newline. */
void wrap_text(FILE *out, const char *text, int at, int indent, int columns);

/*
 * Write "# LABEL text", and "#" before each further line, where the text continues aligned:
 * `indent` columns after "# ". Words longer than a line are broken.
 */
void wrap_comment(FILE *out, const char *label, int indent, const char *text, int columns);

#endif
