/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct holders: who holds memory: processes, files in memory, BPF objects and others, as lines of
 * a text.
 *
 * The text is made by collect_holders() and is the part "holders" of a snapshot. Each line is a
 * kind, numbers, and a name that extends to the end of the line. Numbers that are 0 are left out:
 *
 *	process pid=812 anon=104857600 shmem=4096 files=37 sockets=12 name=nginx
 *	tmpfs bytes=1048576 name=/dev/shm
 *	bpf_map bytes=4096 id=17 pid=812 name=hash conns
 *
 * Numbers are bytes or counts. Those of a process with late=1 are lower bounds: time ran out.
 * A reader skips unknown kinds and numbers.
 */
#ifndef WHERE_HOLDERS_H
#define WHERE_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"

#define HOLDERS_MAX 200000

/* Number of holders in a list of the largest. */
#define HOLDERS_LARGEST 3

/* The kinds of lines, and the words for them. */
#define HOLDER_KINDS(KIND)                                                                         \
	KIND(process)	   /* what a process has mapped, and its descriptors by type */            \
	KIND(tmpfs)	   /* a file system in memory; name: where it is mounted */                \
	KIND(deleted)	   /* a file in memory without a name, kept open by pid */                 \
	KIND(bpf_map)	   /* name: its type and name */                                           \
	KIND(bpf_prog)	   /* likewise */                                                          \
	KIND(zram)	   /* a block device in memory; bytes: of its compressed pages */          \
	KIND(hugetlb)	   /* a pool of huge pages; size: of one page; free: bytes */              \
	KIND(cma)	   /* an area; bytes: allocated for devices */                             \
	KIND(trace_buffer) /* of a tracing instance */                                             \
	KIND(dma_buf)	   /* buffers shared between devices; name: their exporter */              \
	KIND(percpu_first) /* bytes of the first chunk, which precede the page allocator */        \
	KIND(skipped)	   /* processes that were not examined: out of time, or not permitted */

#define HOLDER_NUMBERS(NUMBER)                                                                     \
	NUMBER(bytes)                                                                              \
	NUMBER(pid)                                                                                \
	NUMBER(id)                                                                                 \
	NUMBER(anon)                                                                               \
	NUMBER(shmem)                                                                              \
	NUMBER(page_tables)                                                                        \
	NUMBER(threads)                                                                            \
	NUMBER(files)                                                                              \
	NUMBER(sockets)                                                                            \
	NUMBER(pipes)                                                                              \
	NUMBER(epoll_items)                                                                        \
	NUMBER(inotify_watches)                                                                    \
	NUMBER(timers)                                                                             \
	NUMBER(size)                                                                               \
	NUMBER(free)                                                                               \
	NUMBER(late)                                                                               \
	NUMBER(denied)

#define HOLDER_KIND_ENUM(name)	 HOLDER_##name,
#define HOLDER_NUMBER_ENUM(name) HOLDER_NR_##name,

enum holder_kind { HOLDER_KINDS(HOLDER_KIND_ENUM) HOLDER_KINDS_NR };
enum holder_number { HOLDER_NUMBERS(HOLDER_NUMBER_ENUM) HOLDER_NUMBERS_NR };

struct holder {
	enum holder_kind kind;
	int64_t v[HOLDER_NUMBERS_NR]; /* at most SCAN_NUMBER_MAX */
	char *name;		      /* printable; "" if none */
};

struct holders {
	struct holder *v;
	size_t nr, cap;
	bool failed; /* memory ran out */
};

/* Append the line of a holder. Bytes of the name that would end the line become '?'. */
void holder_write(struct strbuf *sb, const struct holder *h);

/* Read a text. Invalid lines are skipped, and lines after HOLDERS_MAX. */
void holders_init(struct holders *h, const char *text, size_t len);
void holders_deinit(struct holders *h);

/* "epoll_items" */
const char *holder_number_name(enum holder_number number);

/* "epoll items": the unit of a process's count; NULL for bytes. */
const char *holder_number_unit(enum holder_number number);

/* The next holder of this kind from *at on; *at is behind it then. NULL after the last. */
const struct holder *holders_next(const struct holders *h, enum holder_kind kind, size_t *at);

/* Find at most HOLDERS_LARGEST holders with the largest numbers, without 0, largest first. Returns
 * their number. */
size_t holders_find_largest(const struct holders *h, enum holder_kind kind,
			    enum holder_number number,
			    const struct holder *largest[HOLDERS_LARGEST]);

/*
 * Append the processes with the largest numbers, largest first: "nginx 812 (1.2 GiB), ...". Appends
 * nothing if there are none.
 */
void holders_add_largest(const struct holders *h, enum holder_number number, struct strbuf *sb);

#endif
