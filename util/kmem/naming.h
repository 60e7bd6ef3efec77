/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a symbol file that was named name anything that was recorded?
 *
 * A file of another kernel, or of another boot, is read without a word and names nothing, or
 * little of it by chance.
 */
#ifndef KMEM_NAMING_H
#define KMEM_NAMING_H

#include <stdbool.h>

#include "util/kmem/analysis.h"

/* There were kernel addresses, and the file that was named knows none of them. */
bool kmem_symbol_file_is_useless(const struct kmem_analysis *a);

#endif
