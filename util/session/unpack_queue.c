// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/unpack_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/thread.h"
#include "util/source/unpacking.h"

/* Results of the thread. Each finished piece makes one, and so does each full block; leave ample
 * room for both. */
#define NR_DONE (2 * UNPACK_PIECES) /* a power of two */

/* A waiting reader is woken when this number of results is ready, or when there can be no more. */
#define WAKE_DONE 4

struct piece {
	uint64_t pos;
	const uint8_t *in;
	size_t left;
};

struct done {
	struct unpacked unpacked;
	int ret;
};

/*
 * Counters only grow, except in a reset. The reader changes `added`, `taken`, `given`,
 * `blocks_taken`, `popped`; the thread changes the others. Each reads the other's counters under
 * the lock.
 */
struct unpack_queue {
	struct unpacking *stream;
	struct spans *spans;

	struct piece pieces[UNPACK_PIECES]; /* a ring */
	uint64_t added, unpacked, taken;

	uint8_t *blocks[UNPACK_BLOCKS]; /* a ring of empty blocks */
	uint64_t given, begun, blocks_taken;
	uint8_t *block; /* being filled; NULL: none */
	size_t fill;
	uint8_t *taken_block; /* the reader's current block, owned by the caller */
	size_t taken_fill;

	struct done done[NR_DONE]; /* a ring; only the first entry is used without a thread */
	uint64_t pushed, popped;
	bool failed; /* the stream is broken: nothing more is unpacked */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;  /* wakes the thread: there may be work */
	pthread_cond_t ready; /* wakes the reader: a result is ready, or none can come */
	bool asleep;	      /* the thread waits for work */
	bool busy;	      /* the thread is unpacking, without holding the lock */
	bool waits;	      /* the reader is waiting */
	bool hold, stop;      /* the thread must pause; must end */
};

static bool need_block(const struct unpack_queue *q)
{
	return !q->block || q->fill == UNPACK_ROOM;
}

/* Unpack the next part of the first unfinished piece: as much as fits in the block. */
static struct done unpack_some(struct unpack_queue *q)
{
	struct piece *piece = &q->pieces[q->unpacked % UNPACK_PIECES];
	uint8_t *to = q->block + UNPACK_HEAD + q->fill;
	size_t room = UNPACK_ROOM - q->fill, written = 0;
	struct done done = {.unpacked = {.pos = piece->pos, .data = to}};

	done.ret = unpacking_feed(q->stream, &piece->in, &piece->left, to, room, &written);
	if (done.ret)
		return done;
	done.unpacked.len = written;
	done.unpacked.last = !piece->left && written < room;
	if (written && !q->fill)
		done.unpacked.block = q->block;
	q->fill += written;
	return done;
}

static void begin_block(struct unpack_queue *q)
{
	if (!need_block(q))
		return;
	q->block = q->blocks[q->begun++ % UNPACK_BLOCKS];
	q->fill = 0;
}

static void push(struct unpack_queue *q, const struct done *done)
{
	q->done[q->pushed++ % NR_DONE] = *done;
	q->unpacked += done->unpacked.last;
	q->failed = done->ret != 0;
}

/* ---- the thread ------------------------------------------------------------- */

static bool can_work(const struct unpack_queue *q)
{
	return !q->hold && !q->failed && q->unpacked < q->added &&
	       (!need_block(q) || q->begun < q->given) && q->pushed - q->popped < NR_DONE;
}

static void wake_reader(struct unpack_queue *q)
{
	if (q->waits)
		pthread_cond_signal(&q->ready);
}

static void wait_for_work(struct unpack_queue *q)
{
	while (!q->stop && !can_work(q)) {
		q->asleep = true;
		wake_reader(q);
		pthread_cond_wait(&q->work, &q->lock);
	}
	q->asleep = false;
}

