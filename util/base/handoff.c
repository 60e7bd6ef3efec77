// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/handoff.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/thread.h"

#define BATCH_ITEMS 512
/* Items may come in bursts: all batches together hold more than most bursts. */
#define NR_BATCHES 256 /* a power of two */

/* Number of batches at which a sleeping taker is woken; the maker is woken at half of it. */
#define WAKE_BATCHES 64

struct handoff_ring {
	handoff_fn fn;
	void *ctx;
	void *memory;	   /* memory of the items */
	uint8_t *items;	   /* consecutive batches; only one without a thread */
	size_t batch_size; /* bytes */
	uint32_t own;	   /* the maker's current batch, neither queued nor free */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	/* protected by the lock */
	struct queued {
		uint32_t batch;
		uint32_t nr;	   /* number of items */
	} queue[NR_BATCHES];	   /* in order, starting at `taken` */
	uint32_t free[NR_BATCHES]; /* a stack, because the last one is still in the cache */
	size_t nr_free;
	uint64_t pushed, taken;	    /* batches */
	uint64_t wake_at, empty_at; /* number of batches that the sleeping side waits for */
	int ret;
	bool stop;
};

/* Sleep until `nr` batches are queued, or until the end. */
static void wait_filled(struct handoff_ring *r, uint64_t nr)
{
	r->wake_at = nr;
	while (r->pushed - r->taken < r->wake_at && !r->stop)
		pthread_cond_wait(&r->filled, &r->lock);
	r->wake_at = UINT64_MAX;
}

/* Sleep until at most `nr` batches are queued. A sleeping taker must then take even a single
 * one. */
static void wait_emptied(struct handoff_ring *r, uint64_t nr)
{
	if (r->wake_at != UINT64_MAX) {
		r->wake_at = 1;
		pthread_cond_signal(&r->filled);
	}
	r->empty_at = nr;
	while (r->pushed - r->taken > nr)
		pthread_cond_wait(&r->emptied, &r->lock);
	r->empty_at = UINT64_MAX;
}

static void *run(void *arg)
{
	struct handoff_ring *r = arg;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct queued next;
		int ret;

		if (r->taken == r->pushed)
			wait_filled(r, r->empty_at == UINT64_MAX ? WAKE_BATCHES : 1);
		if (r->taken == r->pushed)
			break;
		next = r->queue[r->taken % NR_BATCHES];
		ret = r->ret;
		pthread_mutex_unlock(&r->lock);
		/* after an error, items are only counted, so that nothing waits for them */
		if (!ret)
			ret = r->fn(r->ctx, r->items + next.batch * r->batch_size, next.nr);
		pthread_mutex_lock(&r->lock);
		r->ret = ret < 0 ? ret : 0;
		r->free[r->nr_free++] = next.batch;
		r->taken++;
		if (r->empty_at != UINT64_MAX && r->pushed - r->taken <= r->empty_at)
			pthread_cond_signal(&r->emptied);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void fill_own(struct handoff *h)
{
	h->to = h->ring->items + h->ring->own * h->ring->batch_size;
	h->room = BATCH_ITEMS;
}

int handoff_init(struct handoff *h, size_t item_size, handoff_fn fn, void *ctx, bool threaded)
{
	struct handoff_ring *r = calloc(1, sizeof(*r));

	*h = (struct handoff){.item_size = item_size, .ring = r};
	if (!r)
		return -ENOMEM;
	r->fn = fn;
	r->ctx = ctx;
	/* a batch starts at a cache line */
	r->batch_size = (BATCH_ITEMS * item_size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	r->memory = calloc(1, (threaded ? NR_BATCHES : 1) * r->batch_size + CACHE_LINE);
	r->items = (uint8_t *)r->memory + (-(uintptr_t)r->memory & (CACHE_LINE - 1));
	if (!r->memory) {
		free(r);
		h->ring = NULL;
		return -ENOMEM;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->filled, NULL);
	pthread_cond_init(&r->emptied, NULL);
	r->wake_at = r->empty_at = UINT64_MAX;
	while (r->nr_free < NR_BATCHES - 1) {
		r->free[r->nr_free] = NR_BATCHES - 1 - (uint32_t)r->nr_free;
		r->nr_free++;
	}
	r->threaded = threaded && !thread_start(&r->thread, run, r);
	fill_own(h);
	return 0;
}

void handoff_shorten(struct handoff *h, size_t item_size)
{
	/* writing a whole item may reach into the next one's place or the rest of the batch */
	if (item_size < h->item_size)
		h->item_size = item_size;
}

void handoff_deinit(struct handoff *h)
{
	struct handoff_ring *r = h->ring;

	if (!r)
		return;
	if (r->threaded) {
		pthread_mutex_lock(&r->lock);
		r->stop = true;
		pthread_cond_signal(&r->filled);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
	}
	pthread_cond_destroy(&r->filled);
	pthread_cond_destroy(&r->emptied);
	pthread_mutex_destroy(&r->lock);
	free(r->memory);
	free(r);
	h->ring = NULL;
}

/* Pass the batch to the thread and wait for a free one. */
static int push(struct handoff_ring *r, size_t nr)
{
	int ret;

	pthread_mutex_lock(&r->lock);
	r->queue[r->pushed++ % NR_BATCHES] = (struct queued){r->own, (uint32_t)nr};
	if (!r->nr_free)
		wait_emptied(r, NR_BATCHES / 2);
	else if (r->pushed - r->taken >= r->wake_at)
		pthread_cond_signal(&r->filled);
	r->own = r->free[--r->nr_free];
	ret = r->ret;
	pthread_mutex_unlock(&r->lock);
	return ret;
}

static int take_here(struct handoff_ring *r, size_t nr)
{
	int ret = r->ret ? r->ret : r->fn(r->ctx, r->items, nr);

	r->ret = ret < 0 ? ret : 0;
	return r->ret;
}

int handoff_push(struct handoff *h)
{
	struct handoff_ring *r = h->ring;
	size_t nr = BATCH_ITEMS - h->room;
	int ret = r->threaded ? push(r, nr) : take_here(r, nr);

	h->busy = true;
	fill_own(h);
	return ret;
}

int handoff_drain(struct handoff *h)
{
	struct handoff_ring *r = h->ring;
	int ret = h->room < BATCH_ITEMS ? handoff_push(h) : 0;

	if (!r->threaded || !h->busy)
		return ret ? ret : r->ret;
	pthread_mutex_lock(&r->lock);
	wait_emptied(r, 0);
	ret = r->ret;
	pthread_mutex_unlock(&r->lock);
	h->busy = false;
	return ret;
}
