// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/delivery.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/perfdata/format.h"

#define BATCH_SAMPLES 512
/* A round comes at once and then nothing while the next is read: together more than most hold. */
#define NR_BATCHES 128 /* a power of two */

/* Who sleeps is woken when it is worth while: the consumer for so many, the session for half. */
#define WAKE_BATCHES 8

struct batch {
	size_t nr;
	struct sample v[BATCH_SAMPLES];
};

struct delivery {
	const struct session_ops *ops;
	void *ctx;
	struct batch *batches; /* a ring; without a thread only the first is used */
	uint64_t added;	       /* samples and tasks */
	struct error err;      /* the consumer's; the session reads it after a drain */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	/* under the lock */
	uint64_t pushed, popped;    /* batches */
	uint64_t done;		    /* samples and tasks */
	uint64_t wake_at, empty_at; /* how many batches who sleeps there waits for */
	int ret;
	bool stop;
};

/* COMM: u32 pid, u32 tid, name. FORK: u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time. */
static int deliver_task(const struct delivery *d, const struct sample *task)
{
	bool swap = task->swap;
	struct bytes b = bytes_make(task->raw, task->raw_size, swap);
	uint32_t tid, parent_tid;
	const char *comm;

	if (bytes_u32(&b) == PERF_RECORD_FORK) {
		bytes_take(&b, 4 + 8);
		tid = bytes_u32(&b);
		parent_tid = bytes_u32(&b);
		return b.failed ? 0 : d->ops->fork(d->ctx, parent_tid, tid);
	}
	bytes_take(&b, 4 + 4);
	tid = bytes_u32(&b);
	comm = bytes_cstr(&b);
	return comm ? d->ops->comm(d->ctx, tid, comm) : 0;
}

/* As many samples as the consumer takes at once, up to the next task. */
static size_t next_samples(const struct batch *batch, size_t from)
{
	size_t nr = 0;

	while (nr < SESSION_SAMPLES_MAX && from + nr < batch->nr && batch->v[from + nr].event)
		nr++;
	return nr;
}

static int deliver_batch(struct delivery *d, const struct batch *batch)
{
	for (size_t i = 0; i < batch->nr;) {
		size_t nr = next_samples(batch, i);
		int ret = nr ? d->ops->samples(d->ctx, &batch->v[i], nr, &d->err)
			     : deliver_task(d, &batch->v[i]);

		if (ret < 0)
			return ret;
		i += nr ? nr : 1;
	}
	return 0;
}

/* Sleep until so many batches are there, or the end. */
static void wait_filled(struct delivery *d, uint64_t nr)
{
	d->wake_at = nr;
	while (d->pushed - d->popped < d->wake_at && !d->stop)
		pthread_cond_wait(&d->filled, &d->lock);
	d->wake_at = UINT64_MAX;
}

/* Sleep until no more than so many are there; a sleeping consumer is to take even one. */
static void wait_emptied(struct delivery *d, uint64_t nr)
{
	if (d->wake_at != UINT64_MAX) {
		d->wake_at = 1;
		pthread_cond_signal(&d->filled);
	}
	d->empty_at = nr;
	while (d->pushed - d->popped > nr)
		pthread_cond_wait(&d->emptied, &d->lock);
	d->empty_at = UINT64_MAX;
}

