// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST /* next_in is const */
#include "util/render/gzip_stream.h"

#define GZIP_WINDOW  (15 + 16) /* zlib: the largest window, plus 16 for a gzip header */
#define MEMORY_LEVEL 8	       /* zlib's default */

int gzip_stream_init(struct gzip_stream *s, FILE *out)
{
	*s = (struct gzip_stream){.out = out};
	return deflateInit2(&s->z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			    Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

/* Compress all of next_in: deflate() has more output as long as it fills the buffer. */
static void deflate_all(struct gzip_stream *s, int flush)
{
	do {
		s->z.next_out = s->room;
		s->z.avail_out = sizeof(s->room);
		deflate(&s->z, flush);
		fwrite(s->room, 1, sizeof(s->room) - s->z.avail_out, s->out);
	} while (!s->z.avail_out);
}

void gzip_stream_write(struct gzip_stream *s, const void *data, size_t size)
{
	const size_t most = 1 << 30; /* zlib counts in 32 bits */

	for (const uint8_t *at = data; size;) {
		size_t now = size < most ? size : most;

		s->z.next_in = at;
		s->z.avail_in = (uInt)now;
		deflate_all(s, Z_NO_FLUSH);
		at += now;
		size -= now;
	}
}

void gzip_stream_finish(struct gzip_stream *s)
{
	s->z.avail_in = 0;
	deflate_all(s, Z_FINISH);
	deflateEnd(&s->z);
}
#endif
