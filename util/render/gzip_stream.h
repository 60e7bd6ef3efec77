/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct gzip_stream: a compressed stream, in builds with zlib (HAVE_ZLIB).
 *
 * The same bytes give the same file: its header has no time and no name. Write errors are left in
 * the FILE (ferror()).
 */
#ifndef RENDER_GZIP_STREAM_H
#define RENDER_GZIP_STREAM_H

#include <stdio.h>
#include <zlib.h>

struct gzip_stream {
	z_stream z;
	unsigned char room[1 << 14];
	FILE *out;
};

/* Returns 0 or -ENOMEM. */
int gzip_stream_init(struct gzip_stream *s, FILE *out);

void gzip_stream_write(struct gzip_stream *s, const void *data, size_t size);

/* Write the rest and free the stream. */
void gzip_stream_finish(struct gzip_stream *s);

#endif
