/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_texts: a cache of recently printed frames, for event-lines.
 *
 * An address is looked up and formatted once, as long as its address space does not change. The
 * cache is bounded in lines and in bytes; a line that was dropped is formatted again.
 */
#ifndef BUILTIN_PERF_FRAME_TEXTS_H
#define BUILTIN_PERF_FRAME_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

#define FRAME_TEXTS_SLOTS_BITS 14
#define FRAME_TEXTS_SLOTS      (1u << FRAME_TEXTS_SLOTS_BITS)
#define FRAME_TEXTS_BYTES_MAX  (2u << 20)
#define FRAME_TEXTS_LINE_MAX   4096u /* longer lines are not cached */
#define FRAME_TEXTS_PROCESSES  256u
#define FRAME_TEXTS_OF_KERNEL  UINT64_MAX /* used as the pid of the kernel */

struct frame_texts {
	struct frame_text *slots;		 /* NULL before the first line */
	struct strbuf text;			 /* slots of the lines */
	uint32_t changes[FRAME_TEXTS_PROCESSES]; /* number of changes of address spaces, by the low
						    bits of pids */
};

void frame_texts_init(struct frame_texts *t);
void frame_texts_deinit(struct frame_texts *t);

/* The line of an address of a process, valid until the next one is stored; NULL if it is not
 * cached. */
const char *frame_texts_find(const struct frame_texts *t, uint64_t pid, uint64_t address,
			     size_t *ret_len);

/* Store a line. Without memory it is not stored. */
void frame_texts_keep(struct frame_texts *t, uint64_t pid, uint64_t address, const char *line,
		      size_t len);

/* The address space of this process has changed: drop its lines. */
void frame_texts_forget(struct frame_texts *t, uint32_t pid);

#endif
