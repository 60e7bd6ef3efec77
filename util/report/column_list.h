/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of a row, one per line:
 *
 *	WHOLE(id, name, heading, key in JSON and CSV, allocators, kind, sum, value)
 *	PERCENT(id, name, heading, key in JSON and CSV, allocators, value)
 *
 * The columns of column.c and the names in --help are generated from this list. The kind is BYTES,
 * COUNT, NS or CHANGE. The sum is SUM (over time), LEVEL (at the end of the time; both add up over
 * rows), NOT (neither), or NOW (of the latest interval). The value is a uint64_t, of PERCENT a
 * double. It is computed by functions of column.c, from `row` or from its counts, `c`.
 */
#ifndef REPORT_COLUMN_LIST_H
#define REPORT_COLUMN_LIST_H

/* clang-format off */
#define COLUMN_FIGURES(WHOLE, PERCENT)                                                                    \
	WHOLE(BYTES, "bytes", "Bytes", "bytes_alloc", ALL, BYTES, SUM, row_bytes(row))            \
	WHOLE(HITS, "hit", "Hits", "hits", ALL, COUNT, SUM, row_hits(row))                        \
	WHOLE(PINGPONG, "pingpong", "Ping-pong", "pingpong", ALL, COUNT, SUM, c->pingpong)        \
	PERCENT(FRAG, "frag", "Frag", "frag_percent", SLAB, frag_percent(row))                     \
	WHOLE(REQ, "req", "Requested", "bytes_req", SLAB, BYTES, SUM, row_bytes_req(row))          \
	WHOLE(MEAN, "mean", "Per hit", "bytes_per_hit", ALL, BYTES, NOT, bytes_per_hit(row))      \
	WHOLE(LIVE, "live", "Live", "live_bytes", ALL, BYTES, LEVEL, c->live_bytes)                 \
	WHOLE(LIVE_HITS, "live-hit", "Live hits", "live_hits", ALL, COUNT, LEVEL, c->live_hits)     \
	WHOLE(UNSEEN, "unseen", "Unseen frees", "unseen_frees", ALL, COUNT, SUM, c->unseen_frees) \
	WHOLE(FREED, "freed", "Freed", "freed_hits", ALL, COUNT, SUM, c->freed_hits)              \
	WHOLE(LIFETIME, "lifetime", "Mean life", "lifetime_mean_ns", ALL, NS, NOT, mean_lifetime(c)) \
	WHOLE(P50, "p50", "p50 life", "lifetime_p50_ns", ALL, NS, NOT, percentile(row, 50))       \
	WHOLE(P99, "p99", "p99 life", "lifetime_p99_ns", ALL, NS, NOT, percentile(row, 99))       \
	PERCENT(SHORT, "short", "<1ms", "short_lived_percent", ALL, short_percent(c))             \
	WHOLE(HIT_RATE, "hits/s", "Hits/s", "hits_per_s", ALL, COUNT, NOW, per_second(row, row->recent->hits)) \
	WHOLE(BYTE_RATE, "bytes/s", "Bytes/s", "bytes_per_s", ALL, BYTES, NOW, per_second(row, row->recent->bytes_alloc)) \
	WHOLE(FREE_RATE, "frees/s", "Frees/s", "frees_per_s", ALL, COUNT, NOW, per_second(row, row->recent->freed_hits)) \
	WHOLE(GROWTH, "growth", "Growth/s", "growth_bytes_per_s", ALL, CHANGE, NOW, row_growth(row))  \
	/* add a new figure above this line */
/* clang-format on */

/* " bytes hit ...", for help texts, without the figures of the latest interval, which only top
 * has. */
#define COLUMN_NAME_SUM(name)	" " name
#define COLUMN_NAME_LEVEL(name) " " name
#define COLUMN_NAME_NOT(name)	" " name
#define COLUMN_NAME_NOW(name)	""
#define COLUMN_NAME_OF_WHOLE(id, name, heading, json, allocator, kind, sum, value)                 \
	COLUMN_NAME_##sum(name)
#define COLUMN_NAME_OF_PERCENT(id, name, ...) " " name
#define COLUMN_FIGURE_NAMES		      COLUMN_FIGURES(COLUMN_NAME_OF_WHOLE, COLUMN_NAME_OF_PERCENT)

#endif
