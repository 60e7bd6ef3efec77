/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the directory of a control group to record.
 *
 * A name is a path in the hierarchy of the perf_event controller (version 1) or in the unified one
 * (version 2), as in reports, with or without the leading slash; or the path of a directory there.
 * Facts: Documentation/admin-guide/cgroup-v2.rst, perf_event_open(2) PERF_FLAG_PID_CGROUP.
 */
#ifndef CAPTURE_CGROUP_H
#define CAPTURE_CGROUP_H

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/host/cgroup_tree.h"
#include "util/output/synthesize.h"

/* Returns a descriptor, which the caller closes, or a negative errno. */
int cgroup_open(const char *name, struct error *err);

/* The same in version 2 only, which BPF programs use. */
int cgroup_open_unified(const char *name, struct error *err);

/*
 * struct cgroup_news: control groups that appear in events, for a backend to which the kernel does
 * not report new groups.
 *
 * Each new id is looked up and becomes a CGROUP record, again in each file. A group that was
 * removed before its events were read has no path and no record: reports show its number. Memory: a
 * few bytes for each id.
 */
struct cgroup_news {
	struct cgroup_tree tree;
	struct table told; /* u64 ids */
	uint64_t last_id;
};

/* Errors: -ENODEV if no hierarchy is mounted. */
int cgroup_news_init(struct cgroup_news *n, struct error *err);
void cgroup_news_deinit(struct cgroup_news *n);

/* A new file begins, without any of the records. */
void cgroup_news_forget(struct cgroup_news *n);

/* For cgroup_news_add(). */
int cgroup_news_look_up(struct cgroup_news *n, uint64_t id, const struct sample_id *when,
			struct strbuf *out);

/* An event has this id: append a CGROUP record to out if it is new. Returns 0, or -ENOMEM. */
static inline int cgroup_news_add(struct cgroup_news *n, uint64_t id, const struct sample_id *when,
				  struct strbuf *out)
{
	return id == n->last_id ? 0 : cgroup_news_look_up(n, id, when, out);
}

#endif
