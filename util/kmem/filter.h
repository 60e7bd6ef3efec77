/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_filter: which allocations a report is about.
 *
 * Conditions are joined by "and"; several values of one condition by "or"; "!" before the
 * values keeps what they match out.  An
 * allocation that does not match is still tracked, so that its free is not taken for
 * an unmatched one; frees that match no allocation are not counted while a filter is
 * on.  The kinds of conditions are a table in filter.c.
 */
#ifndef KMEM_FILTER_H
#define KMEM_FILTER_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/kmem/facts.h"
#include "util/kmem/filter_tally.h"

struct kmem_filter {
	struct filter_condition *conditions;
	size_t nr;
};

void kmem_filter_init(struct kmem_filter *f);
void kmem_filter_deinit(struct kmem_filter *f);

/*
 * Add a condition by its option's name ("comm", "cpu", "min-bytes", ...); text is the
 * option's argument and must outlive the filter. Errors: -EINVAL with what is wrong.
 */
int kmem_filter_add(struct kmem_filter *f, const char *name, const char *text, struct error *err);

/* Whose allocations a filter of this name can match. */
enum allocator kmem_filter_allocators(const char *name);

/*
 * Only the recording tells the names of gfp flags. Errors: -EINVAL for one that its kernel does
 * not have.
 */
int kmem_filter_check(const struct kmem_filter *f, const struct flag_names *gfp_names,
		      struct error *err);

/* The keys that the conditions look at: tell the maker. */
void kmem_filter_want(const struct kmem_filter *f, struct fact_maker *m);

/* tally: of as many conditions, or of none; NULL: nobody asks. */
bool kmem_filter_matches(const struct kmem_filter *f, const struct naming *naming,
			 const struct kmem_event *ev, struct filter_tally *tally);

/*
 * Say which condition let nothing through, and what there was instead: "no allocation matches
 * --cache nosuch (there are: ...)". False: there were matches, or no allocations.
 */
bool kmem_filter_explain(const struct kmem_filter *f, const struct filter_tally *tally,
			 const struct naming *naming, struct strbuf *sb);

#endif
