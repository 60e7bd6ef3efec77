/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct filter_tally: the values that a filter tested, to explain why nothing matched.
 *
 * It has an entry for each condition of the filter; the first one of a kind is used: whether
 * anything matched, and until then the values that occurred. The number of values is limited to a
 * readable list.
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

/* The looks of values. */
struct tally_look {
	enum kmem_key key; /* KEY_NR: bytes */
	const struct naming *naming;
};

/* Returns 0, or -ENOMEM. */
int filter_tally_init(struct filter_tally *t, size_t nr_conditions);
void filter_tally_deinit(struct filter_tally *t);

/* Note a tested value. */
void filter_tally_note(struct filter_tally *t, size_t condition, bool matched, uint64_t value);

/* "kmalloc-64, kmalloc-8, ... 20 more": the values most similar to `wanted` first. */
int filter_tally_list(const struct filter_tally *t, size_t condition, const struct tally_look *look,
		      const char *wanted, struct strbuf *sb);

#endif
