/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_capture: programs on the kernel's kmem tracepoints that write every event, complete,
 * into one ring buffer for each CPU.
 *
 * bpf_capture_open() loads and attaches; nothing is written before bpf_capture_enable(). One thread
 * drains, at regular intervals: nothing wakes it up. A ring's events are in time order; events of
 * an interrupt come after the event whose writing it interrupted. After two drains of all rings,
 * every event older than the *start* of the first one has been delivered.
 *
 * Undelivered events are counted by kind: those for which a ring was full, and those for which the
 * kernel did not call a program (struct bpf_counts). Everything ends with the process, however that
 * ends. Errors are one line, and the same whether libbpf is built in or not.
 */
#ifndef BPF_CAPTURE_H
#define BPF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/caches.h"
#include "util/bpf/options.h"
#include "util/bpf/wire.h"

struct bpf_capture;

/* Whether BPF can be used here, without loading anything large. The error has the reason if not. */
int bpf_capture_probe(struct error *err);

/* The kinds, of those in `kinds`, that this kernel has. 0 without BPF. */
bpf_kinds_t bpf_capture_kinds(bpf_kinds_t kinds);

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *options,
		     struct error *err);
void bpf_capture_free(struct bpf_capture *c);

/* Start writing events. Stop: after it returns no program writes. */
int bpf_capture_enable(struct bpf_capture *c);
int bpf_capture_disable(struct bpf_capture *c);

unsigned int bpf_capture_nr_cpus(const struct bpf_capture *c);
int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i); /* number of the CPU */

/* Whether pfn is the address of a struct page divided by its size. Only if may_address_pages
 * allowed it. */
bool bpf_capture_addresses_pages(const struct bpf_capture *c);

/* Whether events of kmalloc and kfree have the cache (find_caches, and the kernel has a function
 * for that). */
bool bpf_capture_finds_caches(const struct bpf_capture *c);

/* The address of a symbol of the kernel itself. 0 if there is none, or it is hidden. */
uint64_t bpf_capture_symbol(const struct bpf_capture *c, const char *name);

/* Optional data of an event, valid as long as the event. */
struct bpf_extra {
	uint64_t cgroup; /* id of the task's cgroup, as in PERF_SAMPLE_CGROUP; 0 if not requested */
	const uint64_t *frames; /* kernel return addresses, innermost first, no markers */
	size_t nr_frames;
	const uint64_t *user_frames; /* addresses, innermost first */
	size_t nr_user_frames;
};

/* The event is valid until it returns. A result < 0 ends the drain and is returned by it; this
 * event counts as delivered. */
typedef int (*bpf_event_fn)(void *ctx, int cpu, const struct bpf_event *event,
			    const struct bpf_extra *extra);

/* Deliver the events in the i-th CPU's ring before this position, at most bpf_capture_peek(), and
 * release their space. */
int bpf_capture_drain(struct bpf_capture *c, unsigned int i, uint64_t end, bpf_event_fn fn,
		      void *ctx);

/*
 * The alternative is reading in place and releasing later. Events of the i-th CPU's ring from
 * bpf_capture_position(), where the released part ends, up to bpf_capture_peek() are complete, and
 * stay valid until they are released. bpf_capture_event() returns the event at *position, moves
 * *position behind it, and counts it as delivered; bpf_capture_extra() returns its optional data.
 */
uint64_t bpf_capture_position(const struct bpf_capture *c, unsigned int i);
uint64_t bpf_capture_peek(struct bpf_capture *c, unsigned int i);

/* The time (CLOCK_MONOTONIC) before which no event is behind that position, or will come later. */
uint64_t bpf_capture_complete_ns(const struct bpf_capture *c, unsigned int i);

const struct bpf_event *bpf_capture_event(struct bpf_capture *c, unsigned int i,
					  uint64_t *position);
struct bpf_extra bpf_capture_extra(const struct bpf_capture *c, const struct bpf_event *event);
void bpf_capture_give_back(struct bpf_capture *c, unsigned int i, uint64_t position);

/* Bytes waiting in the ring; its size in bytes. */
uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i);
uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c);

/* Since the capture was opened. */
struct bpf_counts {
	uint64_t delivered;   /* passed to the reader */
	uint64_t lost_full;   /* lost because the ring was full */
	uint64_t lost_missed; /* lost because they came while an earlier event was handled. With a
				 filter this includes events that the filter would have dropped */
};

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err);

/*
 * Kernel callchains of events since the capture was opened: those made with remembered entries of
 * the kernel's unwind tables, and those made by the kernel's unwinder (unwind.bpf.h). `wrong` of
 * the former were compared with the kernel's and differed, which should never happen.
 */
struct bpf_stack_counts {
	uint64_t walked, not_walked, wrong;
};

struct bpf_stack_counts bpf_capture_stacks(const struct bpf_capture *c);

/*
 * The cache of a BPF_CACHE_ALLOC, BPF_CACHE_ALLOC_NODE or BPF_CACHE_FREE: read from the kernel at
 * the first call, then remembered (also a failure). NULL if unknown. Valid as long as the capture.
 */
const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event);

#endif
