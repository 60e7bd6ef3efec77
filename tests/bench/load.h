/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated load of the generated recordings: what two CPUs allocate and free.
 *
 * One event after another, in time order.  Most objects are freed after a few hundred events; one
 * in twenty is long-lived. Once there are LOAD_LONG_LIVED of those, each new one frees an older
 * one, so that what is live stops growing.  One free in twenty is on the other CPU, one in a
 * hundred is of something allocated before the recording.  Addresses are reused as in SLUB, the one
 * freed last first.  Times are multiples of 64 ns: the recorder rounds to that when it compresses,
 * which therefore changes nothing here.
 */
#ifndef TESTS_BENCH_LOAD_H
#define TESTS_BENCH_LOAD_H

#include "tests/bench/kernel.h"

#define LOAD_CPUS	2
#define LOAD_TASKS	200
#define LOAD_TID	1000 /* of the first task */
#define LOAD_LONG_LIVED 50000
#define LOAD_WHEEL	1024 /* events, more than a short-lived object lives */
#define LOAD_ORDERS	10
#define LOAD_POOLS	(KERNEL_KMALLOCS + KERNEL_CACHES + LOAD_ORDERS)

enum load_kind {
	LOAD_KMALLOC,
	LOAD_KFREE,
	LOAD_CACHE_ALLOC,
	LOAD_CACHE_FREE,
	LOAD_PAGE_ALLOC,
	LOAD_PAGE_FREE,
	LOAD_KINDS,
};

struct load_event {
	enum load_kind kind;
	uint32_t cpu, tid;
	uint64_t time_ns;
	uint64_t address; /* of an object; for pages the pfn */
	uint64_t call_site;
	uint64_t gfp_flags;
	uint32_t bytes_req, bytes_alloc;
	const char *cache; /* its name; NULL: kmalloc, or pages */
	uint32_t order;
	int32_t migratetype;
	const struct chain *chain; /* NULL: none */
};

struct load_options {
	bool slab, page;
	uint64_t pointers;   /* number of different addresses before one is reused */
	uint32_t page_sites; /* number of call sites; 0: all */
};

struct load_object {
	uint64_t address;
	uint32_t next;
	uint16_t pool;
	uint16_t cpu;
};

/* Addresses of one cache or order. */
struct load_pool {
	uint64_t next, step;
	uint64_t *freed;
	size_t nr, cap;
};

/* Numbers of objects, first in first out; UINT32_MAX: none. */
struct load_list {
	uint32_t head, tail;
};

struct load {
	const struct kernel *kernel;
	struct load_options options;
	struct random_state random;
	uint64_t nr_events, time_ns, pointers;
	uint32_t tids[LOAD_CPUS];
	struct load_pool pools[LOAD_POOLS];
	struct load_object *objects;
	uint32_t nr_objects, cap_objects;
	struct load_list unused, due, wheel[LOAD_WHEEL];
	uint32_t *long_lived;
	uint32_t nr_long_lived;
};

/* Returns 0 or -ENOMEM. */
int load_init(struct load *l, const struct kernel *k, const struct load_options *o);
void load_deinit(struct load *l);

/* Returns 0 or -ENOMEM. */
int load_next(struct load *l, struct load_event *ret_event);

#endif
