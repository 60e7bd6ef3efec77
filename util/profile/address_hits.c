// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/address_hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/callchain.h"
#include "util/machine/user_regs.h"
#include "util/source/unpacking.h"

/* Parts of unpacked_held_max(). Each address may also be a function, with two names. */
#define BYTES_PER_ADDRESS 128

void address_hits_init(struct address_hits *h, const struct source_facts *facts,
		       const struct process_maps *maps)
{
	*h = (struct address_hits){.facts = facts, .maps = maps};
	table_init(&h->rows, sizeof(struct address_hit), offsetof(struct address_hit, count));
}

void address_hits_deinit(struct address_hits *h)
{
	table_deinit(&h->rows);
	free(h->events);
}

/* The user-space address at which the kernel was entered. Returns false if it was not recorded. */
static bool user_address(const struct address_hits *h, const struct sample *sample, uint64_t *ret)
{
	struct callchain chain =
		callchain_make(sample->callchain, sample->nr_callchain, sample->swap);

	while (callchain_next(&chain, ret))
		if (chain.context == CONTEXT_USER)
			return true;
	return user_regs_ip(&sample->user, h->facts->arch, sample->swap, ret);
}

static bool has_room(const struct address_hits *h)
{
	return h->rows.nr < unpacked_held_max(h->facts->stored_bytes) / BYTES_PER_ADDRESS;
}

static int add_hit(struct address_hits *h, const struct address_hit *hit)
{
	struct address_hit *row;

	if (!has_room(h) && !table_find(&h->rows, hit)) {
		h->nr_left_out++;
		return 0;
	}
	row = table_insert(&h->rows, hit);
	if (!row)
		return -ENOMEM;
	hit_count_add(&row->count, &hit->count);
	return 0;
}

static int add_user_hit(struct address_hits *h, uint32_t pid, struct address_hit hit)
{
	struct mapped_address at;

	if (!process_maps_find(h->maps, pid, hit.address, &at))
		return 0;
	hit.file = at.file;
	hit.address = at.offset;
	return add_hit(h, &hit);
}

/* A pipe may deliver new events while it is read. */
static int count_event(struct address_hits *h, uint32_t event, const struct hit_count *count)
{
	struct hit_count *events;

	if (event >= h->nr_events) {
		size_t nr = h->facts->nr_events;

		events = reallocarray(h->events, nr, sizeof(*events));
		if (!events)
			return -ENOMEM;
		memset(events + h->nr_events, 0, (nr - h->nr_events) * sizeof(*events));
		h->events = events;
		h->nr_events = nr;
	}
	hit_count_add(&h->events[event], count);
	return 0;
}

int address_hits_add(struct address_hits *h, const struct sample *sample)
{
	const struct source_event *ev = sample->event;
	struct address_hit hit = {.file = FILE_OF_KERNEL,
				  .address = sample->ip,
				  .event = ev->index,
				  .count = {1, sample->period ? sample->period : ev->period}};

	if (count_event(h, ev->index, &hit.count))
		return -ENOMEM;
	if (sample->in_user)
		return add_user_hit(h, sample->pid, hit);
	if (add_hit(h, &hit))
		return -ENOMEM;
	if (!user_address(h, sample, &hit.address))
		return 0;
	hit.entered_from = true;
	return add_user_hit(h, sample->pid, hit);
}