static void *run(void *arg)
{
	struct delivery *d = arg;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		struct batch *batch;
		int ret;

		if (d->popped == d->pushed)
			wait_filled(d, d->empty_at == UINT64_MAX ? WAKE_BATCHES : 1);
		if (d->popped == d->pushed)
			break;
		batch = &d->batches[d->popped % NR_BATCHES];
		ret = d->ret;
		pthread_mutex_unlock(&d->lock);
		/* after an error the rest is only counted, so that nobody waits for it */
		if (!ret)
			ret = deliver_batch(d, batch);
		pthread_mutex_lock(&d->lock);
		d->ret = ret;
		d->done += batch->nr;
		batch->nr = 0;
		d->popped++;
		if (d->empty_at != UINT64_MAX && d->pushed - d->popped <= d->empty_at)
			pthread_cond_signal(&d->emptied);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Signals are for the session's thread. */
static bool start_thread(struct delivery *d)
{
	sigset_t all, old;
	bool ok;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ok = !pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

bool delivery_threaded(unsigned int jobs)
{
	return jobs ? jobs > 1 : sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

int delivery_new(struct delivery **ret_delivery, const struct session_ops *ops, void *ctx,
		 bool threaded)
{
	struct delivery *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->ops = ops;
	d->ctx = ctx;
	d->batches = calloc(threaded ? NR_BATCHES : 1, sizeof(*d->batches));
	if (!d->batches) {
		free(d);
		return -ENOMEM;
	}
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->filled, NULL);
	pthread_cond_init(&d->emptied, NULL);
	d->wake_at = d->empty_at = UINT64_MAX;
	d->threaded = threaded && start_thread(d);
	*ret_delivery = d;
	return 0;
}

void delivery_free(struct delivery *d)
{
	if (!d)
		return;
	if (d->threaded) {
		pthread_mutex_lock(&d->lock);
		d->stop = true;
		pthread_cond_signal(&d->filled);
		pthread_mutex_unlock(&d->lock);
		pthread_join(d->thread, NULL);
	}
	pthread_cond_destroy(&d->filled);
	pthread_cond_destroy(&d->emptied);
	pthread_mutex_destroy(&d->lock);
	free(d->batches);
	free(d);
}

/* Give the batch that is being filled to the thread; wait for a free one. */
static int push(struct delivery *d)
{
	int ret;

	pthread_mutex_lock(&d->lock);
	d->pushed++;
	if (d->pushed - d->popped == NR_BATCHES)
		wait_emptied(d, NR_BATCHES / 2);
	else if (d->pushed - d->popped >= d->wake_at)
		pthread_cond_signal(&d->filled);
	ret = d->ret;
	pthread_mutex_unlock(&d->lock);
	return ret;
}

/* Without a thread: the batch's turn is now. */
static int deliver_here(struct delivery *d)
{
	struct batch *batch = &d->batches[0];

	if (!d->ret)
		d->ret = deliver_batch(d, batch);
	d->done += batch->nr;
	batch->nr = 0;
	return d->ret;
}

/* Only we change pushed, and a batch that is not pushed is ours. */
static struct batch *own_batch(struct delivery *d)
{
	return &d->batches[d->threaded ? d->pushed % NR_BATCHES : 0];
}

struct sample *delivery_room(struct delivery *d, size_t *ret_nr)
{
	struct batch *batch = own_batch(d);

	*ret_nr = BATCH_SAMPLES - batch->nr;
	return &batch->v[batch->nr];
}

int delivery_add(struct delivery *d, size_t nr)
{
	struct batch *batch = own_batch(d);

	d->added += nr;
	batch->nr += nr;
	if (batch->nr < BATCH_SAMPLES)
		return 0;
	return d->threaded ? push(d) : deliver_here(d);
}

int delivery_drain(struct delivery *d, struct error *err)
{
	int ret = 0;

	if (!d->threaded) {
		deliver_here(d);
	} else {
		if (own_batch(d)->nr)
			push(d);
		pthread_mutex_lock(&d->lock);
		wait_emptied(d, 0);
		pthread_mutex_unlock(&d->lock);
	}
	ret = d->ret;
	if (ret < 0 && err && !err->code)
		*err = d->err;
	return ret;
}

uint64_t delivery_added(const struct delivery *d)
{
	return d->added;
}

uint64_t delivery_done(struct delivery *d)
{
	uint64_t done;

	pthread_mutex_lock(&d->lock);
	done = d->done;
	pthread_mutex_unlock(&d->lock);
	return done;
}
