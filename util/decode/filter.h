/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_filter: the allocations that a report is about.
 *
 * All conditions must match; of several values of one condition, one must match. "!" before the
 * values excludes allocations that they match. An allocation that does not match is still tracked,
 * so that its free is not mistaken for an unmatched one. With a filter, unmatched frees are not
 * counted. The kinds of conditions are a table in filter.c.
 */
#ifndef DECODE_FILTER_H
#define DECODE_FILTER_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/decode/completion.h"
#include "util/decode/filter_tally.h"

struct kmem_filter {
	struct filter_condition *conditions;
	size_t nr;
};

void kmem_filter_init(struct kmem_filter *f);
void kmem_filter_deinit(struct kmem_filter *f);

/*
 * Add a condition by its option's name ("comm", "cpu", "min-bytes", ...). text is the option's
 * argument and must outlive the filter. Errors: -EINVAL with the reason.
 */
int kmem_filter_add(struct kmem_filter *f, const char *name, const char *text, struct error *err);

/* The allocators whose allocations a filter of this name can match. */
enum allocator kmem_filter_allocators(const char *name);

/*
 * Resolve gfp names with the recording. Errors: -EINVAL for a name that its kernel does not have.
 */
int kmem_filter_check(const struct kmem_filter *f, const struct gfp *gfp, struct error *err);

/*
 * Whether every condition tests one of these keys (bits of enum kmem_key, and BYTES_BIT). account:
 * its name, for the message. Errors: -EINVAL.
 */
int kmem_filter_check_keys(const struct kmem_filter *f, key_mask_t keys, const char *account,
			   struct error *err);

/* Request the keys of the conditions from the completer. */
void kmem_filter_want(const struct kmem_filter *f, struct event_completer *m);

/* tally: initialised with this filter's number of conditions, or empty; may be NULL. */
bool kmem_filter_matches(const struct kmem_filter *f, const struct naming *naming,
			 const struct kmem_event *ev, struct filter_tally *tally);

/* Append the conditions as options, separated by spaces: "--comm bash --cpu '!0'". */
void kmem_filter_add_options(const struct kmem_filter *f, struct strbuf *sb);

/*
 * Explain which condition matched nothing, and list values that occur: "no allocation matches
 * --cache nosuch (there are: ...)". subject: "allocation". Returns false if there were matches, or
 * nothing to match.
 */
bool kmem_filter_explain(const struct kmem_filter *f, const struct filter_tally *tally,
			 const struct naming *naming, const char *subject, struct strbuf *sb);

#endif
