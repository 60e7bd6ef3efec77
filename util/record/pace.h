/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pace: the level of compression, chosen so that the kernel's buffers never wait for it.
 *
 * Before each chunk is compressed, the fullest buffer is checked. From a quarter full on, the
 * requested level is halved, down to 1, and stays there. From half full on it is 1, and urgent:
 * such a chunk takes less than a millisecond, but on a machine with hundreds of runnable tasks a
 * task at ordinary priority may not run in time. Buffers smaller than PACE_ROOM_BYTES are full
 * before that, so with them level 1 is always urgent. (Leaving chunks uncompressed would fill a
 * slow disk's queue, and then the buffers.) If a signal ends the recording, the rest is compressed
 * at level 1, too.
 */
#ifndef RECORD_PACE_H
#define RECORD_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_ROOM_BYTES (16ULL << 20)

struct pace {
	int asked; /* zstd's level; 0: do not compress records */
	int level; /* the current level */
};

/* The compression of the next chunk. */
struct pace_step {
	int level;
	bool urgent;
};

/* unread: bytes in the fullest buffer, which has this size; hurry: a signal came. */
static inline struct pace_step pace_next(struct pace *p, uint64_t unread, uint64_t size, bool hurry)
{
	uint64_t fill = unread * 100 / size;
	struct pace_step step;

	if (fill > 50 && p->level > 1)
		p->level = 1;
	else if (fill > 25 && p->level > 1)
		p->level /= 2;
	step.level = hurry && p->level > 1 ? 1 : p->level;
	step.urgent = step.level == 1 && (fill > 50 || size < PACE_ROOM_BYTES);
	return step;
}

#endif
