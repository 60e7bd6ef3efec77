/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct account_ops: one way to keep books of events, and to report them.
 *
 * An account says which kinds of events it is made of and what `perf kmem record` must ask the
 * kernel for, takes the events, and builds its section of the report.  KMEM_ACCOUNTS lists all of
 * them: the options of record and stat, their help, what is chosen when nothing is asked for, and
 * the checks come from this list, and nothing else knows which accounts there are.  A new one is
 * a file in util/accounts and its name here.
 *
 * Accounts know events and nothing of where those come from.  A tracepoint that only one account
 * looks at stands in that account's file, too: kinds for those are given out in the order of the
 * list.
 */
#ifndef KMEM_ACCOUNT_H
#define KMEM_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/kmem/key.h"
#include "util/kmem/kmem_event.h"
#include "util/source/complete_event.h"

/* In the order of the report and of the options; account_NAME is defined in util/accounts. */
#define KMEM_ACCOUNTS(ACCOUNT) ACCOUNT(slab) ACCOUNT(page) ACCOUNT(percpu) ACCOUNT(extfrag)

#define ACCOUNT_ID(name) ACCOUNT_##name,
enum account_id { KMEM_ACCOUNTS(ACCOUNT_ID) ACCOUNTS_NR };

struct account_setup;
struct document_section;
struct report_context; /* what a report may look at; util/report knows */

/* What record asks the kernel for. */
struct account_record {
	const char *event; /* may be a glob: "kmem:kmalloc*" */
	bool callchain;	   /* with the kernel's */
};

/* A kind of event that the source has, before the first of them comes. */
struct account_event {
	unsigned int kind; /* enum kmem_kind */
	unsigned int own;  /* KMEM_OWN and up: which of the account's tracepoints */
	bool has_callchain;
	const struct tep_event *format; /* NULL: the source has none, and each field */
};

struct account_ops {
	const char *id;	       /* its option, and its section in documents: "percpu" */
	const char *what;      /* its events, in messages: "per-CPU list" */
	const char *stat_help; /* of the option of stat */
	const char *record_help;
	enum allocator allocator; /* whose tables of any keys it has; 0: none */

	/* bits of kinds, KIND_BIT(); those of its own tracepoints are added */
	uint32_t kinds;	  /* that it takes */
	uint32_t tells;	  /* there is something to report when one of these was recorded */
	uint32_t facts;	  /* allocations that are to be completed (util/kmem/facts.h) */
	uint32_t callers; /* whose call site is to be looked for in the callchain; never of `facts`
			   */
	uint32_t late;	  /* that it wants also for a moment behind all time windows */

	const struct account_record *recorded;
	unsigned int nr_recorded;
	/*
	 * Tracepoints that nobody else looks at: they are recorded, and kinds of their own, which
	 * are added to those that it takes and that tell, and to `callers` where it wants
	 * callchains.
	 */
	const struct kmem_tracepoint *tracepoints;
	unsigned int nr_tracepoints;

	size_t size; /* of its state, which is zeroed, and begins a cache line */
	/* Errors: -ENOMEM; deinit is called all the same. */
	int (*init)(void *state, const struct account_setup *setup);
	/* Such events may come. NULL: it is all the same to it. */
	void (*bind)(void *state, const struct account_event *event);
	/* Keys whose values it needs in events, bits of enum kmem_key. NULL: none. */
	uint32_t (*keys)(const void *state);
	/*
	 * Events in their order, of which those of `kinds` are its own; see ACCOUNT_TAKE().
	 * Errors: -ENOMEM.
	 */
	int (*take)(void *state, const struct kmem_event *events, size_t nr, uint32_t kinds);
	/* Figures of allocations that no events are told of; NULL: it is made of events. Errors:
	 * -ENOMEM. */
	int (*add_row)(void *state, const struct kmem_event *keys,
		       const struct source_figures *figures);
	/* All were taken; stop_ns: of the latest moment that counts. NULL: nothing is left to do.
	 */
	void (*finish)(void *state, uint64_t stop_ns);
	void (*deinit)(void *state);
	/* Its part of the report. Memory that runs out is the document's to tell. */
	void (*build)(const void *state, const struct report_context *context,
		      struct document_section *in);
};

#define ACCOUNT_EXTERN(name) extern const struct account_ops account_##name;
KMEM_ACCOUNTS(ACCOUNT_EXTERN)

extern const struct account_ops *const account_table[ACCOUNTS_NR];

/* Has an event of the source this field? */
bool account_event_has_field(const struct account_event *event, const char *name);

/* Where an account has them its places are fetched into the cache so many events ahead. */
#define ACCOUNT_PREFETCH 16

static inline bool account_takes(uint32_t kinds, const struct kmem_event *ev)
{
	return kinds >> ev->kind & 1;
}

/*
 * The body of ops.take() from a function for one event; prefetch may be NULL.  It is a part of its
 * caller, so that neither costs a call through a pointer.
 */
static inline __attribute__((always_inline)) int
account_take_each(void *state, const struct kmem_event *events, size_t nr, uint32_t kinds,
		  int (*take)(void *state, const struct kmem_event *ev),
		  void (*prefetch)(const void *state, const struct kmem_event *ev))
{
	int ret = 0;

	for (size_t i = 0; prefetch && i < nr && i < ACCOUNT_PREFETCH; i++)
		if (account_takes(kinds, &events[i]))
			prefetch(state, &events[i]);
	for (size_t i = 0; !ret && i < nr; i++) {
		if (prefetch && i + ACCOUNT_PREFETCH < nr &&
		    account_takes(kinds, &events[i + ACCOUNT_PREFETCH]))
			prefetch(state, &events[i + ACCOUNT_PREFETCH]);
		if (account_takes(kinds, &events[i]))
			ret = take(state, &events[i]);
	}
	return ret;
}

#endif
