/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct account_ops: one way to account events and to report the result.
 *
 * An account declares the kinds of events it takes and the events that `perf kmem record` must
 * record for it, takes the events, and builds its section of the report. KMEM_ACCOUNTS lists all
 * accounts: the options of record and stat, their help, the defaults and the checks are derived
 * from this list. A new account is a file in util/accounts and an entry here.
 *
 * Accounts do not depend on the source of their events. A tracepoint that only one account uses is
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
 * in util/accounts or util/buddy. */
/* clang-format off */
#define KMEM_ACCOUNTS(ACCOUNT)                                                                     \
	ACCOUNT(slab) ACCOUNT(page) ACCOUNT(percpu) ACCOUNT(extfrag) ACCOUNT(pressure)             \
	ACCOUNT(pageblocks) ACCOUNT(vmalloc) ACCOUNT(percpu_mem)
/* clang-format on */

/* Limit of requested tables; an account may have one more. */
#define TABLES_MAX (STAT_TABLES_MAX - 1)

#define ACCOUNT_ID(name) ACCOUNT_##name,
enum account_id { KMEM_ACCOUNTS(ACCOUNT_ID) ACCOUNTS_NR };

struct account_setup;
struct document_section;
struct event_type;
struct leak_allocator; /* an allocator's part of leak; defined in util/leak */
struct kmem_bounds;
struct key_marks;
struct report_context; /* a report's input; defined in util/report */
struct source_table;
struct source_table_kind;

/*
 * Number of callchain frames needed to find the call site: there are at most 5 functions of the
 * page allocator above it where pages are allocated, 6 where they are freed, and 9 where it falls
 * back to other migrate types (measured on 6.18; arm64 has up to 2 of the tracepoint more).
 */
#define CALLSITE_FRAMES 12

/* The same for tracepoints of single accounts, which fire in deeper functions: reclaim that an
 * object's new slab needs has 14 frames below the object's allocation (6.18). */
#define OWN_CALLSITE_FRAMES 24

/* Keys that every event has, and the size of a block of pages, for account_ops.filter_keys. */
#define BYTES_BIT (KEY_BIT(KEY_NR))
#define CONTEXT_KEYS                                                                               \
	(KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_CPU) |              \
	 KEY_BIT(KEY_NODE) | KEY_BIT(KEY_CGROUP))
#define BLOCK_KEYS (KEY_BIT(KEY_ORDER) | BYTES_BIT)

/* Finds the function that contains an address. */
struct function_lookup {
	/* Returns the function's start (0 if unknown) and name. NULL: no symbols. */
	uint64_t (*find)(const void *ctx, uint64_t address, const char **ret_name);
	const void *ctx;
};

/* An event that record enables. */
struct account_record {
	const char *event; /* may be a glob: "kmem:kmalloc*" */
	bool callchain;	   /* with the kernel callchain, which contains the call site */
	bool allocates;	   /* its user callchain shows which code the memory is for */
	bool failed_only;  /* only allocations that failed */
	bool optional;	   /* some kernels are built without it */
};

/* Events in order. Each may be cut to its first bytes: kmem_event_extent(). */
struct account_events {
	const void *v;
	size_t nr;
	size_t event_size; /* distance between events in bytes, a multiple of 8 */
	bool mixed;	   /* may contain kinds that the account does not take */
};

/* The end of an interval of events; accounts may drop data beyond the bounds. */
struct account_tick {
	uint64_t time_ns;
	struct key_names *names; /* of interned values in events */
	const struct kmem_bounds *bounds;
};

#define ACCOUNT_TABLES_MAX 8

/* The result as named figures, which diff compares with those of another source. */
struct account_tables {
	const struct source_table_kind *kinds;
	unsigned int nr; /* at most ACCOUNT_TABLES_MAX */
	/*
	 * Fills a table of each kind. With by_function, call sites are named without offsets, which
	 * differ between kernels. *ret_missing: bits of the kinds without data. Returns 0, or
	 * -ENOMEM.
	 */
	int (*fill)(const void *state, const struct report_context *context, bool by_function,
		    struct source_table *tables, uint32_t *ret_missing);
};

/* A live allocation, or several of them, from a row without events. */
struct account_live {
	uint64_t time_ns; /* of the allocation, or of the first one */
	uint64_t last_ns; /* of the last one */
	uint64_t hits;
	uint64_t bytes;
	bool filtered_out;   /* has rows in unfiltered tables only */
	bool in_window;	     /* allocated in the window */
	const uint32_t *row; /* in each table of counted_in (allocator_accounts.h) */
};

typedef void (*account_live_fn)(void *ctx, const struct account_live *live);

/* Sums over the allocator: allocations in the window that pass the filter. */
struct account_totals {
	uint64_t allocations, bytes_allocated;
};

