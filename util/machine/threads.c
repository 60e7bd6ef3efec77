// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/label.h"

/* PID_MAX_LIMIT (include/linux/threads.h) is the highest number. -1 stands for many tasks. */
#define TID_MAX (4u << 20)

/* A thread's name has 16 bytes; that of a kernel worker up to 64 (wq_worker_comm()). */
#define COMM_MAX 64

struct thread_row {
	uint64_t tid;
	uint32_t comm;
	uint8_t ended; /* 1, or 2 after a sweep */
};

void threads_init(struct threads *t, struct intern *strings)
{
	*t = (struct threads){.strings = strings};
	table_init(&t->rows, sizeof(struct thread_row), sizeof(uint64_t));
}

void threads_deinit(struct threads *t)
{
	table_deinit(&t->rows);
}

static int set_number(struct threads *t, uint64_t tid, uint32_t comm)
{
	struct thread_row *row = comm == INTERN_NONE ? NULL : table_insert(&t->rows, &tid);

	if (!row)
		return -ENOMEM;
	row->comm = comm;
	t->nr_ended -= row->ended != 0;
	row->ended = 0; /* the number was reused by another thread */
	return 0;
}

int threads_set_comm(struct threads *t, uint32_t tid, const char *comm)
{
	if (tid > TID_MAX)
		return 0;
	return set_number(t, tid, label_intern(t->strings, comm, strnlen(comm, COMM_MAX), true));
}

int threads_fork(struct threads *t, uint32_t parent_tid, uint32_t tid)
{
	uint64_t key = parent_tid;
	const struct thread_row *parent = table_find(&t->rows, &key);

	t->has_lifetimes = true;
	return parent && tid <= TID_MAX ? set_number(t, tid, parent->comm) : 0;
}

void threads_exit(struct threads *t, uint32_t tid)
{
	uint64_t key = tid;
	struct thread_row *row = table_find(&t->rows, &key);

	t->has_lifetimes = true;
	if (!row || row->ended)
		return;
	row->ended = 1;
	t->nr_ended++;
}

bool threads_is_alive(const struct threads *t, uint32_t tid)
{
	uint64_t key = tid;
	const struct thread_row *row = table_find(&t->rows, &key);

	return t->has_lifetimes && row && !row->ended;
}

int threads_sweep(struct threads *t)
{
	uint64_t *over, at = 0;
	struct thread_row *row;
	uint32_t nr = 0;

	if (!t->nr_ended)
		return 0;
	over = reallocarray(NULL, t->nr_ended, sizeof(*over));
	if (!over)
		return -ENOMEM;
	while ((row = table_next(&t->rows, &at))) {
		if (row->ended == 2)
			over[nr++] = row->tid;
		else if (row->ended)
			row->ended = 2;
	}
	for (uint32_t i = 0; i < nr; i++)
		table_remove(&t->rows, table_find(&t->rows, &over[i]));
	t->nr_ended -= nr;
	free(over);
	return 0;
}

void threads_for_each_name(const struct threads *t, void (*fn)(void *ctx, uint32_t name), void *ctx)
{
	const struct thread_row *row;
	uint64_t at = 0;

	while ((row = table_next(&t->rows, &at)))
		fn(ctx, row->comm);
}

/* Kept out of line so that the common path stays small. */
static __attribute__((noinline)) uint32_t comm_of_unknown(struct threads *t, uint32_t tid)
{
	char name[16];

	if (!tid)
		return intern_add_str(t->strings, "swapper");
	/* -1: tasks that had ended and lost their number (perf_event_pid()) */
	snprintf(name, sizeof(name), ":%d", (int32_t)tid);
	return intern_add_passing(t->strings, name, strlen(name));
}

uint32_t threads_comm(struct threads *t, uint32_t tid)
{
	uint64_t key = tid;
	const struct thread_row *row = table_find(&t->rows, &key);

	return row ? row->comm : comm_of_unknown(t, tid);
}
