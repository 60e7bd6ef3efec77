/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_accounts: the chosen accounts and their states.
 *
 * Decoded events enter them in batches, in order. Only the accounting thread writes to the accounts
 * while a source is read, so each state, and this struct, have cache lines of their own.
 */
#ifndef KMEM_ACCOUNTS_H
#define KMEM_ACCOUNTS_H

#include "util/base/error.h"
#include "util/base/handoff.h"
#include "util/base/strbuf.h"
#include "util/decode/decoding.h"
#include "util/event/known_events.h"
#include "util/kmem/account.h"
#include "util/kmem/allocator_accounts.h"
#include "util/kmem/options.h"
#include "util/table/stat_limit.h"

/* Input of accounts before the first event; all of it must outlive them. */
struct account_setup {
	const struct kmem_options *options;
	const struct key_names *names;	  /* of interned values in events */
	uint32_t page_size;		  /* bytes */
	int pageblock_order;		  /* PAGEBLOCK_ORDER_UNKNOWN if no format has it */
	const struct source_facts *facts; /* may grow with each row */
	struct source_span span;	  /* the time span of histories */
	bool is_filtered;		  /* some events are filtered_out */
	struct function_lookup functions;
	struct stat_limit *limit; /* of all tables; NULL: none */
};

/* The kernel's counts of slab objects, if they cover the reported time and the events of all tasks,
 * otherwise NULL. Complete at the end. */
const struct slab_counts *accounts_slab_counts(const struct source_facts *facts,
					       const struct kmem_options *options);

struct account {
	const struct account_ops *ops;
	void *state;	/* NULL: not chosen */
	uint32_t kinds; /* kinds that it takes */
};

struct kmem_accounts {
	_Alignas(CACHE_LINE) struct account v[ACCOUNTS_NR];
	bool mixed;		 /* some account that takes events skips some of them */
	size_t event_size;	 /* bytes passed of each event; initially all */
	struct stat_limit limit; /* set after accounts_init() by the caller */
};

/* Sets of accounts: those with tables by any keys, those with tables of their own, and all. */
enum accounts_set { ACCOUNTS_ALLOCATORS = 1, ACCOUNTS_OWN_TABLES = 2, ACCOUNTS_ALL = 3 };

/* Whether v contains any account of the set. */
bool accounts_any(const bool v[ACCOUNTS_NR], enum accounts_set set);

/* Adds the accounts of these allocators: bits of enum allocator. */
void accounts_want(bool wanted[ACCOUNTS_NR], unsigned int allocators);

/*
 * Makes the choice implied by a key that only these allocators have: adds the first one, unless one
 * of them is wanted already, or both slab and page are among them.
 */
void accounts_want_any(bool wanted[ACCOUNTS_NR], unsigned int allocators);

/* Lists the accounts' own tracepoints, for decoding. Returns their number. */
size_t accounts_tracepoints(struct own_tracepoint ret_v[OWN_TRACEPOINTS_MAX]);

/*
 * Choose accounts: the wanted ones, or else that of the first recorded allocator. Otherwise those
 * whose own tracepoints were recorded, and all accounts of page allocator internals if any of its
 * internal events was recorded. If that leaves none, the first account. recorded: bits of kinds.
 */
void accounts_choose(const bool wanted[ACCOUNTS_NR], uint32_t recorded,
		     bool ret_chosen[ACCOUNTS_NR]);

/*
 * Whether there is something to report. If several allocators were requested, some may be missing.
 * An account that only takes events is refused if the source has its kinds as rows.
 * Returns 0, or -ENODATA with an explanation; facts: the source's.
 */
int accounts_check(const bool wanted[ACCOUNTS_NR], const bool chosen[ACCOUNTS_NR],
		   uint32_t recorded, const struct source_facts *facts, struct error *err);

/*
 * Call fn once for each event that these accounts need (the first account, if there is none) or,
 * with `all`, that any account needs, with a callchain if any of them needs one. A non-zero result
 * of fn ends the loop and is returned.
 */
typedef int (*account_record_fn)(void *ctx, const struct account_record *record, struct error *err);
int accounts_each_recorded(const bool wanted[ACCOUNTS_NR], bool all, account_record_fn fn,
			   void *ctx, struct error *err);

