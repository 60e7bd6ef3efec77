/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct handoff: items that are made on one thread and taken on another, in their order.
 *
 * The maker writes an item where handoff_room() says and adds it; the taker's function gets
 * them many at a time, on a thread of its own, or on the maker's when there is only one.
 * Between two drains what the function works on is the taker's alone.  Items are all there is
 * between the two: they are copied in, and should not point to what the maker may change.
 * An error of the taker ends it: it comes out of the next calls, and the items that follow are
 * dropped.
 */
#ifndef BASE_HANDOFF_H
#define BASE_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one thread writes to and another one reads all the time stands this far apart, bytes: two
 * lines, as some processors fetch them in pairs. */
#define CACHE_LINE 128

/* nr items, at least one, that hold until it returns. A negative return is an error. */
typedef int (*handoff_fn)(void *ctx, const void *items, size_t nr);

struct handoff_ring;

struct handoff {
	uint8_t *to; /* the next item */
	size_t room; /* items from there on */
	size_t item_size;
	struct handoff_ring *ring;
};

/* threaded: on a thread of its own, if one can be had. Errors: -ENOMEM. */
int handoff_init(struct handoff *h, size_t item_size, handoff_fn fn, void *ctx, bool threaded);
/* What was not drained may be lost. */
void handoff_deinit(struct handoff *h);

/* The place of the next item; it is added by handoff_add(), or never. */
static inline void *handoff_room(const struct handoff *h)
{
	return h->to;
}

/* When there is no room left: the items that were added go to the taker. Errors: the taker's. */
int handoff_push(struct handoff *h);

static inline int handoff_add(struct handoff *h)
{
	h->to += h->item_size;
	return --h->room ? 0 : handoff_push(h);
}

/* Wait until all that was added is taken. Errors: the taker's. */
int handoff_drain(struct handoff *h);

#endif
