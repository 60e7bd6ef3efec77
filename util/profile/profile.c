// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/machine/callchain.h"
#include "util/source/facts.h"
#include "util/source/unpacking.h"

/* Parts of unpacked_held_max(). */
#define BYTES_PER_ROW	128
#define BYTES_PER_FRAME 16

#define LEFT_OUT (TABLE_NO_ROW - 1)

struct first_comm {
	uint64_t unnamed; /* number of ":TID" */
	uint64_t comm;
};

int profile_init(struct profile *p, const struct source_facts *facts, unsigned int parts,
		 const struct dso_search *search, struct error *err)
{
	*p = (struct profile){.facts = facts, .parts = parts, .changes = 1};
	table_init(&p->rows, sizeof(struct profile_row), offsetof(struct profile_row, period));
	table_init(&p->first_comms, sizeof(struct first_comm), sizeof(uint64_t));
	intern_init(&p->strings);
	frame_chains_init(&p->kernel_chains);
	threads_init(&p->threads, &p->strings);
	/* numbers of strings and of chains are 0 if there is none */
	if (intern_add(&p->strings, NULL, 0) || frame_chains_add(&p->kernel_chains, NULL, 0) ||
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
	frame_chains_deinit(&p->kernel_chains);
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

	p->changes++;
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
	struct profile *p = profile;

	p->changes++;
	return threads_fork(&p->threads, parent_tid, tid);
}

int profile_take_map(void *profile, const struct source_map *map)
{
	struct profile *p = profile;

	p->changes++;
	return user_stacks_map(p->user, map);
}

int profile_take_process(void *profile, enum source_process_change change, uint32_t pid,
			 uint32_t parent_pid)
{
	struct profile *p = profile;

	p->changes++;
	return user_stacks_process(p->user, change, pid, parent_pid);
}

static uint64_t limit(const struct profile *p, uint64_t bytes)
{
	return unpacked_held_max(p->facts->stored_bytes) / bytes;
}

/* A kernel address that looks like a user-space frame is invalid. */
static uint64_t kernel_frame(const struct profile *p, uint64_t address, uint64_t time_ns)
{
	if (user_stacks_is_frame(address))
		return 0;
	return p->kernel ? symbols_identity(p->kernel, address, time_ns) : address;
}

static uint32_t kernel_chain(struct profile *p, const struct sample *sample)
{
	struct callchain c = callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
	uint64_t frames[PROFILE_KERNEL_FRAMES_MAX], address;
	size_t nr = 0;

	while (nr < PROFILE_KERNEL_FRAMES_MAX && callchain_next(&c, &address)) {
		if (c.context == CONTEXT_KERNEL || c.context == CONTEXT_NONE)
			frames[nr++] = kernel_frame(p, address, sample->time_ns);
		else if (c.context == CONTEXT_USER)
			break;
	}
	p->kernel_chains.frames_max = limit(p, BYTES_PER_FRAME);
	return frame_chains_add(&p->kernel_chains, frames, nr);
}

/* The row of samples like this one, which is created if missing. TABLE_NO_ROW if out of memory.
 * LEFT_OUT if the limit is reached. */
static uint32_t find_row(struct profile *p, const struct profile_recent *r)
{
	struct profile_row key = {.event = r->event,
				  .text = r->text,
				  .cpu = r->cpu,
				  .kernel_chain = r->kernel_chain,
				  .user_chain = r->user_chain};

	if (p->parts & PROFILE_COMM)
		key.comm = profile_comm_of(p, r->tid);
	if (p->parts & PROFILE_PID)
		key.pid = r->pid;
	if (p->parts & PROFILE_TID)
		key.tid = r->tid;
	key.leaf = r->in_user ? user_stacks_frame(p->user, r->pid, r->ip) : r->ip;
	if (key.comm == INTERN_NONE || (r->in_user && !key.leaf))
		return TABLE_NO_ROW;
	if (p->rows.nr >= limit(p, BYTES_PER_ROW) && !table_find(&p->rows, &key))
		return LEFT_OUT;
	return table_insert_number(&p->rows, &key);
}

_Static_assert(PROFILE_KERNEL_FRAMES_MAX <= FRAME_CHAIN_MAX, "chains are stored whole");

#define RECENT_KEY_BYTES offsetof(struct profile_recent, changes)
_Static_assert(RECENT_KEY_BYTES == sizeof(uint64_t) + 8 * sizeof(uint32_t), "there is no padding");

/* Names and maps of tasks are only looked up if no recent sample was like this one. */
static uint32_t row_of(struct profile *p, const struct profile_recent *wanted)
{
	const uint64_t place = (wanted->ip ^ wanted->tid) * 0x9e3779b97f4a7c15;
	struct profile_recent *r = &p->recent[(place >> 32) % PROFILE_RECENT];
	uint32_t row;

	if (r->changes == p->changes && !memcmp(r, wanted, RECENT_KEY_BYTES))
		return r->row;
	row = find_row(p, wanted);
	if (row == TABLE_NO_ROW || row == LEFT_OUT)
		return row;
	*r = *wanted;
	r->changes = p->changes;
	r->row = row;
	return row;
}

int profile_add(struct profile *p, const struct sample *sample, uint32_t text)
{
	struct profile_recent wanted = {
		.ip = sample->in_user ? sample->ip : kernel_frame(p, sample->ip, sample->time_ns),
		.pid = sample->pid,
		.tid = sample->tid,
		.event = sample->event->index,
		.text = text,
		.in_user = sample->in_user};
	struct profile_row *row;
	uint32_t number;

	if (p->parts & PROFILE_CPU)
		wanted.cpu = sample->cpu;
	if (p->parts & PROFILE_CHAIN) {
		wanted.kernel_chain = kernel_chain(p, sample);
		wanted.user_chain = user_stacks_chain(p->user, sample);
		if (wanted.kernel_chain == INTERN_NONE || wanted.user_chain == INTERN_NONE)
			return -ENOMEM;
	}
	number = row_of(p, &wanted);
	if (number == TABLE_NO_ROW)
		return -ENOMEM;
	if (number == LEFT_OUT) {
		p->nr_left_out++;
		return 0;
	}
	row = table_row(&p->rows, number);
	row->nr++;
	row->period += sample->period ? sample->period : sample->event->period;
	return 0;
}

uint64_t profile_chains_left_out(const struct profile *p)
{
	return p->kernel_chains.nr_left_out + p->user->chains.nr_left_out + p->user->nr_left_out;
}

bool profile_has_kernel(const struct profile *p)
{
	/* the first chain is the empty one */
	if (p->kernel_chains.chains.nr > 1)
		return true;
	for (uint32_t i = 0; i < p->rows.nr; i++)
		if (!user_stacks_is_frame(profile_row(p, i)->leaf))
			return true;
	return false;
}

struct profile_chain profile_chain(const struct profile *p, const struct profile_row *row)
{
	struct profile_chain c = {.nr = 0};

	c.kernel = frame_chains_get(&p->kernel_chains, row->kernel_chain);
	if (p->parts & PROFILE_CHAIN)
		c.user = user_stacks_frames(p->user, row->user_chain);
	c.nr = c.kernel.nr + c.user.nr;
	return c;
}