/* Number of callchain frames that the call site of this event needs. */
unsigned int accounts_callsite_frames(const char *event);

/*
 * Write the same as an argument of -e to an empty *sb; `all`: add every other kmem event;
 * user_stacks: allocations with user callchains.
 */
void accounts_add_recorded(struct strbuf *sb, const bool wanted[ACCOUNTS_NR], bool all,
			   bool user_stacks);

/* Whether the account handles allocations that are traced twice, or takes none. */
static inline bool account_declares_traces(const struct account_ops *ops)
{
	return !(ops->take && ops->kinds & ~ops->twice & KIND_BIT(KMEM_SLAB_ALLOC));
}

/* Refuse accounts that do not. Returns 0, or -EINVAL. */
int accounts_check_traces(const bool chosen[ACCOUNTS_NR], struct error *err);

/* Returns 0, or -ENOMEM; call deinit in both cases. */
int accounts_init(struct kmem_accounts *a, const bool chosen[ACCOUNTS_NR],
		  const struct account_setup *setup);
void accounts_deinit(struct kmem_accounts *a);

struct decoding_needs accounts_needs(const struct kmem_accounts *a);

/* Check that each chosen account can apply the filter. Returns 0, or -EINVAL with the valid
 * filters. */
int accounts_check_filter(const struct kmem_accounts *a, const struct kmem_filter *filter,
			  struct error *err);

/* Announce an event type to the accounts that take its kind. No account may be in use on another
 * thread. */
void accounts_bind(struct kmem_accounts *a, const struct event_type *type);

/* Take nr events of the needed kinds (accounts_needs()), a->event_size bytes each. Returns 0, or
 * -ENOMEM. */
int accounts_take(struct kmem_accounts *a, const void *events, size_t nr);

/* Add figures counted elsewhere, by the keys of an event. Returns 0, or -ENOMEM. */
int accounts_add_row(struct kmem_accounts *a, const struct kmem_event *keys,
		     const struct source_figures *figures);

/*
 * Called when all events before this tick have been taken: close the intervals of tables that keep
 * them, and drop data beyond the bounds. The accounts must not be in use. Returns 0, or -ENOMEM.
 */
int accounts_tick(struct kmem_accounts *a, const struct account_tick *tick);

/* Called after the last event; stop_ns: the end of the reported time. */
void accounts_finish(struct kmem_accounts *a, uint64_t stop_ns);

/*
 * One in how many live allocations is followed, because more are live than max_live (struct
 * kmem_bounds), in the account that follows the fewest. 1: all.
 */
uint64_t accounts_sample_one_in(const struct kmem_accounts *a);

/* Mark the interned names that rows of tables use. */
void accounts_mark_names(const struct kmem_accounts *a, struct key_marks *marks);

/* Whether an account of the set has been chosen. */
bool accounts_have_any(const struct kmem_accounts *a, enum accounts_set set);

static inline bool accounts_have(const struct kmem_accounts *a, enum account_id id)
{
	return a->v[id].state != NULL;
}

/* Returns the bit of the account's allocator, or 0. */
static inline unsigned int account_allocator_bit(int id)
{
	return account_table[id]->allocator ? account_table[id]->allocator->bit : 0;
}

/* Returns the account of the first of these allocators: bits, at least one. */
const struct account_ops *accounts_of(unsigned int allocators);

/* Returns the tables of an allocator's account, or NULL if it was not chosen or belongs to no
 * allocator. */
static inline struct allocator_accounts *accounts_allocator(const struct kmem_accounts *a, int id)
{
	const struct allocator_ops *ops = account_table[id]->allocator;

	return ops && a->v[id].state ? (void *)((uint8_t *)a->v[id].state + ops->common_offset)
				     : NULL;
}

/*
 * Prepare the common part of an allocator's account and its tables according to the options.
 * tables: the first ones. Returns 0, or -ENOMEM.
 */
int accounts_prepare_allocator(const struct account_setup *setup, struct allocator_accounts *a,
			       const struct tables_spec *tables);

#endif
