/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_options: options for reading a source.
 */
#ifndef SOURCE_SOURCE_OPTIONS_H
#define SOURCE_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reports progress, every megabyte or so and while a pipe is silent. bytes: part of the input whose
 * records have reached the consumer. bytes_total: 0 if unknown. A non-zero return ends reading,
 * which is not an error: the records read so far still go to the sink in order, and facts->stop has
 * their extent. Later return values are ignored.
 */
typedef int (*source_progress_fn)(void *ctx, uint64_t bytes, uint64_t bytes_total,
				  uint64_t nr_samples);

struct site_names;

struct source_options {
	const char *format;	/* form of the input, a word of EVENT_SOURCES; NULL: find out */
	const char *if_missing; /* advice for users if the path does not exist; may be NULL */
	bool force;		/* accept files that belong neither to the user nor to root */
	unsigned int jobs;	/* threads; 1: only the calling one; 0: as many as the CPUs allow */
	/* limit for waiting bytes, from a pipe or unpacked; 0: an eighth of the memory, 256 MiB to
	 * 2 GiB */
	uint64_t held_bytes_max;
	source_progress_fn progress; /* NULL: no progress reports */
	void *progress_ctx;
	bool sample_details; /* read ip, period and in_user of samples, at a cost */
	/*
	 * > 0: the path is already open here, and the source duplicates this descriptor. It is a
	 * FIFO (which, opened again, would never end if its writer has gone), or a temporary file
	 * with data that were unpacked or came through a pipe.
	 */
	int opened_fd;
	/* > 0: the data in opened_fd were unpacked from this number of bytes. */
	uint64_t packed_size;
	/* For a part of another source: its names of call sites, and its page size. NULL, 0: the
	 * part has its own names and the default page size. */
	struct site_names *names;
	uint32_t page_size; /* bytes */
	/* For a source with parts: bits of the kinds of allocations (enum kmem_kind) that it
	 * delivers rows of. 0: the slab allocator's, and pages. */
	uint32_t kinds;
};

#endif
