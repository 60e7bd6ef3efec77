// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/sample.h"

#include <errno.h>

#include "util/perfdata/format.h"

#define RECORD_HEADER 8

/* Fields at fixed offsets, in the kernel's order. keep is 0 for fields that are not read. */
static const struct fixed_field {
	uint64_t bit;
	uint16_t keep; /* offset of the member in struct sample_layout + 1 */
} fixed_fields[] = {
#define KEEP(field) (offsetof(struct sample_layout, field) + 1)
	{PERF_SAMPLE_IDENTIFIER, KEEP(id)},
	{PERF_SAMPLE_IP, KEEP(ip)},
	{PERF_SAMPLE_TID, KEEP(tid)},
	{PERF_SAMPLE_TIME, KEEP(time)},
	{PERF_SAMPLE_ADDR, 0},
	{PERF_SAMPLE_ID, KEEP(id)},
	{PERF_SAMPLE_STREAM_ID, 0},
	{PERF_SAMPLE_CPU, KEEP(cpu)},
	{PERF_SAMPLE_PERIOD, KEEP(period)},
};

/* The sample_id tail, in the kernel's order; IDENTIFIER is the record's last field. */
static const struct fixed_field tail_fields[] = {
	{PERF_SAMPLE_TID, 0},
	{PERF_SAMPLE_TIME, KEEP(tail_time)},
	{PERF_SAMPLE_ID, KEEP(tail_id)},
	{PERF_SAMPLE_STREAM_ID, 0},
	{PERF_SAMPLE_CPU, 0},
	{PERF_SAMPLE_IDENTIFIER, KEEP(tail_id)},
#undef KEEP
};

static void place_fields(struct sample_layout *layout, const struct fixed_field *fields, size_t nr,
			 uint16_t start, uint16_t *ret_end)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(layout->sample_type & fields[i].bit))
			continue;
		if (fields[i].keep) {
			uint16_t *place = (uint16_t *)((uint8_t *)layout + (fields[i].keep - 1));

			if (*place == SAMPLE_FIELD_ABSENT)
				*place = start;
		}
		start += 8;
	}
	*ret_end = start;
}

/* Fields that may follow those with fixed offsets, as far as they are read. */
#define BEHIND_RAW   (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP)
#define BEHIND_FIXED (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | BEHIND_RAW)

static bool is_usual(const struct sample_layout *l)
{
	const uint16_t none = SAMPLE_FIELD_ABSENT;

	return l->ip == none && l->period == none && l->tid != none && l->time != none &&
	       l->cpu != none &&
	       (l->sample_type & BEHIND_FIXED & ~PERF_SAMPLE_CALLCHAIN) == PERF_SAMPLE_RAW;
}

void sample_layout_init(struct sample_layout *layout, const struct event_attr *attr)
{
	const uint16_t none = SAMPLE_FIELD_ABSENT;

	*layout = (struct sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.ip = none,
		.tid = none,
		.time = none,
		.id = none,
		.cpu = none,
		.period = none,
		.branch_type = attr->branch_sample_type,
		.user_regs = attr->sample_regs_user,
		.has_details = true,
		.nr_user_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_user),
		.nr_intr_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_intr),
		.id_all = attr_flag(attr, ATTR_SAMPLE_ID_ALL),
		.tail_time = none,
		.tail_id = none,
	};
	place_fields(layout, fixed_fields, sizeof(fixed_fields) / sizeof(fixed_fields[0]),
		     RECORD_HEADER, &layout->fixed_end);
	layout->is_usual = is_usual(layout);
	if (layout->id_all)
		place_fields(layout, tail_fields, sizeof(tail_fields) / sizeof(tail_fields[0]), 0,
			     &layout->tail_size);
}

void sample_layout_drop_details(struct sample_layout *layout)
{
	layout->period = SAMPLE_FIELD_ABSENT;
	layout->ip = SAMPLE_FIELD_ABSENT;
	layout->has_details = false;
	layout->is_usual = is_usual(layout);
}

/* PERF_SAMPLE_READ: its size depends on read_format and, for a group, on a count. */
static void skip_read(struct bytes *b, uint64_t read_format)
{
	uint64_t times = !!(read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t value = 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & (1u << 4));

	if (read_format & PERF_FORMAT_GROUP) {
		uint64_t nr = bytes_u64(b);

		if (nr > bytes_left(b) / 8)
			b->failed = true;
		else
			bytes_take(b, (times + nr * value) * 8);
		return;
	}
	bytes_take(b, (times + value) * 8);
}

/* Skip nr times `size` bytes; nr may have any value. */
static void skip_array(struct bytes *b, uint64_t nr, uint64_t size)
{
	if (nr > bytes_left(b) / size)
		b->failed = true;
	else
		bytes_take(b, nr * size);
}

/* u64 nr, (u64 index), nr times from, to and flags, (nr times u64 counters) */
static void skip_branches(struct bytes *b, uint64_t branch_type)
{
	uint64_t nr = bytes_u64(b);

	/* events without branches, such as tracepoints, omit the index, too */
	if (!nr)
		return;
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		bytes_take(b, 8);
	skip_array(b, nr, 3 * sizeof(uint64_t));
	if (branch_type & PERFDATA_SAMPLE_BRANCH_COUNTERS)
		skip_array(b, nr, sizeof(uint64_t));
}

