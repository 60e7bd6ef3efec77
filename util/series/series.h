/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct series: the lines of the balance and the numbers of processes over time, from the
 * snapshots of a series.
 *
 * A row has a value for each snapshot, 0 where it did not exist: the bytes of a line of the balance
 * (of a slab cache: of its objects in use, which grow even while slabs have free space), or a
 * number of a process. If time ran out in a snapshot, processes that it lacks keep their previous
 * numbers. Rows of processes that ended are forgotten. At most SERIES_MOMENTS_MAX
 * snapshots are taken, and SERIES_ROWS_MAX rows, so memory is bounded.
 */
#ifndef SERIES_SERIES_H
#define SERIES_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/where/holders.h"
#include "util/where/partition.h"
#include "util/where/texts.h"
#include "util/series/trend.h"

#define SERIES_MOMENTS_MAX 512
#define SERIES_ROWS_MAX	   32768

struct series_row {
	char *path;		   /* "slab/unreclaimable/filp", "process/812/sockets/nginx" */
	char *label;		   /* "slab > unreclaimable > filp", "nginx" */
	bool is_process;	   /* then: */
	enum holder_number number; /* what is counted */
	uint64_t pid;
	const char *cache;     /* processes: the cache of the objects that are counted; or NULL */
	size_t counted;	       /* processes: number of snapshots up to the latest one that has it */
	uint64_t object_bytes; /* slab caches, and `cache`: size of an object; 0: not a cache */
	int64_t *v;	       /* series->nr values */
	/* set by series_finish() */
	struct trend trend;
	char *with; /* the processes that it rises with: "nginx 812 (+1200 sockets)"; NULL: none */
};

struct series {
	size_t cap, nr; /* moments */
	uint64_t *times_ns;
	uint64_t start_wall_ns, stop_wall_ns; /* of the first and last snapshot; 0: unknown */
	struct series_row *rows;
	size_t nr_rows, rows_cap;
	struct intern paths;  /* of the rows, by number */
	size_t forget_at;     /* number of rows */
	uint64_t nr_left_out; /* values beyond SERIES_ROWS_MAX */
	bool failed;	      /* memory ran out */
};

/* moments: maximum number of snapshots. */
void series_init(struct series *s, size_t moments);
void series_deinit(struct series *s);

/* Add a snapshot that is later than the others. Ignored beyond the maximum. */
void series_add(struct series *s, uint64_t time_ns, const struct where_texts *texts,
		const struct partition *p);

/* Compute the trends. */
void series_finish(struct series *s);

/* Whether this growth is normal: the kernel takes this memory back when it needs some. */
bool series_row_is_reclaimable(const struct series_row *r);

/* Rank of a number among numbers that grow alike; the lowest is the most specific: sockets are
 * files, too. */
int series_number_rank(enum holder_number number);

#endif
