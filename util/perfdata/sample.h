/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples: the offsets of the fields of a PERF_RECORD_SAMPLE, and reading them.
 *
 * The kernel defines the order of the fields (perf_output_sample() in kernel/events/core.c); the
 * event's sample_type lists those present. Fields up to PERIOD have fixed offsets, so a struct
 * sample_layout is computed once per event. READ, CALLCHAIN, RAW and the following fields have any
 * length: they are walked up to the last one needed, with every length checked. Field widths and
 * byte order are the recording's: u32 pairs stay u32 pairs.
 */
#ifndef PERFDATA_SAMPLE_H
#define PERFDATA_SAMPLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h> /* PERF_RECORD_MISC_* */

#include "util/base/bytes.h"
#include "util/base/error.h"
#include "util/perfdata/attr.h"
#include "util/source/sample.h"

#define SAMPLE_FIELD_ABSENT 0xffff

/* Offsets from the start of the record (its header included), bytes. */
struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint16_t ip, tid, time, id, cpu, period;
	uint16_t fixed_end; /* offset of READ, CALLCHAIN or RAW */
	bool has_details;   /* ip, period and in_user are read */
	bool is_usual; /* only TID, TIME and CPU are read, and then perhaps CALLCHAIN, and RAW */
	/* Needed to skip from RAW to CGROUP. */
	uint64_t branch_type;		    /* PERF_SAMPLE_BRANCH_* */
	uint8_t nr_user_regs, nr_intr_regs; /* number of u64 values */
	uint64_t user_regs;		    /* bits: registers */
	/* The sample_id tail of other records: offsets back from the record's end. */
	bool id_all;
	uint16_t tail_size, tail_time, tail_id;
};

void sample_layout_init(struct sample_layout *layout, const struct event_attr *attr);

/* Do not read ip and period, because they are not used. */
void sample_layout_drop_details(struct sample_layout *layout);

/*
 * Read the record (size bytes, header included) as a sample. Errors: -EINVAL if a field extends
 * beyond the record's end.
 */
int sample_parse(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
		 bool swap, struct sample *ret_sample);

/*
 * Clear the fields that few samples have; of `user`, only those that mark it as empty. Assigned one
 * by one, which compiles to a few wide stores: gcc would clear a whole object with rep stos, which
 * takes longer than all the rest.
 */
static inline void sample_clear_rare(struct sample *s)
{
	s->in_user = false;
	s->ip = 0;
	s->period = 0;
	s->cgroup = 0;
	s->nr_callchain = 0;
	s->callchain = NULL;
	s->user.regs = NULL;
	s->user.stack = NULL;
}

/* Whether user code was interrupted. The record's header is u32 type, u16 misc, u16 size. */
static inline bool sample_is_in_user(const uint8_t *record, bool swap)
{
	return (load_u16(record + 4, swap) & PERF_RECORD_MISC_CPUMODE_MASK) ==
	       PERF_RECORD_MISC_USER;
}

/* u64 nr and nr u64 addresses, at *at, which is advanced past them. */
static inline int sample_read_callchain(const uint8_t *record, size_t size, bool swap, size_t *at,
					struct sample *s)
{
	if (size - *at < sizeof(uint64_t))
		return -EINVAL;
	s->nr_callchain = load_u64(record + *at, swap);
	*at += sizeof(uint64_t);
	if (s->nr_callchain > (size - *at) / sizeof(uint64_t))
		return -EINVAL;
	s->callchain = record + *at;
	*at += s->nr_callchain * sizeof(uint64_t);
	return 0;
}

/* u32 size and the bytes; *at as above. */
static inline int sample_read_raw(const uint8_t *record, size_t size, bool swap, size_t *at,
				  struct sample *s)
{
	if (size - *at < sizeof(uint32_t))
		return -EINVAL;
	s->raw_size = load_u32(record + *at, swap);
	*at += sizeof(uint32_t);
	if (s->raw_size > size - *at)
		return -EINVAL;
	s->raw = record + *at;
	*at += s->raw_size;
	return 0;
}

/* sample_parse() for layout->is_usual in our byte order: tracepoints, which most samples are. The
 * rare fields must be cleared already; only the callchain is set. */
static inline int sample_parse_usual(const struct sample_layout *layout, const uint8_t *record,
				     uint16_t size, struct sample *ret_sample)
{
	size_t at = layout->fixed_end;

	if (size < at ||
	    (layout->sample_type & PERF_SAMPLE_CALLCHAIN &&
	     sample_read_callchain(record, size, false, &at, ret_sample)) ||
	    sample_read_raw(record, size, false, &at, ret_sample))
		return -EINVAL;
	ret_sample->time_ns = load_u64(record + layout->time, false);
	ret_sample->pid = load_u32(record + layout->tid, false);
	ret_sample->tid = load_u32(record + layout->tid + 4, false);
	ret_sample->cpu = (int32_t)load_u32(record + layout->cpu, false);
	ret_sample->swap = false;
	return 0;
}

/* One u64 field of a sample, or of the sample_id tail of another record; `absent` if it has
 * none. */
static inline uint64_t sample_time(const struct sample_layout *layout, const uint8_t *record,
				   uint16_t size, bool swap, uint64_t absent)
{
	if (layout->time == SAMPLE_FIELD_ABSENT || size < layout->time + 8)
		return absent;
	return load_u64(record + layout->time, swap);
}

uint64_t sample_tail_time(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
			  bool swap, uint64_t absent);
uint64_t sample_tail_id(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
			bool swap, uint64_t absent);

#endif
