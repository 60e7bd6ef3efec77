/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether the user's symbol file matches this recording.
 *
 * A file of another kernel or another boot can be read without an error, but names few addresses or
 * none.
 */
#ifndef KMEM_SYMBOL_MATCH_H
#define KMEM_SYMBOL_MATCH_H

#include <stdbool.h>

#include "util/kmem/pipeline.h"

/* Whether there were kernel addresses, none of which the file names. */
bool kmem_symbol_file_is_useless(const struct kmem_pipeline *a);

#endif
