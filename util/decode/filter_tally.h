/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct filter_tally: what a filter was applied to, to explain why it let nothing through.
 *
 * One entry for each condition of the filter, of which the first of a kind is used: whether
 * anything matched it and, until then, which values there were.  No more values are kept than a
 * user might want to look through.
 */
#ifndef DECODE_FILTER_TALLY_H
#define DECODE_FILTER_TALLY_H

#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/event/naming.h"

#define TALLY_VALUES_MAX 4096

struct filter_tally {
	struct tally_entry {
		bool matched;
		struct table values; /* u64 */
	} * v;
	size_t nr;
};

/* How values are shown. */
struct tally_look {
	enum kmem_key key; /* KEY_NR: bytes */
	const struct naming *naming;
};

/* Returns 0 or -ENOMEM. */
int filter_tally_init(struct filter_tally *t, size_t nr_conditions);
void filter_tally_deinit(struct filter_tally *t);

/* A value was looked at, and matched or did not. */
void filter_tally_note(struct filter_tally *t, size_t condition, bool matched, uint64_t value);

/* "kmalloc-64, kmalloc-8, ... 20 more": the values most similar to `wanted` first. */
int filter_tally_list(const struct filter_tally *t, size_t condition, const struct tally_look *look,
		      const char *wanted, struct strbuf *sb);

#endif
