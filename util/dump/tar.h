/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of tar archives: POSIX ustar, with base-256 sizes (as GNU tar) from 8 GiB on.
 *
 * An archive is a sequence of entries. An entry is a header and its bytes, each padded with zeroes
 * to blocks of TAR_BLOCK bytes; two blocks of zeroes end the archive. Only regular files are
 * written and read. This is too little code to depend on a library.
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
	uint64_t size; /* bytes, without padding */
	bool is_file;  /* a regular file; other entries are skipped */
};

/* mtime: seconds since 1970; the name is truncated to TAR_NAME_MAX. */
void tar_make_header(uint8_t block[TAR_BLOCK], const char *name, uint64_t size, uint64_t mtime);

/* Returns 1; 0 for a block of zeroes, which ends the archive; or -EINVAL. */
int tar_parse_header(const uint8_t block[TAR_BLOCK], struct tar_entry *ret_entry);

/* The number of padding bytes in the last block. */
static inline size_t tar_padding(uint64_t size)
{
	return (size_t)(-size % TAR_BLOCK);
}

#endif
