/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct address_hits: the number of samples of each event at each address.
 *
 * An address of user space is a file and an address in it, so it is the same for all processes; an
 * address outside of any file is not counted. A sample in the kernel counts at its kernel address
 * and, if that was recorded, at the user-space address from which the kernel was entered. Memory
 * depends on distinct addresses, not on samples. The number of addresses is limited by the size of
 * the recording: a sample at a further address counts for its event only. Errors: -ENOMEM.
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

/* Used instead of a file's number. */
#define FILE_OF_KERNEL UINT32_MAX

/* The number of samples, and of events that they represent. */
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
	uint32_t file;	       /* number of the file in the maps, or FILE_OF_KERNEL */
	uint32_t entered_from; /* 1: the user-space address of a system call or a fault */
	uint64_t address;
	uint64_t event; /* index of the event in the facts */
	/* the counts */
	struct hit_count count;
};

struct address_hits {
	const struct source_facts *facts;
	const struct process_maps *maps;
	struct table rows;    /* rows are never removed, so numbers are dense */
	uint64_t nr_left_out; /* hits at further addresses */
	struct hit_count *events;
	size_t nr_events; /* later events have no samples */
};

/* The caller keeps the facts and the maps up to date; they must outlive it. */
void address_hits_init(struct address_hits *h, const struct source_facts *facts,
		       const struct process_maps *maps);
void address_hits_deinit(struct address_hits *h);

/* In time order with changes of the maps. */
int address_hits_add(struct address_hits *h, const struct sample *sample);

static inline const struct address_hit *address_hits_at(const struct address_hits *h, uint32_t i)
{
	return table_row(&h->rows, i);
}

#endif
