/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_blocks: the output of a report of each interval: a block of text or a line of JSON at
 * a time, to stdout or --output.
 *
 * Each block of a format that `replaces` becomes the whole file.
 *
 * A thread of its own writes them (util/top/writer.h), so that a slow reader does not delay events.
 * A block that cannot be written in time is skipped. A pager is not used.
 */
#ifndef BUILTIN_KMEM_BLOCKS_H
#define BUILTIN_KMEM_BLOCKS_H

#include "builtin/kmem/common.h"
#include "util/top/writer.h"

struct kmem_blocks {
	struct kmem_cli *cli;
	struct top_writer writer;
	uint64_t nr_skipped; /* blocks since the latest one that was written */
};

/* Check that the format has such blocks. who: "top has". is_single: there is only one. An error is
 * the user's. */
int kmem_blocks_check(const struct kmem_cli *cli, const char *who, bool is_single,
		      struct error *err);

/* Set the report's options for this output, and start the thread. The cli must outlive it. */
int kmem_blocks_open(struct kmem_blocks *b, struct kmem_cli *cli, struct error *err);

/* Write a block to the stream. Returns 0, or -errno. */
typedef int (*kmem_block_fn)(FILE *out, void *ctx);

/* Add a block, or skip it. wait: never skip it. Returns 0, or -errno, also of an earlier write. */
int kmem_blocks_put(struct kmem_blocks *b, bool wait, kmem_block_fn write, void *ctx);

/* Write the blocks that wait, and end the thread. ret: a result so far, returned if it is an error
 * and none is due to the output. */
int kmem_blocks_close(struct kmem_blocks *b, int ret, struct error *err);

#endif
