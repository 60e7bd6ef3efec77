/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suspect: leak's verdict on a row, as a number to sort by.
 *
 * The order is that of leak: memory of the kernel that leaks or grows first, then by behaviour and
 * evidence. Rows of equal rank are sorted by their growth.
 */
#ifndef TOP_SUSPECT_H
#define TOP_SUSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/document/value.h"
#include "util/leak/leak.h"

/* Fits any suspect_text(). */
#define SUSPECT_TEXT 16

/* Never 0, which stands for a row without a verdict: nothing live, or most frees not traced. */
uint8_t suspect_rank(const struct leak_row *r);

/* Growth in bytes per second; negative growth counts as 0. */
uint64_t suspect_value(uint8_t rank, int64_t growth);

/* "leaking"; "leaking?" if the evidence is not high; "" without a verdict. */
const char *suspect_text(char buf[SUSPECT_TEXT], uint64_t suspect);

/* Memory of the kernel that leaks or grows, with high evidence: ROLE_PLAIN if it is not. */
enum value_role suspect_role(uint64_t suspect);

#endif
