/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct account_ops: one way to account events, and to report the result.
 *
 * An account says which kinds of events it needs and what `perf kmem record` must ask the kernel
 * for, takes the events, and builds its section of the report.  KMEM_ACCOUNTS lists all accounts:
 * the options of record and stat, their help, the defaults and the checks are derived from this
 * list, and nothing else knows which accounts there are.  A new one is a file in util/accounts and
 * its name here.
 *
 * Accounts know events, but not where they come from.  A tracepoint that only one account uses is
 * declared in that account's file: kinds for those are assigned in the order of the list.
 */
#ifndef KMEM_ACCOUNT_H
#define KMEM_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/event/key.h"
#include "util/event/kmem_event.h"
#include "util/source/complete_event.h"
#include "util/table/stat_table.h"

/* In the order of the report and of the options; the first is the default. account_NAME is defined
 * in util/accounts. */
#define KMEM_ACCOUNTS(ACCOUNT)                                                                     \
	ACCOUNT(slab) ACCOUNT(page) ACCOUNT(percpu) ACCOUNT(extfrag) ACCOUNT(pageblocks)

/* At most this many tables by keys were asked for; an account may have one more. */
#define TABLES_MAX (STAT_TABLES_MAX - 1)

#define ACCOUNT_ID(name) ACCOUNT_##name,
enum account_id { KMEM_ACCOUNTS(ACCOUNT_ID) ACCOUNTS_NR };

struct account_setup;
struct document_section;
struct event_type;
struct leak_allocator; /* what leak must know of an allocator; known to util/leak */
struct kmem_bounds;
struct report_context; /* what a report may look at; known to util/report */
struct source_table;
struct source_table_kind;

/*
 * As many frames of a callchain as it takes to find the call site: there are at most 5 functions of
 * the page allocator above it where pages are allocated, 6 where they are freed, and 9 where it
 * falls back to other migrate types (measured on 6.18; arm64 has up to 2 of the tracepoint more).
 */
#define CALLSITE_FRAMES 12

/* Keys that every event has, and the size of a block of pages, for account_ops.filter_keys. */
#define BYTES_BIT (KEY_BIT(KEY_NR))
#define CONTEXT_KEYS                                                                               \
	(KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_CPU) |              \
	 KEY_BIT(KEY_NODE) | KEY_BIT(KEY_CGROUP))
#define BLOCK_KEYS (KEY_BIT(KEY_ORDER) | BYTES_BIT)

/* Finds the function that an address is in. */
struct function_lookup {
	/* Where it starts, and its name; 0: unknown. NULL: none is known. */
	uint64_t (*find)(const void *ctx, uint64_t address, const char **ret_name);
	const void *ctx;
};

/* What record asks the kernel for. */
struct account_record {
	const char *event; /* may be a glob: "kmem:kmalloc*" */
	bool callchain;	   /* with the kernel callchain, to find the call site */
	bool allocates;	   /* whose user callchain tells who the memory is for */
};

/* Events in order, of each of which there may be only the first bytes: kmem_event_extent(). */
struct account_events {
	const void *v;
	size_t nr;
	size_t event_size; /* bytes, a multiple of 8, from one event to the next */
	bool mixed;	   /* some may be of other kinds than the account takes */
};

/* An interval of events has ended, and some of what was kept may be given back. */
struct account_tick {
	uint64_t time_ns;
	struct key_names *names; /* of interned values in events */
	const struct kmem_bounds *bounds;
};

/*
 * The result as figures by names, which diff compares with those of another source: by_function,
 * call sites are named without offsets, as those are of different kernels.
 */
#define ACCOUNT_TABLES_MAX 8

struct account_tables {
	const struct source_table_kind *kinds;
	unsigned int nr;
	/* Fill a table of each kind; *ret_untold: bits of those of which nothing is known. Errors:
	 * -ENOMEM. */
	int (*fill)(const void *state, const struct report_context *context, bool by_function,
		    struct source_table *tables, uint32_t *ret_untold);
};

/* A live allocation, or this many of them from a row without events. */
struct account_live {
	uint64_t time_ns; /* of the allocation; of several, the first */
	uint64_t last_ns; /* of the last one */
	uint64_t hits;
	uint64_t bytes;
	bool filtered_out;   /* only unfiltered tables have a row for it */
	bool in_window;	     /* whether it was allocated in the window */
	const uint32_t *row; /* in each table that is counted in (allocator_accounts.h) */
};

typedef void (*account_live_fn)(void *ctx, const struct account_live *live);

/* Sums of the whole allocator: of allocations in the window that were not filtered out. */
struct account_totals {
	uint64_t allocations, bytes_allocated;
};

/* A table that reports make by themselves, and its order. */
struct usual_table {
	struct table_spec spec;
	const char *sort;
};

/*
 * What the account of an allocator has, beside its section: tables by any keys (struct
 * allocator_accounts) and a live set.  stat, leak, diff and top use these, and know no allocator.
 */
