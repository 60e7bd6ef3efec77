// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_dat_v7.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_HEADER 16
#define SECTION_PACKED 1

struct section {
	unsigned int id;
	bool packed;
	struct bytes bytes; /* the bytes after its header */
	uint64_t pos;	    /* position of its header */
};

/* u16 id, u16 flags, u32 description, u64 size */
static bool section_at(const struct trace_dat *t, uint64_t pos, struct section *ret)
{
	struct bytes b = trace_dat_bytes(t, pos);
	uint64_t size;

	ret->pos = pos;
	ret->id = bytes_u16(&b);
	ret->packed = bytes_u16(&b) & SECTION_PACKED;
	bytes_u32(&b);
	size = bytes_u64(&b);
	if (b.failed)
		return false;
	ret->bytes = bytes_sub(&b, size < bytes_left(&b) ? size : bytes_left(&b));
	ret->bytes.failed = false;
	return true;
}

static int keep(struct trace_dat *t, uint8_t *block, uint32_t size)
{
	uint8_t **v = reallocarray(t->unpacked, t->nr_unpacked + 1, sizeof(*v));

	if (!v) {
		free(block);
		return -ENOMEM;
	}
	t->unpacked = v;
	v[t->nr_unpacked++] = block;
	t->unpacked_bytes += size;
	return 0;
}

/* u32 size, u32 unpacked size, a block. If it cannot be unpacked, the section is empty. */
static int unpack_section(struct trace_dat *t, struct section *s)
{
	uint32_t size = bytes_u32(&s->bytes), raw_size = bytes_u32(&s->bytes);
	const uint8_t *in = bytes_take(&s->bytes, size);
	uint8_t *block = NULL;
	int ret = -EINVAL;

	if (in && raw_size && raw_size <= t->held_max - t->unpacked_bytes) {
		block = malloc(raw_size);
		if (!block)
			return -ENOMEM;
		ret = unpack_block(t->packing, in, size, block, raw_size);
	}
	if (ret) {
		trace_dat_damage(t, s->pos, !in,
				 in && raw_size && !block ? "section %u is too large when unpacked"
							  : "section %u cannot be unpacked",
				 s->id);
		free(block);
		s->bytes = bytes_make(NULL, 0, t->swap);
		s->bytes.failed = true;
		return ret == -ENOMEM ? ret : 0;
	}
	s->bytes = bytes_make(block, raw_size, t->swap);
	return keep(t, block, raw_size);
}

static int read_section(struct trace_dat *t, unsigned int id, uint64_t pos)
{
	struct section s;

	if (!section_at(t, pos, &s) || s.id != id) {
		trace_dat_damage(t, pos, pos >= t->size, "section %u is missing", id);
		return 0;
	}
	if (t->sections_read & 1u << id) {
		trace_dat_damage(t, pos, false, "section %u appears twice", id);
		return 0;
	}
	t->sections_read |= 1u << id;
	if (s.packed && unpack_section(t, &s))
		return -ENOMEM;
	switch (id) {
	case OPTION_HEADER_INFO:
		tracing_data_parse_headers(&t->formats, &s.bytes);
		break;
	case OPTION_FTRACE_EVENTS:
		if (trace_dat_read_ftrace(t, &s.bytes))
			return -ENOMEM;
		break;
	case OPTION_EVENT_FORMATS:
		if (tracing_data_parse_systems(&t->formats, &s.bytes))
			return -ENOMEM;
		break;
	case OPTION_KALLSYMS:
		trace_dat_read_kallsyms(t, &s.bytes);
		break;
	default:
		trace_dat_read_cmdlines(t, &s.bytes);
	}
	if (s.bytes.failed)
		trace_dat_damage(t, pos, true, "section %u ends early", id);
	return 0;
}

/* u64 section, name, clock, u32 page size, u32 number of CPUs, each u32 CPU, u64 offset, u64 size
 */
static int read_buffer_7(struct trace_dat *t, struct bytes *b)
{
	struct section s;
	uint64_t pos = bytes_u64(b);
	const char *name = bytes_cstr(b), *clock = bytes_cstr(b);
	uint32_t page_size = bytes_u32(b), nr = bytes_u32(b);
	bool packed;
	int ret;

	if (b->failed || !section_at(t, pos, &s) || s.id != OPTION_BUFFER) {
		trace_dat_damage(t, pos, pos >= t->size, "the buffer of an option is missing");
		return 0;
	}
	packed = s.packed;
	if (*clock && !t->clock && trace_dat_set_text(&t->clock, clock, strlen(clock)))
		return -ENOMEM;
	ret = trace_dat_add_buffer(t, name, page_size);
	if (ret == -E2BIG)
		return 0;
	for (uint32_t i = 0; ret >= 0 && i < nr; i++) {
		uint32_t cpu = bytes_u32(b);
		uint64_t at = bytes_u64(b), size = bytes_u64(b);

		if (b->failed)
			break;
		/* size does not include the number of blocks */
		if (packed && size && size <= t->size)
			size += 4;
		ret = trace_dat_add_cpu(t, cpu, at, size, packed);
	}
	return ret < 0 ? ret : 0;
}

