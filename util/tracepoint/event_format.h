/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trace: the event formats of a recording, and the positions of their fields.
 *
 * libtraceevent parses each format once. After that a field is an offset, a size and a sign (struct
 * field_place), and reading it costs a load. A print fmt that libtraceevent cannot parse does no
 * harm, because the fields come before it. The trace owns copies of the formats; the tracing data
 * may be freed.
 */
#ifndef TRACEPOINT_EVENT_FORMAT_H
#define TRACEPOINT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/bytes.h"
#include "util/base/error.h"
#include "util/tracepoint/tracing_data.h"

struct tep_handle;
struct tep_event;

struct trace {
	struct tep_handle *tep;
	uint8_t long_size;
	uint32_t page_size; /* bytes */
	bool swap;
};

enum field_kind { FIELD_ABSENT, FIELD_NUMBER, FIELD_DATA_LOC, FIELD_REL_LOC };

struct field_place {
	enum field_kind kind;
	uint32_t offset; /* bytes from the start of the raw data */
	uint8_t size;	 /* 1, 2, 4, 8 */
	bool is_signed;
};

/* Add formats. A format that cannot be parsed is skipped. Errors: -ENOMEM. */
int trace_init(struct trace *t, const struct tracing_data *td, struct error *err);
void trace_deinit(struct trace *t);

/* The event with this id (the config of its attr), or NULL. */
const struct tep_event *trace_event(const struct trace *t, uint64_t id);
const char *trace_event_system(const struct tep_event *event);
const char *trace_event_name(const struct tep_event *event);

/* The position of a field. Its kind is FIELD_ABSENT if the event has no field of that name. */
struct field_place trace_field(const struct tep_event *event, const char *name);

/*
 * The string of a __data_loc field: a u32 with the offset in its low half and the size in its high
 * half. NULL unless it ends inside the raw data.
 */
static inline const char *field_string(const struct field_place *f, const uint8_t *raw,
				       uint32_t size, bool swap)
{
	uint32_t loc = 0, offset;

	if ((uint64_t)f->offset + 4 <= size)
		loc = load_u32(raw + f->offset, swap);
	offset = loc & 0xffff;
	if (!loc || offset >= size || !memchr(raw + offset, 0, size - offset))
		return NULL;
	return (const char *)raw + offset;
}

/* The bytes of a __data_loc string, without trailing NULs. NULL and 0 bytes unless they lie inside
 * the raw data. */
static inline const char *field_bytes(const struct field_place *f, const uint8_t *raw,
				      uint32_t size, bool swap, uint32_t *ret_len)
{
	uint32_t loc = 0, offset, len;

	if ((uint64_t)f->offset + 4 <= size)
		loc = load_u32(raw + f->offset, swap);
	offset = loc & 0xffff;
	len = loc >> 16;
	*ret_len = 0;
	if (offset + len > size)
		return NULL;
	while (len && !raw[offset + len - 1])
		len--;
	*ret_len = len;
	return (const char *)raw + offset;
}

/* A number of any size, sign-extended if it is signed; 0 if it does not fit into size bytes. */
static inline uint64_t field_u64(const struct field_place *f, const uint8_t *raw, uint32_t size,
				 bool swap)
{
	if ((uint64_t)f->offset + f->size > size)
		return 0;
	raw += f->offset;
	switch (f->size) {
	case 8:
		return load_u64(raw, swap);
	case 4: {
		uint32_t v = load_u32(raw, swap);

		return f->is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
	}
	case 2: {
		uint16_t v = load_u16(raw, swap);

		return f->is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
	}
	case 1:
		return f->is_signed ? (uint64_t)(int64_t)(int8_t)raw[0] : raw[0];
	default:
		return 0;
	}
}

#endif
