/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_steps: the allocations of each row of a stat_table in each step of time.
 *
 * The steps are those of a timeline (timeline.h) with the same span, before any of them are merged,
 * so figures for a span of steps are exact.  Only steps in which a row has allocations take memory.
 * A table with too many of them, or without memory for them, has none: is_lost is set.
 */
#ifndef TABLE_STAT_STEPS_H
#define TABLE_STAT_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit of entries: a row in a step. */
#define STAT_STEPS_MAX 2000000

/* Numbers of an entry in ret_numbers: the step, allocations, requested and allocated bytes. */
#define STAT_STEP_NUMBERS 4

struct stat_step {
	uint64_t hits, bytes_req, bytes_alloc; /* modulo 2^64 */
	uint32_t row, step;
	uint32_t previous; /* the number + 1 of the row's entry before it in time; 0: none */
};

struct stat_steps {
	uint64_t start_ns, width_ns; /* of a step */
	struct stat_step *v;
	uint32_t nr, cap;
	uint32_t *latest; /* for each row, the number + 1 of its last entry in time; 0: none */
	uint32_t nr_rows;
	bool is_lost;
};

/* On the heap, or NULL if out of memory. stop_ns must be after start_ns. */
struct stat_steps *stat_steps_new(uint64_t start_ns, uint64_t stop_ns);
void stat_steps_free(struct stat_steps *s);

/* Without entries, with the same steps. NULL if out of memory. */
struct stat_steps *stat_steps_new_like(const struct stat_steps *like);

/* Add figures to a row in a step. */
void stat_steps_add(struct stat_steps *s, const struct stat_step *figures);

/* Count an allocation at a time (sign 1), or remove it (-1). */
static inline void stat_steps_count(struct stat_steps *s, uint32_t row, uint64_t time_ns,
				    uint64_t bytes_req, uint64_t bytes_alloc, int64_t sign)
{
	const uint64_t after = time_ns > s->start_ns ? time_ns - s->start_ns : 0;
	const struct stat_step figures = {
		.row = row,
		.step = (uint32_t)(after / s->width_ns),
		.hits = (uint64_t)sign,
		.bytes_req = (uint64_t)sign * bytes_req,
		.bytes_alloc = (uint64_t)sign * bytes_alloc,
	};

	stat_steps_add(s, &figures);
}

/* The number of entries of a row. */
size_t stat_steps_nr(const struct stat_steps *s, uint32_t row);

/* The entries of a row in the order of time, STAT_STEP_NUMBERS for each. */
void stat_steps_get(const struct stat_steps *s, uint32_t row, uint64_t *ret_numbers);

/*
 * The sums over all rows, for each step that has allocations, in the same form. On the heap; NULL
 * if out of memory. ret_nr: the number of numbers.
 */
uint64_t *stat_steps_sums(const struct stat_steps *s, size_t *ret_nr);

#endif
