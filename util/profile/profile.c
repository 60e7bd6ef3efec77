// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/machine/callchain.h"
#include "util/source/facts.h"

struct first_comm {
	uint64_t unnamed; /* number of ":TID" */
	uint64_t comm;
};

int profile_init(struct profile *p, const struct source_facts *facts, unsigned int parts,
		 const struct dso_search *search, struct error *err)
{
	*p = (struct profile){.facts = facts, .parts = parts};
	table_init(&p->rows, sizeof(struct profile_row), offsetof(struct profile_row, period));
	table_init(&p->first_comms, sizeof(struct first_comm), sizeof(uint64_t));
	intern_init(&p->strings);
	intern_init(&p->kernel_chains);
	threads_init(&p->threads, &p->strings);
	/* numbers of strings and of chains are 0 where there is none */
	if (intern_add(&p->strings, NULL, 0) || intern_add(&p->kernel_chains, NULL, 0) ||
	    user_stacks_new(&p->user, facts, search, err)) {
		profile_deinit(p);
		return error_nomem(err);
	}
	return 0;
}

void profile_deinit(struct profile *p)
{
	user_stacks_free(p->user);
	threads_deinit(&p->threads);
	intern_deinit(&p->kernel_chains);
	intern_deinit(&p->strings);
	table_deinit(&p->first_comms);
	table_deinit(&p->rows);
}

int profile_take_comm(void *profile, uint32_t tid, const char *comm)
{
	struct profile *p = profile;
	struct first_comm *row, key;
	char unnamed[16];
	uint32_t number;
	int ret = threads_set_comm(&p->threads, tid, comm);

	snprintf(unnamed, sizeof(unnamed), ":%" PRIu32, tid);
	number = intern_find(&p->strings, unnamed, strlen(unnamed));
	if (ret || number == INTERN_NONE)
		return ret;
	key = (struct first_comm){.unnamed = number};
	if (table_find(&p->first_comms, &key))
		return 0;
	key.comm = profile_comm_of(p, tid);
	row = key.comm == INTERN_NONE ? NULL : table_insert(&p->first_comms, &key);
	if (!row)
		return -ENOMEM;
	*row = key;
	return 0;
}

uint32_t profile_row_comm(const struct profile *p, const struct profile_row *row)
{
	const uint64_t number = row->comm;
	const struct first_comm *first = table_find(&p->first_comms, &number);

	return first ? (uint32_t)first->comm : row->comm;
}

int profile_take_fork(void *profile, uint32_t parent_tid, uint32_t tid)
{
	return threads_fork(&((struct profile *)profile)->threads, parent_tid, tid);
}

int profile_take_map(void *profile, const struct source_map *map)
{
	return user_stacks_map(((struct profile *)profile)->user, map);
}

int profile_take_process(void *profile, enum source_process_change change, uint32_t pid,
			 uint32_t parent_pid)
{
	return user_stacks_process(((struct profile *)profile)->user, change, pid, parent_pid);
}

/* An address that a frame of user space could be taken for is none of the kernel. */
static uint64_t kernel_frame(uint64_t address)
{
	return user_stacks_is_frame(address) ? 0 : address;
}

static uint32_t kernel_chain(struct profile *p, const struct sample *sample)
{
	struct callchain c = callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
	uint64_t frames[PROFILE_KERNEL_FRAMES_MAX], address;
	size_t nr = 0;

	while (nr < PROFILE_KERNEL_FRAMES_MAX && callchain_next(&c, &address)) {
		if (c.context == CONTEXT_KERNEL || c.context == CONTEXT_NONE)
			frames[nr++] = kernel_frame(address);
		else if (c.context == CONTEXT_USER)
			break;
	}
	return intern_add(&p->kernel_chains, frames, nr * sizeof(frames[0]));
}

int profile_add(struct profile *p, const struct sample *sample, uint32_t text)
{
	struct profile_row key = {.event = sample->event->index, .text = text}, *row;

	if (p->parts & PROFILE_COMM)
		key.comm = profile_comm_of(p, sample->tid);
	if (p->parts & PROFILE_PID)
		key.pid = sample->pid;
	if (p->parts & PROFILE_TID)
		key.tid = sample->tid;
	if (p->parts & PROFILE_CPU)
		key.cpu = sample->cpu;
	if (p->parts & PROFILE_CHAIN) {
		key.kernel_chain = kernel_chain(p, sample);
		key.user_chain = user_stacks_chain(p->user, sample);
	}
	key.leaf = sample->in_user ? user_stacks_frame(p->user, sample->pid, sample->ip)
				   : kernel_frame(sample->ip);
	if (key.comm == INTERN_NONE || key.kernel_chain == INTERN_NONE ||
	    key.user_chain == INTERN_NONE || (sample->in_user && !key.leaf))
		return -ENOMEM;
	row = table_insert(&p->rows, &key);
	if (!row)
		return -ENOMEM;
	row->nr++;
	row->period += sample->period ? sample->period : sample->event->period;
	return 0;
}

bool profile_has_kernel(const struct profile *p)
{
	/* the first chain is the empty one */
	if (p->kernel_chains.nr > 1)
		return true;
	for (uint32_t i = 0; i < p->rows.nr; i++)
		if (!user_stacks_is_frame(profile_row(p, i)->leaf))
			return true;
	return false;
}

size_t profile_frames(const struct profile *p, const struct profile_row *row,
		      uint64_t frames[PROFILE_FRAMES_MAX])
{
	size_t nr_kernel, nr_user = 0;
	const uint64_t *kernel = intern_get(&p->kernel_chains, row->kernel_chain, &nr_kernel);
	const uint64_t *user;

	if (nr_kernel)
		memcpy(frames, kernel, nr_kernel);
	nr_kernel /= sizeof(*kernel);
	if (p->parts & PROFILE_CHAIN) {
		user = user_stacks_frames(p->user, row->user_chain, &nr_user);
		memcpy(frames + nr_kernel, user, nr_user * sizeof(*user));
	}
	return nr_kernel + nr_user;
}
