/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_accounts: the accounts that were chosen, and the state of each.
 *
 * Decoded events enter them in batches, in order.  Only the accounting thread writes to the
 * accounts while a source is read, so each one's state, and this struct, have cache lines of their
 * own.
 */
#ifndef KMEM_ACCOUNTS_H
#define KMEM_ACCOUNTS_H

#include "util/base/error.h"
#include "util/base/handoff.h"
#include "util/base/strbuf.h"
#include "util/decode/decoding.h"
#include "util/event/event_kinds.h"
#include "util/kmem/account.h"
#include "util/kmem/allocator_accounts.h"
#include "util/kmem/options.h"
#include "util/table/stat_limit.h"

/* What accounts need to know before the first event; all of it must outlive them. */
struct account_setup {
	const struct kmem_options *options;
	const struct key_names *names;	  /* of interned values in events */
	uint32_t page_size;		  /* bytes */
	int pageblock_order;		  /* PAGEBLOCK_ORDER_UNKNOWN: in no format */
	const struct source_facts *facts; /* of which more is known with each row */
	struct source_span span;	  /* the time span of histories */
	bool is_filtered;		  /* some events are filtered_out */
	struct function_lookup functions;
	struct stat_limit *limit; /* of all tables; NULL: none */
};

struct account {
	const struct account_ops *ops;
	void *state;	/* NULL: not chosen */
	uint32_t kinds; /* kinds that it takes */
};

struct kmem_accounts {
	_Alignas(CACHE_LINE) struct account v[ACCOUNTS_NR];
	bool mixed;		 /* some account that takes events does not need all that come */
	size_t event_size;	 /* bytes: how much of each they are given; all, at first */
	struct stat_limit limit; /* set by whoever passes it to accounts_init(), after that */
};

/* Sets of accounts: those with tables by any keys, those with tables of their own, and all. */
enum accounts_set { ACCOUNTS_ALLOCATORS = 1, ACCOUNTS_OWN_TABLES = 2, ACCOUNTS_ALL = 3 };

/* Is any of the set among these? */
bool accounts_any(const bool v[ACCOUNTS_NR], enum accounts_set set);

/* Add the accounts of these allocators: bits of enum allocator. */
void accounts_want(bool wanted[ACCOUNTS_NR], unsigned int allocators);

/* The tracepoints of accounts, for decoding; returns their number. */
size_t accounts_tracepoints(struct own_tracepoint ret_v[OWN_TRACEPOINTS_MAX]);

/*
 * Choose accounts: the wanted ones, or else that of the first allocator that was recorded, or else
 * the others: those whose own tracepoints were recorded, and all that look inside the page
 * allocator if any of its internal events was; else the first. recorded: bits of kinds.
 */
void accounts_choose(const bool wanted[ACCOUNTS_NR], uint32_t recorded,
		     bool ret_chosen[ACCOUNTS_NR]);

/*
 * Is there something to report? If both allocators were asked for, one may be missing. Errors:
 * -ENODATA, with an explanation; facts: the source's.
 */
int accounts_check(const bool wanted[ACCOUNTS_NR], const bool chosen[ACCOUNTS_NR],
		   uint32_t recorded, const struct source_facts *facts, struct error *err);

/*
 * Call fn for each event that these accounts need (the first one, if there is none) or, if `all`,
 * that any account needs, once, with a callchain if any of them needs one.  Non-zero ends it, and
 * is returned.
 */
typedef int (*account_record_fn)(void *ctx, const struct account_record *record, struct error *err);
int accounts_each_recorded(const bool wanted[ACCOUNTS_NR], bool all, account_record_fn fn,
			   void *ctx, struct error *err);

/*
 * The same as an argument of -e, for an empty *sb; `all`: and every other kmem event; user_stacks:
 * allocations with user callchains.
 */
void accounts_add_recorded(struct strbuf *sb, const bool wanted[ACCOUNTS_NR], bool all,
			   bool user_stacks);

/* Does the account handle allocations that are traced twice, if it takes any? */
static inline bool account_declares_traces(const struct account_ops *ops)
{
	return !(ops->take && ops->kinds & ~ops->twice & KIND_BIT(KMEM_SLAB_ALLOC));
}

/* Refuses accounts that do not. Errors: -EINVAL. */
int accounts_check_traces(const bool chosen[ACCOUNTS_NR], struct error *err);

/* Errors: -ENOMEM; call deinit even then. */
int accounts_init(struct kmem_accounts *a, const bool chosen[ACCOUNTS_NR],
		  const struct account_setup *setup);
void accounts_deinit(struct kmem_accounts *a);

struct decoding_needs accounts_needs(const struct kmem_accounts *a);

/* Can each chosen account apply the filter? Errors: -EINVAL, with the filters that it can apply. */
int accounts_check_filter(const struct kmem_accounts *a, const struct kmem_filter *filter,
			  struct error *err);

/* Tell those that take events of this kind. None of them may be in use on another thread. */
void accounts_bind(struct kmem_accounts *a, const struct event_type *type);

/* nr events of the needed kinds (accounts_needs()), a->event_size bytes each. Errors: -ENOMEM. */
int accounts_take(struct kmem_accounts *a, const void *events, size_t nr);

/* Figures that were counted elsewhere, by the keys of an event. Errors: -ENOMEM. */
int accounts_add_row(struct kmem_accounts *a, const struct kmem_event *keys,
		     const struct source_figures *figures);

/*
 * All events before this tick have been taken: close the intervals of those tables that keep them,
 * and give back what the bounds want given back. Nothing may be using the accounts. Errors:
 * -ENOMEM.
 */
int accounts_tick(struct kmem_accounts *a, const struct account_tick *tick);

/* All events have been taken so far; stop_ns: the last moment that counts. */
void accounts_finish(struct kmem_accounts *a, uint64_t stop_ns);

/*
 * Allocations of both allocators that came when as much was live as is kept track of (struct
 * kmem_bounds), and *ret_bytes, their bytes; it may be NULL.
 */
uint64_t accounts_untracked(const struct kmem_accounts *a, uint64_t *ret_bytes);

/* Mark the interned names that rows of tables refer to. */
void accounts_mark_names(const struct kmem_accounts *a, struct key_marks *marks);

/* Has any of the set been chosen? */
bool accounts_have_any(const struct kmem_accounts *a, enum accounts_set set);

static inline bool accounts_have(const struct kmem_accounts *a, enum account_id id)
{
	return a->v[id].state != NULL;
}

/* The bit of the account's allocator; 0: it is not of an allocator. */
static inline unsigned int account_allocator_bit(int id)
{
	return account_table[id]->allocator ? account_table[id]->allocator->bit : 0;
}

/* The account of an allocator, which has one. */
const struct account_ops *accounts_of(enum allocator bit);

/* The tables of an allocator's account. NULL: it was not chosen, or is not of an allocator. */
static inline struct allocator_accounts *accounts_allocator(const struct kmem_accounts *a, int id)
{
	const struct allocator_ops *ops = account_table[id]->allocator;

	return ops && a->v[id].state ? (void *)((uint8_t *)a->v[id].state + ops->common_offset)
				     : NULL;
}

/*
 * Prepare what an allocator's accounts have in common, with their tables, according to the options.
 * tables: the first ones. Errors: -ENOMEM.
 */
int accounts_prepare_allocator(const struct account_setup *setup, struct allocator_accounts *a,
			       const struct tables_spec *tables);

#endif
