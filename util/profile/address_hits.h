/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct address_hits: how many samples of each event were taken at each address.
 *
 * An address of user space is a file and an address in it, so that it is one for all processes; one
 * that is in no file is not counted.  A sample in the kernel counts where the kernel was, and again
 * where user space had entered it, if that was recorded.  Memory depends on distinct addresses, not
 * on samples.  The number of addresses is limited by the size of the recording: a sample at a
 * further address counts for its event only.  Errors: -ENOMEM.
 */
#ifndef PROFILE_ADDRESS_HITS_H
#define PROFILE_ADDRESS_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/machine/process_maps.h"
#include "util/source/facts.h"
#include "util/source/sample.h"

/* In the place of a file's number. */
#define FILE_OF_KERNEL UINT32_MAX

/* How many samples were taken, and how many events they stand for. */
struct hit_count {
	uint64_t samples, period;
};

static inline void hit_count_add(struct hit_count *to, const struct hit_count *count)
{
	to->samples += count->samples;
	to->period += count->period;
}

struct address_hit {
	/* the key */
	uint32_t file;	       /* as in the maps; FILE_OF_KERNEL */
	uint32_t entered_from; /* 1: where user space had called the kernel, or had faulted */
	uint64_t address;
	uint64_t event; /* its index in the facts */
	/* what was counted */
	struct hit_count count;
};

struct address_hits {
	const struct source_facts *facts;
	const struct process_maps *maps;
	struct table rows;    /* nothing is removed: by number, too */
	uint64_t nr_left_out; /* hits at further addresses */
	struct hit_count *events;
	size_t nr_events; /* those behind have no samples */
};

/* The facts and the maps, which the caller keeps up to date, must outlive it. */
void address_hits_init(struct address_hits *h, const struct source_facts *facts,
		       const struct process_maps *maps);
void address_hits_deinit(struct address_hits *h);

/* In time order with what changes the maps. */
int address_hits_add(struct address_hits *h, const struct sample *sample);

static inline const struct address_hit *address_hits_at(const struct address_hits *h, uint32_t i)
{
	return table_row(&h->rows, i);
}

#endif
