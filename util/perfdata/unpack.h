/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpacker: the zstd stream inside the COMPRESSED records of one file.
 *
 * All COMPRESSED records of a file are pieces of one stream; a piece may end in the middle of a
 * frame or of a record.  unpacker_feed() unpacks into the caller's buffer, so the caller bounds the
 * output.  If built without libzstd, unpacker_new() fails with ENOTSUP and says so.
 */
#ifndef PERFDATA_UNPACK_H
#define PERFDATA_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

struct unpacker;

int unpacker_new(struct unpacker **ret_unpacker, struct error *err);
void unpacker_free(struct unpacker *u);

/*
 * Unpack from *in (advanced, *in_left reduced) into out; stops when the input is used up or the
 * output is full.  Returns 0 and the number of bytes written, -EINVAL for bad data, or -ENOMEM.
 */
int unpacker_feed(struct unpacker *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		  size_t out_size, size_t *ret_written);

#endif
