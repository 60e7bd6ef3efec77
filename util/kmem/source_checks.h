/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_checks: whether a source has what was asked for, and what is said if not.
 *
 * All that take it return 0, or an error with one line for the user.
 */
#ifndef KMEM_SOURCE_CHECKS_H
#define KMEM_SOURCE_CHECKS_H

#include "util/kmem/accounts.h"
#include "util/decode/decoding.h"

/* What is known when they are made; all of it belongs to somebody else. */
struct source_checks {
	const struct source_facts *facts;
	const struct kmem_options *options;
	const bool *chosen; /* by enum account_id */
	const struct kmem_accounts *accounts;
	const struct kmem_decoding *decoding;
};

/* If not, the key has the same value in all rows that the source gives. */
bool source_tells_key(const struct source_facts *facts, enum kmem_key key);

/*
 * Before the first event.  A key that the source does not tell would be the same in each row;
 * filtered: those that the filter looks at.
 */
int source_check_keys(const struct source_checks *s, key_mask_t filtered, struct error *err);
/* Accounts that look at all of memory: is all of it told, and wanted? */
int source_check_all_told(const struct source_checks *s, struct error *err);
/* Rows with a history, of something that is used again and again? In a dump, each is there once. */
int source_check_histories(const struct source_checks *s, struct error *err);
/* Without control groups, each row of them would be "unknown". */
int source_check_cgroups(const struct source_checks *s, struct error *err);
/* Without user callchains, each row of them, too. */
int source_check_user_stacks(const struct source_checks *s, struct error *err);

/* When everything has been read: was there anything, */
int source_check_read(const struct source_checks *s, struct error *err);
/* and is it of the kinds that the accounts need? The formats are known. */
int source_check_kinds(const struct source_checks *s, struct error *err);

#endif
