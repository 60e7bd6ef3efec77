/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the symbol file that the user named belong to this recording?
 *
 * A file of another kernel, or of another boot, is read without complaint and names nothing, or
 * little of it by chance.
 */
#ifndef KMEM_SYMBOL_MATCH_H
#define KMEM_SYMBOL_MATCH_H

#include <stdbool.h>

#include "util/kmem/analysis.h"

/* There were kernel addresses, and the file knows none of them. */
bool kmem_symbol_file_is_useless(const struct kmem_analysis *a);

#endif
