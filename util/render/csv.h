/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes one field of CSV (RFC 4180), quoted if necessary.
 *
 * Characters that cannot be printed become '?' (util/base/printable.h). A text that begins with =,
 * +, - or @, which a spreadsheet would evaluate, gets a leading apostrophe; negative numbers stay
 * numbers.
 */
#ifndef RENDER_CSV_H
#define RENDER_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* comma: write a comma before the field. */
void csv_write_field(FILE *out, bool comma, const char *text);

#endif