static void *run(void *arg)
{
	struct unpack_queue *q = arg;

	pthread_mutex_lock(&q->lock);
	for (wait_for_work(q); !q->stop; wait_for_work(q)) {
		struct done done;

		begin_block(q);
		q->busy = true;
		pthread_mutex_unlock(&q->lock);
		done = unpack_some(q);
		pthread_mutex_lock(&q->lock);
		q->busy = false;
		push(q, &done);
		if (q->pushed - q->popped >= WAKE_DONE)
			wake_reader(q);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* ---- the reader ------------------------------------------------------------- */

int unpack_queue_new(struct unpack_queue **ret_queue, struct spans *spans, bool threaded)
{
	struct unpack_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->spans = spans;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->work, NULL);
	pthread_cond_init(&q->ready, NULL);
	q->threaded = threaded && !thread_start(&q->thread, run, q);
	*ret_queue = q;
	return 0;
}

void unpack_queue_free(struct unpack_queue *q)
{
	if (!q)
		return;
	if (q->threaded) {
		pthread_mutex_lock(&q->lock);
		q->stop = true;
		pthread_cond_signal(&q->work);
		pthread_mutex_unlock(&q->lock);
		pthread_join(q->thread, NULL);
	}
	pthread_cond_destroy(&q->ready);
	pthread_cond_destroy(&q->work);
	pthread_mutex_destroy(&q->lock);
	while (q->given > q->blocks_taken)
		free(q->blocks[--q->given % UNPACK_BLOCKS]);
	unpacking_free(q->stream);
	free(q);
}

int unpack_queue_open(struct unpack_queue *q, struct error *err)
{
	/* the thread does not use it before there is a piece */
	return q->stream ? 0 : unpacking_new(PACKING_ZSTD, &q->stream, err);
}

/* Asks for many at once, so that waking the thread pays off. */
unsigned int unpack_queue_wants(const struct unpack_queue *q)
{
	unsigned int waiting = (unsigned int)(q->added - q->taken);

	if (!q->threaded)
		return !waiting;
	return waiting > UNPACK_PIECES / 2 ? 0 : UNPACK_PIECES - waiting;
}

static void wake_thread(struct unpack_queue *q)
{
	if (q->asleep && can_work(q))
		pthread_cond_signal(&q->work);
}

void unpack_queue_add(struct unpack_queue *q, uint64_t pos, const uint8_t *in, size_t left)
{
	pthread_mutex_lock(&q->lock);
	q->pieces[q->added++ % UNPACK_PIECES] = (struct piece){.pos = pos, .in = in, .left = left};
	wake_thread(q);
	pthread_mutex_unlock(&q->lock);
}

/* Provide empty blocks if few are left: fewer, or none, if memory is short. */
static void give_blocks(struct unpack_queue *q)
{
	if (q->given - q->blocks_taken > UNPACK_BLOCKS / 2)
		return;
	while (q->given - q->blocks_taken < UNPACK_BLOCKS) {
		uint8_t *block = spans_block(q->spans, UNPACK_HEAD + UNPACK_ROOM);

		if (!block)
			return;
		pthread_mutex_lock(&q->lock);
		q->blocks[q->given++ % UNPACK_BLOCKS] = block;
		wake_thread(q);
		pthread_mutex_unlock(&q->lock);
	}
}

/* Wait for a result. If there are pieces and blocks but no results, a sleeping thread means a
 * failure. */
static int wait_done(struct unpack_queue *q)
{
	while (q->pushed == q->popped) {
		if (q->asleep && !can_work(q))
			return q->failed ? -EINVAL : -ENOMEM;
		q->waits = true;
		pthread_cond_wait(&q->ready, &q->lock);
		q->waits = false;
	}
	return 0;
}

static int pop(struct unpack_queue *q, struct done *ret_done)
{
	int ret;

	give_blocks(q);
	pthread_mutex_lock(&q->lock);
	ret = wait_done(q);
	if (!ret) {
		*ret_done = q->done[q->popped++ % NR_DONE];
		wake_thread(q);
	}
	pthread_mutex_unlock(&q->lock);
	return ret;
}

static int unpack_here(struct unpack_queue *q, struct done *ret_done)
{
	if (need_block(q) && q->begun == q->given) {
		uint8_t *block = spans_block(q->spans, UNPACK_HEAD + UNPACK_ROOM);

		if (!block)
			return -ENOMEM;
		q->blocks[q->given++ % UNPACK_BLOCKS] = block;
	}
	begin_block(q);
	*ret_done = unpack_some(q);
	q->unpacked += ret_done->unpacked.last;
	q->failed = ret_done->ret != 0;
	return 0;
}

int unpack_queue_take(struct unpack_queue *q, struct unpacked *ret_unpacked)
{
	const struct unpacked *u;
	struct done done;
	int ret;

	if (q->taken == q->added)
		return -EINVAL;
	ret = q->threaded ? pop(q, &done) : unpack_here(q, &done);
	if (!ret)
		ret = done.ret;
	if (ret)
		return ret;
	u = &done.unpacked;
	q->taken += u->last;
	if (u->block) {
		q->blocks_taken++;
		q->taken_block = u->block;
	}
	if (u->len)
		q->taken_fill = (size_t)(u->data + u->len - q->taken_block) - UNPACK_HEAD;
	*ret_unpacked = *u;
	return 0;
}

void unpack_queue_reset(struct unpack_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->hold = true;
	while (q->busy) {
		q->waits = true;
		pthread_cond_wait(&q->ready, &q->lock);
		q->waits = false;
	}
	unpacking_free(q->stream);
	q->stream = NULL;
	q->added = q->unpacked = q->taken = 0;
	q->pushed = q->popped = 0;
	q->failed = false;
	/* blocks that were begun but not taken are empty again */
	q->begun = q->blocks_taken;
	q->block = q->taken_block;
	q->fill = (q->taken_fill + 7) & ~(size_t)7;
	q->hold = false;
	pthread_mutex_unlock(&q->lock);
}