/* *next: position of further options; 0: none */
static int read_options_7(struct trace_dat *t, struct bytes *b, uint64_t *next, struct error *err)
{
	*next = 0;
	while (bytes_left(b) && !b->failed) {
		unsigned int id = bytes_u16(b);
		uint32_t size = bytes_u32(b);
		const char *data = (const char *)b->pos;
		struct bytes option = bytes_sub(b, size);
		int ret;

		if (b->failed)
			break;
		switch (id) {
		case OPTION_DONE:
			*next = bytes_u64(&option);
			return 0;
		case OPTION_BUFFER:
			ret = read_buffer_7(t, &option);
			break;
		case OPTION_BUFFER_TEXT:
			return error_set(err, ENOTSUP,
					 "it contains the text of a latency tracer, not events");
		case OPTION_HEADER_INFO:
		case OPTION_FTRACE_EVENTS:
		case OPTION_EVENT_FORMATS:
		case OPTION_KALLSYMS:
		case OPTION_CMDLINES:
			ret = read_section(t, id, bytes_u64(&option));
			break;
		default:
			ret = trace_dat_take_option(t, id, data, size);
		}
		if (ret)
			return error_nomem(err);
	}
	return 0;
}

/*
 * Find a buffer whose option is missing because the file ends before it: the pages of all CPUs
 * follow each other. Pages of one CPU are in time order, so a step back in time starts the next
 * CPU.
 */
static int salvage_flat(struct trace_dat *t, uint64_t pos)
{
	uint32_t page_size = t->formats.page_size, cpu = 0;
	uint64_t start = pos, before = 0;

	for (; pos + 16 <= t->size; pos += page_size) {
		uint64_t time = load_u64(t->data + pos, t->swap);

		if (time < before) {
			if (trace_dat_add_cpu(t, cpu++, start, pos - start, false))
				return -ENOMEM;
			start = pos;
		}
		before = time;
	}
	return trace_dat_add_cpu(t, cpu, start, t->size - start, false);
}

/* Compressed: u32 number of blocks, each with its size. Each CPU starts at a whole page. */
static int salvage_packed(struct trace_dat *t, uint64_t pos)
{
	for (uint32_t cpu = 0; pos + 4 <= t->size; cpu++) {
		struct bytes b = trace_dat_bytes(t, pos);
		uint32_t nr = bytes_u32(&b);

		while (nr-- && !b.failed) {
			uint32_t size = bytes_u32(&b);

			bytes_u32(&b);
			bytes_take(&b, size);
		}
		if (trace_dat_add_cpu(t, cpu, pos, trace_dat_pos(t, &b) - pos, true))
			return -ENOMEM;
		if (b.failed)
			break;
		pos = (trace_dat_pos(t, &b) + t->formats.page_size - 1) &
		      ~(t->formats.page_size - 1ull);
	}
	return 0;
}

/* end: end of the readable options; a buffer's section would follow. */
static int salvage(struct trace_dat *t, uint64_t end, struct error *err)
{
	uint64_t page = t->formats.page_size, pos;
	struct section s;
	int ret;

	trace_dat_damage(t, t->size, true, "the file ends before the places of its buffers");
	if (!section_at(t, end, &s) || s.id != OPTION_BUFFER)
		return 0;
	pos = (end + SECTION_HEADER + page - 1) & ~(page - 1);
	ret = trace_dat_add_buffer(t, "", (uint32_t)page);
	if (ret >= 0)
		ret = s.packed ? salvage_packed(t, pos) : salvage_flat(t, pos);
	return ret < 0 ? error_nomem(err) : 0;
}

int trace_dat_parse_7(struct trace_dat *t, struct bytes *b, struct error *err)
{
	const char *packing = bytes_cstr(b);
	uint64_t pos, next;
	int ret;

	bytes_cstr(b); /* version of the library */
	pos = bytes_u64(b);
	if (b->failed)
		return trace_dat_error_short(t, err);
	ret = block_packing_find(packing, &t->packing, err);
	while (!ret && pos) {
		struct section s;
		uint64_t end;

		if (!section_at(t, pos, &s) || s.id != OPTION_DONE) {
			trace_dat_damage(t, pos, pos >= t->size, "there are no options");
			break;
		}
		end = trace_dat_pos(t, &s.bytes) + bytes_left(&s.bytes);
		if (s.packed && unpack_section(t, &s))
			return error_nomem(err);
		ret = read_options_7(t, &s.bytes, &next, err);
		/* offsets that go back would never end */
		if (!ret && next && (next <= pos || next >= t->size))
			return salvage(t, end, err);
		pos = next;
	}
	if (!ret && !t->formats.nr_formats)
		ret = trace_dat_error_short(t, err);
	return ret;
}
