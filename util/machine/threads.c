// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* PID_MAX_LIMIT (include/linux/threads.h): no kernel has larger ones. -1 stands for many tasks. */
#define TID_MAX (4u << 20)

/* A thread's name has 16 bytes, that of a kernel's worker up to 64 (wq_worker_comm()). */
#define COMM_MAX 64

struct thread_row {
	uint64_t tid;
	uint32_t comm;
};

void threads_init(struct threads *t, struct intern *strings)
{
	table_init(&t->rows, sizeof(struct thread_row), sizeof(uint64_t));
	t->strings = strings;
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
	return 0;
}

int threads_set_comm(struct threads *t, uint32_t tid, const char *comm)
{
	if (tid > TID_MAX)
		return 0;
	return set_number(t, tid, intern_add(t->strings, comm, strnlen(comm, COMM_MAX)));
}

int threads_fork(struct threads *t, uint32_t parent_tid, uint32_t tid)
{
	uint64_t key = parent_tid;
	const struct thread_row *parent = table_find(&t->rows, &key);

	return parent && tid <= TID_MAX ? set_number(t, tid, parent->comm) : 0;
}

uint32_t threads_comm(struct threads *t, uint32_t tid)
{
	uint64_t key = tid;
	const struct thread_row *row = table_find(&t->rows, &key);
	char name[16];

	if (row)
		return row->comm;
	if (!tid)
		return intern_add_str(t->strings, "swapper");
	/* -1: tasks that had ended and no longer have a number (perf_event_pid()) */
	snprintf(name, sizeof(name), ":%d", (int32_t)tid);
	return intern_add_str(t->strings, name);
}
