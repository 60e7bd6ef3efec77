/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a CPU's ring buffer, read without removing anything from it.
 *
 * A read of per_cpu/cpuN/trace_pipe_raw consumes the events that it returns. Since 6.10 ("tracing:
 * Allow user-space mapping of the ring-buffer") the file can be mapped instead: a page about the
 * buffer, then all its pages. Writers change these pages meanwhile: a page is copied until it was
 * the same before and after.
 *
 * For kernels before 6.10, and to empty the buffer, there is ring_map_consume().
 *
 * Facts: include/uapi/linux/trace_mmap.h, Documentation/trace/ring-buffer-map.rst.
 */
#ifndef FTRACE_RING_MAP_H
#define FTRACE_RING_MAP_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/ftrace/ring_page.h"

/* Pages in memory, oldest first. */
struct ring_map {
	struct strbuf bytes;
	uint32_t page_size;
};

void ring_map_deinit(struct ring_map *m);

/*
 * Copy the mapped pages. fd: trace_pipe_raw. layout->page_size is set to that of the buffer.
 * Errors: -ENOTSUP without a message if this kernel cannot map it; -ENOMEM, -errno of mmap().
 */
int ring_map_copy(struct ring_map *m, int fd, struct ring_layout *layout);

/* Read everything out of the buffer, in pages of layout->page_size. Errors: -errno of read(). */
int ring_map_consume(struct ring_map *m, int fd, const struct ring_layout *layout);

#endif
