/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record_order: records in memory, and the order in which they are to be written.
 *
 * The i-th of nr records begins at bytes + at[i]; its size is in its header.  Nothing is owned.
 */
#ifndef PERFDATA_RECORD_ORDER_H
#define PERFDATA_RECORD_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

struct record_order {
	const uint8_t *bytes;
	const uint32_t *at;
	size_t nr;
};

static inline const uint8_t *record_order_get(const struct record_order *o, size_t i,
					      uint16_t *ret_size)
{
	const uint8_t *record = o->bytes + o->at[i];

	memcpy(ret_size, record + offsetof(struct perf_event_header, size), sizeof(*ret_size));
	return record;
}

#endif