/* A default table of a report, and its order. */
struct default_table {
	struct table_spec spec;
	const char *sort;
	const char *title; /* of the overview; NULL for other tables */
};

/* The tables of stat without options. */
#define OVERVIEW_TABLES 3

/*
 * An allocator's account, besides its section: tables by any keys (struct allocator_accounts) and a
 * live set. stat, leak, diff and top use these for any allocator.
 */
struct allocator_ops {
	enum allocator bit;	    /* in the lists of keys and columns */
	size_t common_offset;	    /* of struct allocator_accounts in the state */
	const char *objects;	    /* for messages: "allocations of objects" */
	bool stock_has_frees;	    /* stock's tables have a column of frees */
	const char *title;	    /* "Slab" */
	enum kmem_kind alloc, free; /* kinds of events */
	struct default_table caller, alloc_table, pictures; /* --caller, --alloc, pictures */
	struct default_table overview[OVERVIEW_TABLES];
	const struct leak_allocator *leak;
	struct account_totals (*totals)(const void *state);
	/* Calls fn for each live allocation, in no particular order. */
	void (*for_each_live)(const void *state, account_live_fn fn, void *ctx);
};

/*
 * The contract of an event passed to take(). It does not depend on the other chosen accounts, and
 * holds for an account that declares nothing:
 *
 * - The event counts: it is in a time window, matches the filters (--comm, --cpu, ...), and has not
 *   failed. An account that also tracks events that do not count lists them in
 *   account_take.also: TAKES_OUTSIDE (before or between the windows: in_window is false),
 *   TAKES_FILTERED (filtered_out is true), TAKES_FAILED (kmem_event_has_failed()). An allocator
 *   counts a free if its allocation counts, whatever the free's own flags are.
 * - Kinds in `completed` have their names, node and call site; kinds in `callers` have their call
 *   site. Other kinds have at least the fields of their tracepoint.
 * - The kernel traces large slab allocations twice (util/accounts/trace_pair.h). Both traces are
 *   passed. An account that takes KMEM_SLAB_ALLOC must drop one of them, and declares this in
 *   `twice`; otherwise it is refused. With TAKES_OUTSIDE it also gets the events of these kinds
 *   that follow the windows by at most TRACE_PAIR_NS, neither completed nor filtered (late is
 *   true).
 *
 * A sample that cannot be decoded is counted (nr_bad) and never passed. add_row() gets rows that
 * are in the windows; filtered_out rows are passed only with `rows_filtered`.
 */
struct account_ops {
	const char *id;		 /* its option, and its section in documents: "percpu" */
	const char *what;	 /* the name of its events in messages: "per-CPU list" */
	const char *stat_help;	 /* the help text of stat's option */
	const char *record_help; /* NULL: it records nothing */
	const struct allocator_ops *allocator; /* NULL: not of an allocator */

	/* bits of kinds, KIND_BIT(); those of its own tracepoints are added */
	uint32_t kinds;	     /* kinds that it takes */
	uint32_t sufficient; /* kinds of which any one, if recorded, is enough for a report */
	uint32_t completed;  /* allocations to be completed (util/decode/completion.h) */
	uint32_t callers;    /* kinds whose call site is in the callchain; none of `completed` */
	/*
	 * Keys that it needs, if the source has them, in the events of its own tracepoints and of
	 * `completed`: bits of KEY_COMM, KEY_NODE and KEY_CGROUP.
	 */
	key_mask_t context;
	uint32_t twice; /* kinds in which it recognises second traces, which it drops */
	/*
	 * Keys that it needs for every page of memory, bits of enum kmem_key. The account then
	 * reports the state of memory, not events, and is chosen only on request. 0: it takes
	 * events.
	 */
	key_mask_t source_keys;
	const char *kernel_path; /* the kernel's file with these keys; NULL: it takes events */
	/*
	 * Filters that it can apply: bits of enum kmem_key for keys that each of its events has,
	 * and BYTES_BIT. Others are refused. Unused for an allocator, which filters by the keys of
	 * its allocations.
	 */
	key_mask_t filter_keys;

	const struct account_record *recorded;
	unsigned int nr_recorded;
	/*
	 * Tracepoints that no other account uses. They are recorded and get kinds of their own,
	 * which are added to the kinds that it takes and reports on. If recorded with callchains,
	 * they have their call site.
	 */
	const struct kmem_tracepoint *tracepoints;
	unsigned int nr_tracepoints;

