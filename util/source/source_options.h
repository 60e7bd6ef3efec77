/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_options: how a source is to be read.
 */
#ifndef SOURCE_SOURCE_OPTIONS_H
#define SOURCE_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reports progress, every megabyte or so and while a pipe is silent.  bytes: how much of the input
 * has reached the consumer as records; bytes_total: 0 if unknown.  Non-zero ends reading, which is
 * not an error: what was read by then goes to the sink in order, and facts->stop says how far that
 * is.  Later return values are ignored.
 */
typedef int (*source_progress_fn)(void *ctx, uint64_t bytes, uint64_t bytes_total,
				  uint64_t nr_samples);

struct site_names;

struct source_options {
	const char *format;	 /* a word of EVENT_SOURCES: what it is; NULL: find out */
	const char *if_missing;	 /* what to do if there is no such path, for users; NULL: nothing */
	bool force;		 /* even files that belong neither to the user nor to root */
	unsigned int jobs;	 /* threads: 1: only the calling one; 0: as many as the CPUs
				  * allow */
	uint64_t held_bytes_max; /* bytes from a pipe, or unpacked, that may wait; 0: an eighth of
				  * the memory, 256 MiB to 2 GiB */
	source_progress_fn progress; /* NULL: no progress reports */
	void *progress_ctx;
	bool sample_details; /* samples are to have ip, period and in_user, at a cost */
	/*
	 * > 0: what the path stands for is open here, and the source duplicates this: a FIFO
	 * (opened again, one whose writer has already gone would never end), or a temporary file
	 * with what was unpacked or came through a pipe.
	 */
	int opened_fd;
	/* > 0: what is in opened_fd was unpacked from this many bytes. */
	uint64_t packed_size;
	/* For a part of another source: whose names of call sites it shares, and what pages have
	 * there; NULL, 0: its own, and what is usual. */
	struct site_names *names;
	uint32_t page_size; /* bytes */
};

#endif
