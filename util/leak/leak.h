/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak: unfreed allocations: their behaviour, the evidence for it, and their owners.
 *
 * Made from finished accounts with the tables requested by leak_options_prepare(). A row consists
 * of all parts (leak_survey.h) with the same use and equal values of the report's keys. It leaks if
 * the parts that leak (leak_behaviour.h) have at least half of its bytes, so that other users of
 * the same call site do not hide a leak. Otherwise its behaviour is that of all parts together.
 * Memory that the kernel does not use itself may grow, but never leaks. The evidence
 * (leak_evidence.h) is that of the objects' sites, weighted by bytes. Sites whose frees are not
 * traced are listed separately, and are not in the rows.
 *
 * All figures of a row cover the same objects: its hits, bytes, history and behaviour. So the last
 * moment of its history has its bytes.
 *
 * Ages refer to the end of the reported time. The accounts must outlive the leak, whose rows point
 * to their keys.
 */
#ifndef LEAK_LEAK_H
#define LEAK_LEAK_H

#include "util/kmem/pipeline.h"
#include "util/leak/leak_rows.h"
#include "util/leak/leak_survey.h"

struct leak {
	struct leak_rows rows[ACCOUNTS_NR]; /* of allocators' accounts */
	struct leak_losses losses;	    /* of all of them */
	uint64_t end_ns;
	uint64_t min_age_ns;
};

/* The input of a leak. */
struct leak_input {
	const struct kmem_accounts *accounts;
	const struct kmem_options *options;
	const struct event_kinds *kinds;
	const struct naming *naming;
	const struct threads *threads; /* at the end; NULL: unknown */
	uint64_t end_ns;
	uint64_t min_age_ns; /* younger objects do not count */
	bool frees_unknown;  /* as in struct source_facts */
};

/*
 * Set the tables that leak_init() needs, for rows by these keys (nr_by 0: the allocator's default),
 * and the stack. Returns 0, or -E2BIG with the reason.
 */
int leak_options_prepare(struct kmem_options *options, const struct table_spec *by, bool stacks,
			 struct error *err);

/* Returns 0, or -ENOMEM. */
int leak_init(struct leak *l, const struct leak_input *in);
void leak_deinit(struct leak *l);

#endif