	bool has_timeline; /* builds its own timeline if options->timeline is set */
	size_t size;	   /* size of its state, which is zeroed and aligned to a cache line */
	/* Returns 0, or -ENOMEM; deinit is called in both cases. */
	int (*init)(void *state, const struct account_setup *setup);
	/* Called once for each event type before its first event. May be NULL. */
	void (*bind)(void *state, const struct event_type *type);
	/* Returns the keys that it needs in events, bits of enum kmem_key. NULL: none. */
	key_mask_t (*keys)(const void *state);
	/*
	 * Takes the events of `kinds` and skips others; see account_take_each(). NULL: it only
	 * takes rows. Returns 0, or -ENOMEM.
	 */
	int (*take)(void *state, const struct account_events *events, uint32_t kinds);
	bool rows_filtered; /* filtered_out rows are passed, too */
	/* Takes figures of allocations without events. NULL: it only takes events, and is refused
	 * for a dump. Returns 0, or -ENOMEM. */
	int (*add_row)(void *state, const struct kmem_event *keys,
		       const struct source_figures *figures);
	/* Called when all events before this tick have been taken, and more may follow. May be NULL
	 * if nothing grows with time. Returns 0, or -ENOMEM. */
	int (*tick)(void *state, const struct account_tick *tick);
	/* Mark the interned names that its state holds. NULL: none, besides allocators' tables. */
	void (*mark_names)(const void *state, struct key_marks *marks);
	/* Called after the last event; stop_ns: the end of the reported time. May be NULL. */
	void (*finish)(void *state, uint64_t stop_ns);
	void (*deinit)(void *state);
	/* Builds its part of the report. The document reports lack of memory. */
	void (*build)(const void *state, const struct report_context *context,
		      struct document_section *in);
	const struct account_tables *tables; /* NULL: not comparable by diff */
};

#define ACCOUNT_EXTERN(name) extern const struct account_ops account_##name;
KMEM_ACCOUNTS(ACCOUNT_EXTERN)

extern const struct account_ops *const account_table[ACCOUNTS_NR];

/*
 * Distance of prefetching in events: each event is read twice before it is taken, first to prefetch
 * its slots in the tables' indexes, then the rows found there.
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

/*
 * Functions for one event. Both prefetch functions are NULL if there is nothing to prefetch.
 * prefetch_index() returns the hash of the key that it prefetches, and the others get it.
 */
struct account_take {
	uint32_t (*prefetch_index)(const void *state, const struct kmem_event *ev);
	void (*prefetch_rows)(const void *state, const struct kmem_event *ev, uint32_t hash);
	int (*take)(void *state, const struct kmem_event *ev, uint32_t hash);
	unsigned int also; /* bits of enum account_also */
};

/* Events filtered per chunk. */
#define ACCOUNT_CHUNK 512

static inline const struct kmem_event *account_event_at(const struct account_events *events,
							size_t i)
{
	return (const struct kmem_event *)((const uint8_t *)events->v + i * events->event_size);
}

/*
 * Returns the number of events for an account, at most ACCOUNT_CHUNK, and their places. Mixed
 * events are filtered by kind without a branch, which would be mispredicted half of the time.
 * Otherwise all events are listed without reading them, so that the prefetch comes first.
 */
static inline size_t account_sort_out(const struct account_events *chunk, uint32_t kinds,
				      const struct kmem_event *ret_events[ACCOUNT_CHUNK])
{
	size_t nr = 0;

	if (!chunk->mixed) {
		for (; nr < chunk->nr; nr++)
			ret_events[nr] = account_event_at(chunk, nr);
		return nr;
	}
	for (size_t i = 0; i < chunk->nr; i++) {
		ret_events[nr] = account_event_at(chunk, i);
		nr += account_takes(kinds, ret_events[nr]);
	}
	return nr;
}

/* Part of account_take_each(): at most ACCOUNT_CHUNK events. */
static inline __attribute__((always_inline)) int
account_take_chunk(void *state, const struct account_events *chunk, uint32_t kinds,
		   const struct account_take how)
{
	const size_t near = ACCOUNT_PREFETCH, far = 2 * ACCOUNT_PREFETCH;
	const struct kmem_event *ev[ACCOUNT_CHUNK + 2 * ACCOUNT_PREFETCH];
	uint32_t hash[ACCOUNT_CHUNK + 2 * ACCOUNT_PREFETCH];
	size_t nr = account_sort_out(chunk, kinds, ev);
	int ret = 0;

	/* the last event stands for those after it, so that prefetching needs no test for the end
	 */
	for (size_t i = 0; how.prefetch_index && nr && i < far; i++)
		ev[nr + i] = ev[nr - 1];
	for (size_t i = 0; how.prefetch_index && nr && i < far; i++)
		hash[i] = how.prefetch_index(state, ev[i]);
	for (size_t i = 0; i < nr && !ret; i++) {
		if (how.prefetch_index)
			hash[i + far] = how.prefetch_index(state, ev[i + far]);
		if (how.prefetch_rows)
			how.prefetch_rows(state, ev[i + near], hash[i + near]);
		if (account_counts(ev[i], how.also))
			ret = how.take(state, ev[i], how.prefetch_index ? hash[i] : 0);
	}
	return ret;
}

/* The body of ops.take(). It is inlined so that the functions in `how` are constants. */
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
