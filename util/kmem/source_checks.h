/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_checks: checks that a source has the requested data.
 *
 * Its functions return 0, or an error with one line for the user.
 */
#ifndef KMEM_SOURCE_CHECKS_H
#define KMEM_SOURCE_CHECKS_H

#include "util/kmem/accounts.h"
#include "util/decode/decoding.h"

/* Input of the checks; all of it is borrowed. */
struct source_checks {
	const struct source_facts *facts;
	const struct kmem_options *options;
	const bool *chosen; /* by enum account_id */
	const struct kmem_accounts *accounts;
	const struct kmem_decoding *decoding;
};

/* Whether the source supplies the key. If not, all of its rows have the same value. */
bool source_tells_key(const struct source_facts *facts, enum kmem_key key);

/*
 * Check the keys, before the first event. A key that the source lacks would be the same in each
 * row; filtered: keys that the filter compares.
 */
int source_check_keys(const struct source_checks *s, key_mask_t filtered, struct error *err);
/* For accounts of all memory: check that the source reports all of it, and that this was
 * requested. */
int source_check_all_told(const struct source_checks *s, struct error *err);
/* Check that rows with a history, of addresses that are reused, are possible. In a dump each
 * address occurs once. */
int source_check_histories(const struct source_checks *s, struct error *err);
/* Refuse a table by control group if all rows would be "unknown". */
int source_check_cgroups(const struct source_checks *s, struct error *err);
/* Refuse a table by user callchain if all rows would be "unknown". */
int source_check_user_stacks(const struct source_checks *s, struct error *err);

/* After reading: check that the source had any events or rows, */
int source_check_read(const struct source_checks *s, struct error *err);
/* and that the accounts need their kinds. The formats are known by then. */
int source_check_kinds(const struct source_checks *s, struct error *err);

#endif
