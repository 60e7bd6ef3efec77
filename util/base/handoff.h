/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct handoff: passes items in order from the thread that makes them to the thread that takes
 * them.
 *
 * The maker writes an item to handoff_slot() and adds it. The taker's function receives many items
 * at a time, on its own thread, or on the maker's if there is only one. Between two drains, that
 * function's data belong to the taker alone. The two share only the items, which are copied and
 * should not point to anything that the maker may change. An error of the taker ends the handoff:
 * the next calls return the error, and all further items are dropped.
 */
#ifndef BASE_HANDOFF_H
#define BASE_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes between data that one thread writes and data that another thread reads all the time: two
 * cache lines, because some processors fetch them in pairs. */
#define CACHE_LINE 128

/* nr: at least 1. The items are valid until it returns. A negative return is an error. */
typedef int (*handoff_fn)(void *ctx, const void *items, size_t nr);

struct handoff_ring;

struct handoff {
	uint8_t *to; /* the next item */
	size_t room; /* number of items that still fit */
	size_t item_size;
	bool busy; /* something was passed on since the last drain */
	struct handoff_ring *ring;
};

/* threaded: use a separate thread, if one can be created. Errors: -ENOMEM. */
int handoff_init(struct handoff *h, size_t item_size, handoff_fn fn, void *ctx, bool threaded);
/* Items that were not drained may be lost. */
void handoff_deinit(struct handoff *h);

/*
 * Pass on only the first item_size bytes of each item. This becomes the distance of the taker's
 * items; the maker may still write whole items. Called before anything is added.
 */
void handoff_shorten(struct handoff *h, size_t item_size);

/* Place for the next item; handoff_add() adds it. */
static inline void *handoff_slot(const struct handoff *h)
{
	return h->to;
}

/* Called when the batch is full: passes the added items to the taker. Errors: the taker's. */
int handoff_push(struct handoff *h);

static inline int handoff_add(struct handoff *h)
{
	h->to += h->item_size;
	return --h->room ? 0 : handoff_push(h);
}

/* Wait until all added items have been taken. Errors: the taker's. */
int handoff_drain(struct handoff *h);

#endif