struct allocator_ops {
	enum allocator bit;	    /* in the lists of keys and columns */
	size_t common_offset;	    /* of the struct allocator_accounts in its state */
	const char *objects;	    /* for the user: "allocations of objects" */
	bool stock_tells_frees;	    /* stock's tables have a column about frees */
	const char *title;	    /* "Slab" */
	enum kmem_kind alloc, free; /* kinds of events */
	struct usual_table caller, alloc_table, pictures; /* --caller, --alloc, pictures */
	const struct leak_allocator *leak;
	struct account_totals (*totals)(const void *state);
	/* Calls fn for each, in no particular order. */
	void (*for_each_live)(const void *state, account_live_fn fn, void *ctx);
};

/*
 * The contract of an event passed to take(). It does not depend on the other chosen accounts, and
 * holds for an account that declares nothing:
 *
 * - It is in a time window (--time), matches the filters (--comm, --cpu, ...), and has not failed.
 * So it counts. An account that also tracks events that do not count lists them in
 * account_take.also: TAKES_OUTSIDE (in_window is false), TAKES_FILTERED (filtered_out is true),
 * TAKES_FAILED (kmem_event_has_failed()). An allocator counts a free if its allocation counts,
 * whatever the free's own flags are.
 * - Kinds in `completed` have their names, node and call site; kinds in `callers` have their call
 *   site. Other kinds have the fields of their tracepoint.
 * - The kernel traces large slab allocations twice (util/accounts/trace_pair.h). Both traces are
 *   passed. An account that takes KMEM_SLAB_ALLOC must drop one of them, and declares this in
 *   `twice`; otherwise it is refused. With TAKES_OUTSIDE it also gets second traces that follow the
 *   windows by at most TRACE_PAIR_NS (late is true).
 *
 * A sample that cannot be decoded is counted (nr_bad) and never passed. add_row() gets rows that
 * are in the windows; filtered_out rows are passed only with `rows_filtered`.
 */
struct account_ops {
	const char *id;		 /* its option, and its section in documents: "percpu" */
	const char *what;	 /* the name of its events in messages: "per-CPU list" */
	const char *stat_help;	 /* the help text of stat's option */
	const char *record_help; /* NULL: nothing is recorded for it */
	const struct allocator_ops *allocator; /* NULL: it is not of an allocator */

	/* bits of kinds, KIND_BIT(); those of its own tracepoints are added */
	uint32_t kinds;	    /* kinds that it takes */
	uint32_t tells;	    /* it has something to report if one of these was recorded */
	uint32_t completed; /* allocations to be completed (util/decode/completion.h) */
	uint32_t callers;   /* kinds whose call site must be found in the callchain; none of
			     * `completed` */
	uint32_t twice;	    /* kinds of which it drops second traces */
	/*
	 * Keys that it needs of every page there is, bits of enum kmem_key: it looks at memory, not
	 * at what happens to it, and only if it is asked to.  0: it takes events.
	 */
	key_mask_t source_keys;
	const char *kernel_text; /* where the running kernel has these; NULL: it takes events */
	/*
	 * The filters that it can apply: bits of enum kmem_key for keys that each of its events
	 * has, and BYTES_BIT.  Others are refused.  Not used for an allocator, whose keys are those
	 * of its allocations.
	 */
	key_mask_t filter_keys;

	const struct account_record *recorded;
	unsigned int nr_recorded;
	/*
	 * Tracepoints that no other account uses: they are recorded, and get kinds of their own,
	 * which are added to the kinds that it takes and reports on and, if it wants callchains, to
	 * `callers`.
	 */
	const struct kmem_tracepoint *tracepoints;
	unsigned int nr_tracepoints;

	bool has_timeline; /* of its own, if options->timeline says so */
	size_t size;	   /* size of its state, which is zeroed and starts a cache line */
	/* Errors: -ENOMEM; deinit is called even then. */
	int (*init)(void *state, const struct account_setup *setup);
	/* Such events may come. NULL: not needed. */
	void (*bind)(void *state, const struct event_type *type);
	/* Keys whose values it needs in events, bits of enum kmem_key. NULL: none. */
	key_mask_t (*keys)(const void *state);
	/*
	 * Events, of which those of `kinds` are for it; see account_take_each(). NULL: it only
	 * takes rows. Errors: -ENOMEM.
	 */
	int (*take)(void *state, const struct account_events *events, uint32_t kinds);
	bool rows_filtered; /* rows that are filtered_out are passed, too */
	/* Figures of allocations for which there are no events; NULL: it only takes events. Errors:
	 * -ENOMEM. */
	int (*add_row)(void *state, const struct kmem_event *keys,
		       const struct source_figures *figures);
	/* All events before this tick have been taken, and more will come. NULL: it keeps nothing
	 * that grows with time. Errors: -ENOMEM. */
	int (*tick)(void *state, const struct account_tick *tick);
	/* All events have been taken; stop_ns: the last moment that counts. NULL: nothing left to
	 * do. */
	void (*finish)(void *state, uint64_t stop_ns);
	void (*deinit)(void *state);
	/* Its part of the report. If memory runs out, the document reports it. */
	void (*build)(const void *state, const struct report_context *context,
		      struct document_section *in);
	const struct account_tables *tables; /* NULL: diff cannot compare it */
};