/* u64 abi and, unless it is 0 (none: a kernel thread), the registers */
static void skip_registers(struct bytes *b, unsigned int nr)
{
	if (bytes_u64(b))
		bytes_take(b, nr * sizeof(uint64_t));
}

static void read_user_registers(struct bytes *b, const struct sample_layout *layout,
				struct sample_user *user)
{
	uint64_t abi = bytes_u64(b);

	if (!abi)
		return;
	user->mask = layout->user_regs;
	user->is_32bit = abi == PERF_SAMPLE_REGS_ABI_32;
	user->regs = bytes_take(b, layout->nr_user_regs * sizeof(uint64_t));
}

/* u64 size and, unless it is 0, the bytes and the number of valid ones */
static void read_stack(struct bytes *b, struct sample_user *user)
{
	uint64_t size = bytes_u64(b), valid;

	if (!size)
		return;
	user->stack = bytes_take(b, size);
	valid = bytes_u64(b);
	user->stack_size =
		(uint32_t)(valid < size ? valid : size); /* fits: smaller than a record */
}

/* Read the fields after RAW, in the kernel's order. */
static void read_behind_raw(struct bytes *b, const struct sample_layout *layout,
			    struct sample *sample)
{
	const uint64_t type = layout->sample_type;

	sample->user = (struct sample_user){NULL};
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(b, layout->branch_type);
	if (type & PERF_SAMPLE_REGS_USER)
		read_user_registers(b, layout, &sample->user);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(b, &sample->user);
	if (!(type & PERF_SAMPLE_CGROUP))
		return;
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		bytes_take(b, 8);
	if (type & PERF_SAMPLE_DATA_SRC)
		bytes_take(b, 8);
	if (type & PERF_SAMPLE_TRANSACTION)
		bytes_take(b, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(b, layout->nr_intr_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		bytes_take(b, 8);
	sample->cgroup = bytes_u64(b);
}

static void read_details(const struct sample_layout *layout, const uint8_t *record, bool swap,
			 struct sample *s)
{
	s->in_user = sample_is_in_user(record, swap);
	if (layout->ip != SAMPLE_FIELD_ABSENT)
		s->ip = load_u64(record + layout->ip, swap);
	if (layout->period != SAMPLE_FIELD_ABSENT)
		s->period = load_u64(record + layout->period, swap);
}

int sample_parse(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
		 bool swap, struct sample *ret_sample)
{
	struct sample *s = ret_sample;
	struct bytes b;
	size_t at;

	if (size < layout->fixed_end)
		return -EINVAL;
	sample_clear_rare(s);
	s->time_ns = 0;
	s->pid = s->tid = 0;
	s->cpu = -1;
	s->swap = swap;
	s->raw = NULL;
	s->raw_size = 0;
	if (layout->tid != SAMPLE_FIELD_ABSENT) {
		s->pid = load_u32(record + layout->tid, swap);
		s->tid = load_u32(record + layout->tid + 4, swap);
	}
	if (layout->time != SAMPLE_FIELD_ABSENT)
		s->time_ns = load_u64(record + layout->time, swap);
	if (layout->cpu != SAMPLE_FIELD_ABSENT)
		s->cpu = (int32_t)load_u32(record + layout->cpu, swap);
	if (layout->has_details)
		read_details(layout, record, swap, s);

	at = layout->fixed_end;
	if (layout->sample_type & PERF_SAMPLE_READ) {
		b = bytes_make(record + at, size - at, swap);
		skip_read(&b, layout->read_format);
		at = size - bytes_left(&b);
		if (b.failed)
			return -EINVAL;
	}
	if ((layout->sample_type & PERF_SAMPLE_CALLCHAIN &&
	     sample_read_callchain(record, size, swap, &at, s)) ||
	    (layout->sample_type & PERF_SAMPLE_RAW && sample_read_raw(record, size, swap, &at, s)))
		return -EINVAL;
	if (!(layout->sample_type & BEHIND_RAW))
		return 0;
	b = bytes_make(record + at, size - at, swap);
	read_behind_raw(&b, layout, s);
	return b.failed ? -EINVAL : 0;
}

static uint64_t tail_u64(const struct sample_layout *layout, uint16_t at, const uint8_t *record,
			 uint16_t size, bool swap, uint64_t absent)
{
	if (at == SAMPLE_FIELD_ABSENT || size < RECORD_HEADER + layout->tail_size)
		return absent;
	return load_u64(record + size - layout->tail_size + at, swap);
}

uint64_t sample_tail_time(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
			  bool swap, uint64_t absent)
{
	return tail_u64(layout, layout->tail_time, record, size, swap, absent);
}

uint64_t sample_tail_id(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
			bool swap, uint64_t absent)
{
	return tail_u64(layout, layout->tail_id, record, size, swap, absent);
}
