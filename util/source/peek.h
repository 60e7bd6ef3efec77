/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first bytes of a pipe or a socket, which stay there for the reader.
 */
#ifndef SOURCE_PEEK_H
#define SOURCE_PEEK_H

#include <stddef.h>
#include <sys/types.h>

/*
 * At most `size` bytes; mode: of fstat().  The first line may come in pieces, for which it
 * waits half a second.  Returns how many there are; 0 or less: none can be looked at.
 */
ssize_t peek_stream(int fd, mode_t mode, void *head, size_t size);

#endif
