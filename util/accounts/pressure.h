/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pressure: tasks that wait for memory, allocations that fail, and processes that the OOM
 * killer kills.
 *
 * A *stall* is the time between the begin and the end event of one thread's reclaim or compaction.
 * Events are fed in time order. Begin and end are matched by thread and by kind of stall. An end
 * without a begin began before the first event; a begin whose thread begins the same again, or ends
 * a stall around it, has lost its end.
 *
 * Stalls nest: reclaim in a memory cgroup may happen within direct reclaim. Only the outermost one
 * counts in figures by command, cgroup, call site and order, and in the total, so that no moment of
 * a thread is counted twice. Figures by kind of stall include nested ones.
 *
 * Compaction counts if its thread tried to compact for an allocation
 * (mm_compaction_try_to_compact_pages), and otherwise is in the background, as that of kcompactd.
 * Each zone that is compacted is a stall. kswapd has no such events.
 */
#ifndef ACCOUNTS_PRESSURE_H
#define ACCOUNTS_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/event/kmem_event.h"
#include "util/kmem/account.h"
#include "util/table/lifetime.h"

enum stall_kind { STALL_DIRECT, STALL_MEMCG, STALL_NODE, STALL_COMPACTION, STALL_KINDS };

/* Stalls with the same key, or of the same kind. */
struct stall_row {
	uint64_t key;
	uint64_t wait_ns;			 /* sum */
	uint64_t nested;			 /* of a kind: number within another stall */
	uint32_t orders;			 /* bits of the requested orders */
	uint64_t order_list[PAGE_ORDER_MAX + 1]; /* in a report: the same as numbers */
	struct lifetime_histogram waits;
};

/* Failed allocations with the same key. */
struct failure_row {
	uint64_t callsite;
	uint64_t bytes;
	uint32_t comm, gfp_flags;
	int32_t order; /* -1: of a slab object */
	uint32_t unused;
	uint64_t failures;
};

#define FAILURE_KEY_BYTES offsetof(struct failure_row, failures)

struct oom_kill {
	uint64_t time_ns, callsite;
	uint32_t pid; /* of the victim */
	uint32_t comm,
		killer; /* interned names: of the victim, and of the task that needed memory */
};

/* Limit of kills in the list. */
#define OOM_KILLS_MAX 1000

/* A thread compacts a zone for an allocation if it tried to, or ended another zone, at most this
 * long ago. */
#define COMPACT_TRY_NS 1000000000ULL

/* Limit of stalls of one thread within each other. */
#define STALLS_NESTED_MAX 4

struct open_stall {
	uint64_t begin_ns, callsite;
	uint32_t comm, cgroup;
	int32_t order;
	uint8_t kind;
	bool filtered_out;
	bool background; /* compaction that no allocation waits for */
};

struct pressure_thread {
	uint64_t tid;
	struct open_stall open[STALLS_NESTED_MAX]; /* outermost first */
	unsigned int nr_open;
	bool compacts, compacted; /* it tried to compact for an allocation; a zone was compacted */
	uint64_t compact_ns;	  /* of the try, or of the end of the latest zone */
	int32_t compact_order;
	uint64_t compact_callsite;
	/* its latest failed object, and that row of failures + 1; 0: none */
	uint64_t failed_ns, failed_callsite;
	uint32_t failed_row;
};

enum pressure_by { BY_COMMAND, BY_CGROUP, BY_CALLSITE, BY_ORDER, PRESSURE_TABLES };

struct pressure {
	uint32_t page_size;
	bool has_failures; /* allocations were recorded, at least those that failed */
	bool has_chain;
	struct table threads;
	struct stall_row total;		     /* the outermost stalls */
	struct stall_row kinds[STALL_KINDS]; /* all stalls */
	struct table by[PRESSURE_TABLES];    /* struct stall_row: the outermost stalls */
	struct table failures;		     /* struct failure_row */
	uint64_t nr_failures;
	uint64_t compact_tries, compact_tries_run; /* run: at least one zone was compacted */
	uint64_t background_compactions, background_ns;
	uint64_t unmatched_ends, lost_ends, nr_open;
	struct oom_kill *kills;
	size_t cap_kills;
	uint64_t nr_kills;
};

void pressure_init(struct pressure *p, uint32_t page_size);
void pressure_deinit(struct pressure *p);

/* The tracepoints of the account, by ev->own. */
enum pressure_event {
	PRESSURE_DIRECT_BEGIN,
	PRESSURE_DIRECT_END,
	PRESSURE_MEMCG_BEGIN,
	PRESSURE_MEMCG_END,
	PRESSURE_NODE_BEGIN,
	PRESSURE_NODE_END,
	PRESSURE_COMPACT_TRY,
	PRESSURE_COMPACT_BEGIN,
	PRESSURE_COMPACT_END,
	PRESSURE_OOM_KILL,
};

/* Account one event: of the account's tracepoints, or an allocation. Returns 0, or -ENOMEM. */
int pressure_account(struct pressure *p, const struct kmem_event *ev);

/* Called after the last event. */
void pressure_finish(struct pressure *p);

/* The account's part of the report (struct account_ops). */
void pressure_build(const void *state, const struct report_context *c, struct document_section *in);

#endif
