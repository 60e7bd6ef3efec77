/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks compressed by trace-cmd: each on its own, with its packed and unpacked size.
 *
 * A trace.dat names one algorithm for all of its compressed sections.
 */
#ifndef FTRACE_UNPACK_BLOCK_H
#define FTRACE_UNPACK_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

enum block_packing { BLOCK_NONE, BLOCK_ZSTD, BLOCK_ZLIB };

/* Find the algorithm by its name in the file. Errors: it is unknown, or the library for it is not
 * built in. */
int block_packing_find(const char *name, enum block_packing *ret_packing, struct error *err);

/* Unpack to exactly out_size bytes. Returns 0, -EINVAL if the block is damaged or has another size,
 * -ENOMEM. */
int unpack_block(enum block_packing packing, const uint8_t *in, size_t in_size, uint8_t *out,
		 size_t out_size);

#endif
