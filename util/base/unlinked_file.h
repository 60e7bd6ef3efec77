/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary files without a name, which disappear when they are closed. A file is its descriptor.
 */
#ifndef BASE_UNLINKED_FILE_H
#define BASE_UNLINKED_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the directory of such files: $TMPDIR, or "/tmp". */
const char *unlinked_file_dir(void);

/* Returns a descriptor to read and write, or -errno. */
int unlinked_file_open(void);

/* Returns 0 or -errno, for example -ENOSPC. */
int unlinked_file_write(int fd, const uint8_t *data, size_t len);

#endif
