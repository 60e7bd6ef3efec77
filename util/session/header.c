// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/header.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/log.h"

#define MAX_EVENTS 65535u /* an event's number must fit into an order tag */

static bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static bool has_feature(const uint64_t *features, unsigned int bit)
{
	return features[bit / 64] >> (bit % 64) & 1;
}

/*
 * The feature bits are an array of unsigned long of the recording machine: on a 32-bit big-endian
 * machine, the halves of each u64 are swapped. Every recorder sets HOSTNAME, so its bit shows the
 * order.
 */
static void load_features(struct recording *r, struct bytes *b, struct perfdata_layout *l)
{
	size_t nr = sizeof(l->features) / sizeof(l->features[0]);

	for (size_t i = 0; i < nr; i++)
		l->features[i] = bytes_u64(b);
	if (!r->facts.big_endian || has_feature(l->features, HEADER_HOSTNAME))
		return;
	if (l->features[0] >> (HEADER_HOSTNAME + 32) & 1)
		for (size_t i = 0; i < nr; i++)
			l->features[i] = l->features[i] >> 32 | l->features[i] << 32;
}

/*
 * An unfinished recording has data.size 0, with or without feature bits. So has a recording without
 * records (the `data` of a directory). The latter has its feature table where the data would be,
 * and the table's first entry starts at the end of the table.
 */
static bool is_unfinished(const struct recording *r, const uint8_t *data, uint64_t len,
			  uint64_t data_offset, const struct perfdata_layout *l)
{
	uint64_t nr = 0;

	for (unsigned int bit = 0; bit < PERFDATA_FEATURE_BITS; bit++)
		nr += has_feature(l->features, bit);
	return !nr || data_offset > len ||
	       len - data_offset < nr * sizeof(struct perfdata_section) ||
	       load_u64(data + data_offset, r->swap) !=
		       data_offset + nr * sizeof(struct perfdata_section);
}

static int parse_file_header(struct recording *r, struct bytes *b, uint64_t file_size,
			     struct perfdata_layout *l, struct error *err)
{
	struct bytes h = *b;
	uint64_t header_size, attr_size, attrs_offset, attrs_size, data_offset, data_size;

	bytes_take(&h, 8);
	header_size = bytes_u64(&h);
	attr_size = bytes_u64(&h);
	attrs_offset = bytes_u64(&h);
	attrs_size = bytes_u64(&h);
	data_offset = bytes_u64(&h);
	data_size = bytes_u64(&h);
	bytes_take(&h, sizeof(struct perfdata_section)); /* event types, unused */
	if (!h.failed && header_size < PERFDATA_HEADER_SIZE_MIN)
		return error_set(err, EINVAL,
				 "the header size at offset 0x8 is %" PRIu64
				 " bytes; at least %d bytes are required",
				 header_size, PERFDATA_HEADER_SIZE_MIN);
	if (!h.failed && header_size >= PERFDATA_HEADER_SIZE)
		load_features(r, &h, l);
	if (h.failed)
		return error_set(err, EINVAL,
				 "the file ends inside its header, at offset 0x%" PRIx64,
				 file_size);
	if (attr_size < ATTR_SIZE_VER0 + sizeof(struct perfdata_section) || attr_size > 65536)
		return error_set(err, EINVAL,
				 "an entry of the event table has %" PRIu64 " bytes at offset 0x10",
				 attr_size);
	if (attrs_offset > file_size || attrs_size > file_size - attrs_offset)
		return error_set(err, EINVAL,
				 "the event table (offset 0x%" PRIx64 ", %" PRIu64
				 " bytes) lies outside the file",
				 attrs_offset, attrs_size);
	if (data_offset > file_size || data_offset < header_size)
		return error_set(err, EINVAL,
				 "the data (offset 0x%" PRIx64 ") lies outside the file",
				 data_offset);
	l->data_start = data_offset;
	l->data_size_said = data_size;
	l->unfinished = data_size == 0 && is_unfinished(r, b->pos, bytes_left(b), data_offset, l);
	if (l->unfinished || data_size > file_size - data_offset)
		l->data_end = file_size;
	else
		l->data_end = data_offset + data_size;
	l->feature_table = data_offset + data_size;
	if (l->unfinished || l->feature_table > file_size || l->feature_table < data_offset) {
		memset(l->features, 0, sizeof(l->features));
		l->feature_table = file_size;
	}
	return 0;
}

bool header_is_perfdata(const uint8_t *data, size_t len)
{
	static const uint64_t magics[] = {PERFDATA_MAGIC, PERFDATA_MAGIC_V1};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]) && len >= sizeof(magics[0]); i++)
		if (load_u64(data, false) == magics[i] || load_u64(data, true) == magics[i])
			return true;
	return false;
}

