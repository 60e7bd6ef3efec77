// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/ring_page.h"

#include "util/base/bytes.h"

/* Flag in the number of bytes used: events were lost. */
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30) /* their number follows the events */
#define USED_MASK     ((1u << 27) - 1)

/* Type of an event. Smaller values are the length of short data in words. */
enum { TYPE_LONG_DATA = 0, TYPE_PADDING = 29, TYPE_TIME_EXTEND = 30, TYPE_TIME_STAMP = 31 };

#define TYPE_BITS  5
#define DELTA_BITS 27
#define DELTA_MASK ((1u << DELTA_BITS) - 1)

/* An absolute timestamp has 59 bits. */
#define STAMP_BITS 59

static uint64_t load_long(const struct ring_layout *l, const uint8_t *p)
{
	return l->long_size == 4 ? load_u32(p, l->swap) : load_u64(p, l->swap);
}

uint64_t ring_page_time(const struct ring_layout *layout, const uint8_t *page, size_t size)
{
	return size < 8u + layout->long_size ? 0 : load_u64(page, layout->swap);
}

bool ring_page_init(struct ring_page *p, const struct ring_layout *layout, const uint8_t *page,
		    size_t size)
{
	size_t header = 8u + layout->long_size;
	uint64_t commit;
	size_t used;

	*p = (struct ring_page){.layout = layout};
	if (size < header)
		return false;
	p->time_ns = load_u64(page, layout->swap);
	commit = load_long(layout, page + 8);
	used = commit & USED_MASK;
	p->missed = commit & MISSED_EVENTS;
	p->broken = used > layout->page_size - header;
	if (used > size - header) {
		p->broken = true;
		used = size - header;
	}
	if (p->missed && commit & MISSED_STORED && size - header - used >= layout->long_size)
		p->nr_missed = load_long(layout, page + header + used);
	p->at = page + header;
	p->end = p->at + used;
	return true;
}

static size_t left(const struct ring_page *p)
{
	return (size_t)(p->end - p->at);
}

/* Take the missing high bits of an absolute timestamp from the previous time. */
static uint64_t full_stamp(uint64_t stamp, uint64_t before)
{
	uint64_t high = before & ~((1ULL << STAMP_BITS) - 1);

	if (!high)
		return stamp;
	stamp |= high;
	return stamp < before ? stamp + (1ULL << STAMP_BITS) : stamp;
}

/* Advance `size` bytes past the first word of an event. Returns false if they are not in the
 * page. */
static bool skip(struct ring_page *p, uint64_t size)
{
	if (size > left(p) - 4) {
		p->broken = true;
		p->at = p->end;
		return false;
	}
	p->at += 4 + size;
	return true;
}

bool ring_page_next(struct ring_page *p, struct ring_event *ret_event)
{
	const struct ring_layout *l = p->layout;

	while (left(p) >= 4) {
		const uint8_t *at = p->at;
		uint32_t word = load_u32(at, l->swap);
		uint32_t type = l->big_endian ? word >> DELTA_BITS : word & ((1u << TYPE_BITS) - 1);
		uint64_t delta = l->big_endian ? word & DELTA_MASK : word >> TYPE_BITS;
		uint32_t next = 0;

		if (type == TYPE_PADDING && !delta)
			break; /* end of the written events */
		if (type == TYPE_LONG_DATA || type >= TYPE_PADDING) {
			if (left(p) < 8) {
				p->broken = true;
				break;
			}
			next = load_u32(at + 4, l->swap);
		}
		switch (type) {
		case TYPE_PADDING: /* a discarded event */
			p->time_ns += delta;
			if (!skip(p, next < 4 ? 4 : next))
				return false;
			continue;
		case TYPE_TIME_EXTEND:
			p->time_ns += ((uint64_t)next << DELTA_BITS) + delta;
			p->at += 8;
			continue;
		case TYPE_TIME_STAMP:
			p->time_ns = full_stamp(((uint64_t)next << DELTA_BITS) + delta, p->time_ns);
			p->at += 8;
			continue;
		case TYPE_LONG_DATA: /* its length includes the length word */
			if (next < 4) {
				p->broken = true;
				p->at = p->end;
				return false;
			}
			next = (next - 4 + 3) & ~3u;
			ret_event->data = at + 8;
			ret_event->size = next;
			if (!skip(p, 4 + (uint64_t)next))
				return false;
			break;
		default:
			ret_event->data = at + 4;
			ret_event->size = type * 4;
			if (!skip(p, ret_event->size))
				return false;
		}
		p->time_ns += delta;
		ret_event->time_ns = p->time_ns;
		return true;
	}
	p->at = p->end;
	return false;
}
