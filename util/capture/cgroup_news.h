/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroup_news: control groups that appear in events, for a kernel that does not tell of new
 * ones itself.
 *
 * Each id that was not seen before is looked up, and becomes a CGROUP record, in each file anew.
 * One that was removed before its events were read has no path any more, and no record: reports
 * show its number.  Memory: a few bytes for each id.
 */
#ifndef CAPTURE_CGROUP_NEWS_H
#define CAPTURE_CGROUP_NEWS_H

#include "util/base/strbuf.h"
#include "util/host/cgroup_tree.h"
#include "util/output/synthesize.h"

struct cgroup_news {
	struct cgroup_tree tree;
	struct table told; /* u64 ids */
	uint64_t last_id;
};

/* Errors: -ENODEV: no hierarchy is mounted. */
int cgroup_news_init(struct cgroup_news *n, struct error *err);
void cgroup_news_deinit(struct cgroup_news *n);

/* A file begins, which knows none of them. */
void cgroup_news_forget(struct cgroup_news *n);

/* For cgroup_news_add(). */
int cgroup_news_look_up(struct cgroup_news *n, uint64_t id, const struct sample_id *when,
			struct strbuf *out);

/* An event has this id: append a CGROUP record to out if it is new. Returns 0 or -ENOMEM. */
static inline int cgroup_news_add(struct cgroup_news *n, uint64_t id, const struct sample_id *when,
				  struct strbuf *out)
{
	return id == n->last_id ? 0 : cgroup_news_look_up(n, id, when, out);
}

#endif