bool header_is_file(const uint8_t *data)
{
	bool swap = load_u64(data, true) == PERFDATA_MAGIC;

	return (swap || load_u64(data, false) == PERFDATA_MAGIC) &&
	       load_u64(data + 8, swap) != PERFDATA_PIPE_HEADER_SIZE;
}

int header_parse(struct recording *r, const uint8_t *data, uint64_t len, uint64_t file_size,
		 struct perfdata_layout *ret_layout, struct error *err)
{
	struct perfdata_layout l = {0};
	struct bytes b;
	uint64_t magic;

	if (!len)
		return error_set(err, EINVAL, "it is empty: the recorder wrote nothing");
	if (len < PERFDATA_PIPE_HEADER_SIZE)
		return error_set(err, EINVAL,
				 "it ends at offset 0x%" PRIx64 ", too few bytes for a perf.data",
				 len);
	magic = load_u64(data, false);
	if (magic != PERFDATA_MAGIC && magic != PERFDATA_MAGIC_V1) {
		magic = __builtin_bswap64(magic);
		r->swap = true;
	}
	if (magic == PERFDATA_MAGIC_V1)
		return error_set(err, ENOTSUP,
				 "a perf.data of version 1 (PERFFILE at offset 0x0, before 2.6.38) "
				 "is not supported");
	if (magic != PERFDATA_MAGIC)
		return error_set(
			err, EINVAL,
			"this is not a perf.data: the 8 bytes at offset 0x0 are not PERFILE2");
	r->facts.big_endian = host_is_big_endian() != r->swap;
	b = bytes_make(data, len, r->swap);
	l.pipe = load_u64(data + 8, r->swap) == PERFDATA_PIPE_HEADER_SIZE;
	if (!l.pipe) {
		int ret = parse_file_header(r, &b, file_size, &l, err);

		if (ret)
			return ret;
	}
	*ret_layout = l;
	return 0;
}

/*
 * The section after each attr has the offset and size of its ids. All events together cannot have
 * more ids than fit in the file: *budget is the number of bytes left.
 */
static int read_ids(struct recording *r, const uint8_t *file, uint64_t file_size,
		    struct bytes *section, uint32_t event, uint64_t *budget)
{
	uint64_t offset = bytes_u64(section), size = bytes_u64(section);
	struct bytes ids;

	if (section->failed || offset > file_size || size > file_size - offset || size % 8 ||
	    size > *budget) {
		recording_damage(r, offset, "the ids of event %u lie outside the file", event);
		return 0;
	}
	*budget -= size;
	ids = bytes_make(file + offset, size, r->swap);
	while (bytes_left(&ids)) {
		int ret = recording_add_id(r, bytes_u64(&ids), event);

		if (ret)
			return ret;
	}
	return 0;
}

int header_read_attrs(struct recording *r, const uint8_t *file, uint64_t file_size,
		      struct error *err)
{
	struct bytes h = bytes_make(file, file_size, r->swap), table;
	uint64_t attr_size, offset, size, ids_budget = file_size;

	bytes_take(&h, 16);
	attr_size = bytes_u64(&h);
	offset = bytes_u64(&h);
	size = bytes_u64(&h);
	table = bytes_make(file + offset, size, r->swap);
	while (bytes_left(&table) >= attr_size) {
		struct event_attr attr;
		uint64_t at = (uint64_t)(table.pos - file);
		struct bytes entry = bytes_sub(&table, attr_size);
		int ret;

		if (r->facts.nr_events == MAX_EVENTS)
			return error_set(err, EINVAL,
					 "more than %u events, in a table at offset 0x%" PRIx64,
					 MAX_EVENTS, offset);
		ret = attr_parse(&entry, attr_size - sizeof(struct perfdata_section),
				 r->facts.big_endian, &attr, err);
		if (ret)
			return error_prefix(err, "event %zu at offset 0x%" PRIx64,
					    r->facts.nr_events, at);
		if (!recording_add_event(r, &attr) ||
		    read_ids(r, file, file_size, &entry, (uint32_t)r->facts.nr_events - 1,
			     &ids_budget))
			return error_nomem(err);
	}
	return 0;
}

int header_for_each_feature(struct recording *r, const uint8_t *file, uint64_t file_size,
			    const struct perfdata_layout *layout,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx)
{
	struct bytes table = bytes_make(file + layout->feature_table,
					file_size - layout->feature_table, r->swap);

	for (unsigned int bit = 0; bit < PERFDATA_FEATURE_BITS; bit++) {
		uint64_t offset, size;
		int ret;

		if (!has_feature(layout->features, bit))
			continue;
		offset = bytes_u64(&table);
		size = bytes_u64(&table);
		if (table.failed || offset > file_size || size > file_size - offset) {
			r->facts.damage.truncated = true;
			recording_damage(r, offset,
					 "the section of feature %u lies outside the file", bit);
			continue;
		}
		ret = fn(ctx, bit, bytes_make(file + offset, size, r->swap));
		if (ret)
			return ret;
	}
	return 0;
}
