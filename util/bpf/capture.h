/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_capture: programs on the kernel's kmem tracepoints that write every event, complete,
 * into a ring buffer for each CPU.
 *
 * bpf_capture_open() loads and attaches; nothing is written before bpf_capture_enable().  One
 * thread drains, by time: nothing wakes it up.  A ring's events are in the order of their time; an
 * interrupt's come after the event whose writing it interrupted.  After two drains of all rings,
 * everything older than the *start* of the first has been handed over.
 *
 * What was not delivered is counted, by kind: events for which a ring had no room, and events that
 * the kernel did not call a program for (struct bpf_counts).  Nothing of this outlives the process,
 * however it ends.  Errors are one line, and the same whether libbpf is built in or not.
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

/* Whether BPF can be used here, without loading anything big. Else the error says why not. */
int bpf_capture_probe(struct error *err);

/* The kinds that this kernel has, of those in `kinds`. 0 without BPF. */
uint32_t bpf_capture_kinds(uint32_t kinds);

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *options,
		     struct error *err);
void bpf_capture_free(struct bpf_capture *c);

/* From now on events are written / after this returns no program still writes. */
int bpf_capture_enable(struct bpf_capture *c);
int bpf_capture_disable(struct bpf_capture *c);

unsigned int bpf_capture_nr_cpus(const struct bpf_capture *c);
int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i); /* its number */

/* Is pfn the address of a struct page, divided by its size? Only if may_address_pages allowed it.
 */
bool bpf_capture_addresses_pages(const struct bpf_capture *c);

/* The address of a symbol of the kernel itself; 0: there is none, or it is not told. */
uint64_t bpf_capture_symbol(const struct bpf_capture *c, const char *name);

/* What not every event has. Valid as long as the event is. */
struct bpf_extra {
	uint64_t cgroup; /* id of the task's cgroup, as PERF_SAMPLE_CGROUP has it; 0: not asked for
			  */
	const uint64_t *frames; /* kernel return addresses, innermost first, no markers */
	size_t nr_frames;
	const uint64_t *user_frames; /* addresses, innermost first */
	size_t nr_user_frames;
};

/* The event is valid until it returns. < 0 ends the drain, and is returned by it; this event counts
 * as delivered. */
typedef int (*bpf_event_fn)(void *ctx, int cpu, const struct bpf_event *event,
			    const struct bpf_extra *extra);

/* Hand over what the i-th CPU's ring holds before this position, at most bpf_capture_peek(), and
 * give its space back. */
int bpf_capture_drain(struct bpf_capture *c, unsigned int i, uint64_t end, bpf_event_fn fn,
		      void *ctx);

/*
 * Or in place, and given back later: the events of the i-th CPU's ring from bpf_capture_position(),
 * which is as far as they were given back, up to bpf_capture_peek() are complete, and stay where
 * they are until they are given back.  bpf_capture_event() is the one at *position, which moves
 * behind it, and counts it as delivered; bpf_capture_extra() is what not every event has.
 */
uint64_t bpf_capture_position(const struct bpf_capture *c, unsigned int i);
uint64_t bpf_capture_peek(struct bpf_capture *c, unsigned int i);

/* No event that is older (CLOCK_MONOTONIC) was behind that position, or comes later. */
uint64_t bpf_capture_complete_ns(const struct bpf_capture *c, unsigned int i);

const struct bpf_event *bpf_capture_event(struct bpf_capture *c, unsigned int i,
					  uint64_t *position);
struct bpf_extra bpf_capture_extra(const struct bpf_capture *c, const struct bpf_event *event);
void bpf_capture_give_back(struct bpf_capture *c, unsigned int i, uint64_t position);

/* How many bytes wait in it; and how many it has. */
uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i);
uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c);

/* Since the capture was opened. */
struct bpf_counts {
	uint64_t delivered;   /* handed over by bpf_capture_drain() */
	uint64_t lost_full;   /* no room in the ring */
	uint64_t lost_missed; /* not seen: they came while an earlier one was being handled. With a
				 filter this counts also what the filter would have dropped */
};

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err);

/*
 * Kernel callchains of events since the capture was opened: those that were walked with what is
 * remembered of the kernel's tables, and those that its unwinder made (unwind.bpf.h).  Of the
 * former, how many were compared with the latter and differed; none should.
 */
struct bpf_stack_counts {
	uint64_t walked, not_walked, wrong;
};

struct bpf_stack_counts bpf_capture_stacks(const struct bpf_capture *c);

/*
 * The cache of a BPF_CACHE_ALLOC, BPF_CACHE_ALLOC_NODE or BPF_CACHE_FREE: read from the kernel when
 * it is first asked for, then remembered (also when it could not be read).  NULL: unknown.  It
 * lives as long as the capture.
 */
const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event);

#endif