#define ACCOUNT_EXTERN(name) extern const struct account_ops account_##name;
KMEM_ACCOUNTS(ACCOUNT_EXTERN)

extern const struct account_ops *const account_table[ACCOUNTS_NR];

/*
 * Events are looked at twice before they are taken, so many events ahead each time: first to load
 * the places in the indexes of tables into the cache, then the rows that these lead to.
 */
#define ACCOUNT_PREFETCH 8

static inline bool account_takes(uint32_t kinds, const struct kmem_event *ev)
{
	return kinds >> ev->kind & 1;
}

/* Events that an account takes although they do not count: see the contract above. */
enum account_also {
	TAKES_OUTSIDE = 1,
	TAKES_FILTERED = 2,
	TAKES_FAILED = 4,
	TAKES_ALL = 7,
};

static inline bool account_counts(const struct kmem_event *ev, unsigned int also)
{
	return (also & TAKES_OUTSIDE || ev->in_window) &&
	       (also & TAKES_FILTERED || !ev->filtered_out) &&
	       (also & TAKES_FAILED || !kmem_event_has_failed(ev));
}

/* Functions for one event; NULL, NULL: there is nothing to prefetch. */
struct account_take {
	void (*prefetch_index)(const void *state, const struct kmem_event *ev);
	void (*prefetch_rows)(const void *state, const struct kmem_event *ev);
	int (*take)(void *state, const struct kmem_event *ev);
	unsigned int also; /* bits of enum account_also */
};

/* So many events are sorted out at once. */
#define ACCOUNT_CHUNK 512

/* Where an event is, in units of 8 bytes from the first of the chunk. */
typedef uint16_t account_place;

_Static_assert(ACCOUNT_CHUNK * sizeof(struct kmem_event) / 8 <= UINT16_MAX, "places fit");

static inline const struct kmem_event *account_event_at(const struct account_events *chunk,
							account_place place)
{
	return (const struct kmem_event *)((const uint64_t *)chunk->v + place);
}

/*
 * Places of events for an account, of at most ACCOUNT_CHUNK; returns how many.  Of mixed ones only
 * those of its kinds, found without a branch, which would be mispredicted half of the time; of
 * others all, so that they are not touched before they are looked at.
 */
static inline size_t account_sort_out(const struct account_events *chunk, uint32_t kinds,
				      account_place ret_places[ACCOUNT_CHUNK])
{
	const size_t step = chunk->event_size / 8;
	size_t nr = 0;

	if (!chunk->mixed) {
		for (; nr < chunk->nr; nr++)
			ret_places[nr] = (account_place)(nr * step);
		return nr;
	}
	for (size_t i = 0; i < chunk->nr; i++) {
		ret_places[nr] = (account_place)(i * step);
		nr += account_takes(kinds, account_event_at(chunk, ret_places[nr]));
	}
	return nr;
}

/* A part of account_take_each(): at most ACCOUNT_CHUNK events. */
static inline __attribute__((always_inline)) int
account_take_chunk(void *state, const struct account_events *chunk, uint32_t kinds,
		   const struct account_take how)
{
	const size_t near = ACCOUNT_PREFETCH, far = 2 * ACCOUNT_PREFETCH;
	account_place at[ACCOUNT_CHUNK];
	size_t nr = account_sort_out(chunk, kinds, at);
	int ret = 0;

	for (size_t i = 0; how.prefetch_index && i < far && i < nr; i++)
		how.prefetch_index(state, account_event_at(chunk, at[i]));
	for (size_t i = 0; i < nr && !ret; i++) {
		if (how.prefetch_index && i + far < nr)
			how.prefetch_index(state, account_event_at(chunk, at[i + far]));
		if (how.prefetch_rows && i + near < nr)
			how.prefetch_rows(state, account_event_at(chunk, at[i + near]));
		if (account_counts(account_event_at(chunk, at[i]), how.also))
			ret = how.take(state, account_event_at(chunk, at[i]));
	}
	return ret;
}

/* The body of ops.take(), made from such functions, which are inlined: they are constant. */
static inline __attribute__((always_inline)) int
account_take_each(void *state, const struct account_events *events, uint32_t kinds,
		  const struct account_take how)
{
	int ret = 0;

	for (size_t done = 0; done < events->nr && !ret; done += ACCOUNT_CHUNK) {
		size_t left = events->nr - done;
		const struct account_events chunk = {
			.v = (const uint8_t *)events->v + done * events->event_size,
			.nr = left < ACCOUNT_CHUNK ? left : ACCOUNT_CHUNK,
			.event_size = events->event_size,
			.mixed = events->mixed,
		};

		ret = account_take_chunk(state, &chunk, kinds, how);
	}
	return ret;
}

#endif
