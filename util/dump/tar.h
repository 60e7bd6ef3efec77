/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of tar archives: POSIX ustar, with base-256 sizes (as GNU tar) from 8 GiB on.
 *
 * An archive is a sequence of entries, each a header and its bytes, both in blocks of TAR_BLOCK
 * bytes, filled up with zeroes; two blocks of zeroes end it.  Only regular files are written, and
 * only those are given to the reader.  It is so little that no library is worth depending on.
 */
#ifndef DUMP_TAR_H
#define DUMP_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAR_BLOCK    512
#define TAR_NAME_MAX 99

struct tar_entry {
	char name[TAR_NAME_MAX + 1];
	uint64_t size; /* bytes, without what fills up the last block */
	bool is_file;  /* a regular one; others have no bytes that matter to us */
};

/* mtime: seconds since 1970; for name, which is cut to TAR_NAME_MAX. */
void tar_make_header(uint8_t block[TAR_BLOCK], const char *name, uint64_t size, uint64_t mtime);

/* Returns 1, 0 for a block of zeroes, which ends the archive, or -EINVAL. */
int tar_parse_header(const uint8_t block[TAR_BLOCK], struct tar_entry *ret_entry);

/* How many bytes fill up the last block. */
static inline size_t tar_padding(uint64_t size)
{
	return (size_t)(-size % TAR_BLOCK);
}

#endif
