/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the symbol file given by the user match this recording?
 *
 * A file of another kernel, or of another boot, can be read without an error, but names nothing, or
 * only a little by chance.
 */
#ifndef KMEM_SYMBOL_MATCH_H
#define KMEM_SYMBOL_MATCH_H

#include <stdbool.h>

#include "util/kmem/pipeline.h"

/* There were kernel addresses, and the file knows none of them. */
bool kmem_symbol_file_is_useless(const struct kmem_pipeline *a);

#endif
