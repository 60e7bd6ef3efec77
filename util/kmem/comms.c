// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/comms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* PID_MAX_LIMIT (include/linux/threads.h): no kernel has larger ones. -1 is many tasks. */
#define TID_MAX (4u << 20)

/* A thread's name has 16 bytes, that of a kernel's worker up to 64 (wq_worker_comm()). */
#define COMM_MAX 64

struct thread_row {
	uint64_t tid;
	uint32_t comm;
};

void comms_init(struct comms *c, struct intern *strings)
{
	table_init(&c->threads, sizeof(struct thread_row), sizeof(uint64_t));
	c->strings = strings;
}

void comms_deinit(struct comms *c)
{
	table_deinit(&c->threads);
}

static int set_number(struct comms *c, uint64_t tid, uint32_t comm)
{
	struct thread_row *row = comm == INTERN_NONE ? NULL : table_insert(&c->threads, &tid);

	if (!row)
		return -ENOMEM;
	row->comm = comm;
	return 0;
}

int comms_set(struct comms *c, uint32_t tid, const char *comm)
{
	if (tid > TID_MAX)
		return 0;
	return set_number(c, tid, intern_add(c->strings, comm, strnlen(comm, COMM_MAX)));
}

int comms_fork(struct comms *c, uint32_t parent_tid, uint32_t tid)
{
	uint64_t key = parent_tid;
	const struct thread_row *parent = table_find(&c->threads, &key);

	return parent && tid <= TID_MAX ? set_number(c, tid, parent->comm) : 0;
}

uint32_t comms_get(struct comms *c, uint32_t tid)
{
	uint64_t key = tid;
	const struct thread_row *row = table_find(&c->threads, &key);
	char name[16];

	if (row)
		return row->comm;
	if (!tid)
		return intern_add_str(c->strings, "swapper");
	/* -1: tasks that had ended and have no number any more (perf_event_pid()) */
	snprintf(name, sizeof(name), ":%d", (int32_t)tid);
	return intern_add_str(c->strings, name);
}
