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
	bool only_raw;	    /* only TID, TIME and CPU are read, and then RAW */
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

/* sample_parse() for layout->only_raw in our byte order: tracepoints without callchains, which most
 * samples are. The rare fields must be cleared already, and stay so. */
static inline int sample_parse_only_raw(const struct sample_layout *layout, const uint8_t *record,
					uint16_t size, struct sample *ret_sample)
{
	uint32_t raw_size;

	if (size < layout->fixed_end + sizeof(raw_size))
		return -EINVAL;
	raw_size = load_u32(record + layout->fixed_end, false);
	if (raw_size > size - layout->fixed_end - sizeof(raw_size))
		return -EINVAL;
	ret_sample->time_ns = load_u64(record + layout->time, false);
	ret_sample->pid = load_u32(record + layout->tid, false);
	ret_sample->tid = load_u32(record + layout->tid + 4, false);
	ret_sample->cpu = (int32_t)load_u32(record + layout->cpu, false);
	ret_sample->swap = false;
	ret_sample->raw = record + layout->fixed_end + sizeof(raw_size);
	ret_sample->raw_size = raw_size;
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
