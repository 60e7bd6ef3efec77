/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct range_accounts: the part common to the accounts of vmalloc and of percpu memory.
 *
 * An allocation is a range of addresses, live from its event until the free of its start. Each has
 * one size, and both events have a tracepoint. It is the account's state. struct range_kind
 * describes what differs.
 */
#ifndef ACCOUNTS_RANGE_H
#define ACCOUNTS_RANGE_H

#include "util/event/kmem_event.h"
#include "util/kmem/accounts.h"

struct document_section;
struct report_context;

#define RANGE_FIGURES_MAX 4

/* A figure of one account: a line of its summary in text output, and a member in JSON. */
struct range_figure {
	const char *id, *label;
	bool is_pages; /* reported in bytes */
};

struct range_accounts;

struct range_kind {
	enum account_id account;
	const char *summary_title, *pingpong_title;
	const char *size_note;	  /* what the bytes include; a sentence */
	enum kmem_key summary_by; /* key of a table in the summary; KEY_NR: none */
	/* Figures that only this account has, for sources of events. */
	const struct range_figure *figures;
	unsigned int nr_figures;
	/* Counts an event of the window in these figures. */
	void (*count)(uint64_t figures[RANGE_FIGURES_MAX], const struct kmem_event *ev);
};

struct range_summary {
	uint64_t allocations, bytes_allocated;
	uint64_t live, bytes_live; /* at the end of the window */
	uint64_t frees, frees_matched, frees_unmatched, bytes_freed;
	uint64_t unseen_frees; /* proved by an allocation at a live address */
	uint64_t failures, bytes_failed;
};

struct range_accounts {
	const struct range_kind *kind;
	struct range_summary summary;
	uint64_t figures[RANGE_FIGURES_MAX]; /* of kind->figures */
	uint32_t page_size;
	struct allocator_accounts common;
	struct table live;    /* by address */
	int summary_table;    /* index of the table by kind->summary_by, or -1 */
	bool lacks_callsites; /* allocations were recorded without them */
};

int range_init(struct range_accounts *r, const struct range_kind *kind,
	       const struct account_setup *setup);

/* These take a struct range_accounts; see struct account_ops. */
void range_bind(void *state, const struct event_type *type);
key_mask_t range_keys(const void *state);
int range_take(void *state, const struct account_events *events, uint32_t kinds);
int range_add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures);
int range_tick(void *state, const struct account_tick *tick);
void range_finish(void *state, uint64_t stop_ns);
void range_deinit(void *state);
void range_build(const void *state, const struct report_context *c, struct document_section *in);

/* See struct allocator_ops. */
struct account_totals range_totals(const void *state);
void range_for_each_live(const void *state, account_live_fn fn, void *ctx);

/* Members of struct account_ops and struct allocator_ops. */
#define RANGE_ACCOUNT                                                                              \
	.size = sizeof(struct range_accounts), .bind = range_bind, .keys = range_keys,             \
	.take = range_take, .add_row = range_add_row, .tick = range_tick, .finish = range_finish,  \
	.deinit = range_deinit, .build = range_build
#define RANGE_ALLOCATOR                                                                            \
	.common_offset = offsetof(struct range_accounts, common), .totals = range_totals,          \
	.for_each_live = range_for_each_live

#endif
