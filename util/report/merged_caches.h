/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct merged_caches: the other names of merged caches, as lines below a table by cache.
 *
 * In text each cache is listed once. In JSON each row has the names (key_column.h).
 */
#ifndef REPORT_MERGED_CACHES_H
#define REPORT_MERGED_CACHES_H

#include "util/base/table.h"
#include "util/document/document.h"
#include "util/event/naming.h"

struct merged_caches {
	struct document_section *in;
	const struct naming *naming;
	struct table seen; /* values of KEY_CACHE */
};

void merged_caches_init(struct merged_caches *m, struct document_section *in,
			const struct naming *naming);
void merged_caches_deinit(struct merged_caches *m);

/* Add the cache of a row, a value of KEY_CACHE. */
void merged_caches_add(struct merged_caches *m, uint64_t cache);

#endif
