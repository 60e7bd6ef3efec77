/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One field of CSV (RFC 4180): quoted where it has to be.
 *
 * What is no part of a name is '?' (util/base/printable.h).  A text that begins with =, +, - or @,
 * which a spreadsheet would compute, gets an apostrophe in front; negative numbers stay numbers.
 */
#ifndef RENDER_CSV_H
#define RENDER_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* comma: there is a field before it on the line. */
void csv_write_field(FILE *out, bool comma, const char *text);

#endif
