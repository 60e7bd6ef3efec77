/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_texts: the lines of frames that were printed recently, for event-lines.
 *
 * What an address means is looked up and written out once, as long as the address space that it is
 * in stays as it is.  A line that is not here any more is made again: the lines kept are bounded in
 * number and in bytes, whatever the recording contains.
 */
#ifndef BUILTIN_PERF_FRAME_TEXTS_H
#define BUILTIN_PERF_FRAME_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

#define FRAME_TEXTS_SLOTS_BITS 14
#define FRAME_TEXTS_SLOTS      (1u << FRAME_TEXTS_SLOTS_BITS)
#define FRAME_TEXTS_BYTES_MAX  (2u << 20)
#define FRAME_TEXTS_LINE_MAX   4096u /* longer lines are not kept */
#define FRAME_TEXTS_PROCESSES  256u
#define FRAME_TEXTS_OF_KERNEL  UINT64_MAX /* instead of a pid */

struct frame_texts {
	struct frame_text *slots;		 /* NULL: none yet */
	struct strbuf text;			 /* where the lines are */
	uint32_t changes[FRAME_TEXTS_PROCESSES]; /* of address spaces, by the low bits of pids */
};

void frame_texts_init(struct frame_texts *t);
void frame_texts_deinit(struct frame_texts *t);

/* The line of an address of a process, which is valid until the next one is kept; NULL: it is not
 * known. */
const char *frame_texts_find(const struct frame_texts *t, uint64_t pid, uint64_t address,
			     size_t *ret_len);

/* No memory to keep it is no error. */
void frame_texts_keep(struct frame_texts *t, uint64_t pid, uint64_t address, const char *line,
		      size_t len);

/* The address space of this process changes. */
void frame_texts_forget(struct frame_texts *t, uint32_t pid);

#endif
