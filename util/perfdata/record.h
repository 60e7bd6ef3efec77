/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record: one record of the data, with checked bounds.
 *
 * A record is a header of 8 bytes (u32 type, u16 misc, u16 size including the header), then fields.
 * TRACING_DATA and AUXTRACE are followed by bytes that `size` does not include; `total` does.
 */
#ifndef PERFDATA_RECORD_H
#define PERFDATA_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/bytes.h"

#define RECORD_HEADER_SIZE 8

struct record {
	uint64_t pos; /* position in the recording */
	const uint8_t *data;
	uint64_t total; /* number of bytes to the next record */
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

enum record_status {
	RECORD_OK,
	RECORD_SHORT, /* longer than the available bytes; its length is in `total` */
	RECORD_BAD,   /* this cannot be a record */
};

/* Read the header of the record that starts at data, with `left` bytes available. */
static inline enum record_status record_peek(const uint8_t *data, uint64_t left, bool swap,
					     struct record *ret_record);

/* "SAMPLE"; "unknown" for types without a name. */
const char *record_type_name(uint32_t type);

bool record_type_known(uint32_t type);

/* record_peek() for all but complete samples. */
enum record_status record_peek_any(const uint8_t *data, uint64_t left, bool swap,
				   struct record *ret_record);

/* Nearly all records are samples: handle them without a call. */
static inline enum record_status record_peek(const uint8_t *data, uint64_t left, bool swap,
					     struct record *ret_record)
{
	if (left >= RECORD_HEADER_SIZE && load_u32(data, swap) == PERF_RECORD_SAMPLE) {
		uint16_t size = load_u16(data + 6, swap);

		*ret_record = (struct record){.data = data,
					      .total = size,
					      .type = PERF_RECORD_SAMPLE,
					      .misc = load_u16(data + 4, swap),
					      .size = size};
		if (size >= RECORD_HEADER_SIZE && size <= left)
			return RECORD_OK;
	}
	return record_peek_any(data, left, swap, ret_record);
}

#endif
