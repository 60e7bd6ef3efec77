// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_dat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ftrace/trace_stats.h"

/* Options and sections, by trace-cmd's numbers. */
enum {
	OPTION_DONE = 0, /* in version 7: where the next options are */
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUCOUNT = 8,
	/* sections of version 7; their options say where they are */
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22,
};

#define SECTION_HEADER 16
#define SECTION_PACKED 1

/* No section with formats, symbols or names is larger when unpacked. */
#define SECTION_MAX (256u << 20)

#define TEXT_MAX 4096

static void damage(struct trace_dat *t, uint64_t pos, bool truncated, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void damage(struct trace_dat *t, uint64_t pos, bool truncated, const char *fmt, ...)
{
	va_list ap;

	t->damage.truncated |= truncated;
	if (t->damage.what[0])
		return;
	va_start(ap, fmt);
	vsnprintf(t->damage.what, sizeof(t->damage.what), fmt, ap);
	va_end(ap);
	t->damage.pos = pos;
}

static struct bytes bytes_from(const struct trace_dat *t, uint64_t pos)
{
	if (pos > t->size)
		pos = t->size;
	return bytes_make(t->data + pos, t->size - pos, t->swap);
}

static uint64_t pos_of(const struct trace_dat *t, const struct bytes *b)
{
	return (uint64_t)(b->pos - t->data);
}

/* ---- parts that both versions have ---- */

/* u32 number of formats, each u64 size, text */
static int read_ftrace_formats(struct trace_dat *t, struct bytes *b)
{
	static const char wanted[] = "name: kernel_stack\n";
	uint32_t nr = bytes_u32(b);

	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		uint64_t size = bytes_u64(b);
		const char *text = bytes_take(b, size);

		if (!text || size < sizeof(wanted) || memcmp(text, wanted, sizeof(wanted) - 1) != 0)
			continue;
		free(t->stack_format);
		t->stack_format = strndup(text, size);
		if (!t->stack_format)
			return -ENOMEM;
	}
	return 0;
}

static void read_kallsyms(struct trace_dat *t, struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	if (text)
		t->formats.kallsyms = (struct trace_text){text, size};
}

static void read_cmdlines(struct trace_dat *t, struct bytes *b)
{
	t->cmdlines = bytes_sub(b, bytes_u64(b));
}

/* The text of an option, which need not end in NUL. */
static int set_text(char **text, const char *from, size_t size)
{
	free(*text);
	*text = strndup(from, size < TEXT_MAX ? size : TEXT_MAX);
	return *text ? 0 : -ENOMEM;
}

/* The chosen one of "local global [mono] boot". */
static int read_clock(struct trace_dat *t, const char *text, size_t size)
{
	const char *start = memchr(text, '[', size), *end;

	if (!start)
		return 0;
	start++;
	end = memchr(start, ']', size - (size_t)(start - text));
	return end ? set_text(&t->clock, start, (size_t)(end - start)) : 0;
}

/* The text of per_cpu/cpuN/stats after the recording. */
static int read_stats(struct trace_dat *t, const char *text, size_t size)
{
	char *copy = strndup(text, size < TEXT_MAX ? size : TEXT_MAX);

	if (!copy)
		return -ENOMEM;
	t->nr_overrun += trace_stats_lost(copy);
	free(copy);
	return 0;
}

static int add_buffer(struct trace_dat *t, const char *name, uint32_t page_size)
{
	struct trace_dat_buffer *v;

	if (t->nr_buffers == TRACE_DAT_BUFFERS_MAX)
		return -E2BIG;
	v = reallocarray(t->buffers, t->nr_buffers + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->buffers = v;
	v[t->nr_buffers] = (struct trace_dat_buffer){strdup(name), page_size};
	return v[t->nr_buffers].name ? (int)t->nr_buffers++ : -ENOMEM;
}

/* The pages of a CPU in the buffer added last, as far as they are in the file. */
static int add_cpu(struct trace_dat *t, uint32_t cpu, uint64_t pos, uint64_t size, bool packed)
{
	size_t nr = t->nr_cpu_buffers;

	if (pos > t->size || size > t->size - pos) {
		damage(t, t->size, true, "the file ends %s the pages of CPU %" PRIu32,
		       pos < t->size ? "inside" : "before", cpu);
		size = pos < t->size ? t->size - pos : 0;
	}
	if (!size || !t->nr_buffers)
		return 0;
	if (nr == TRACE_DAT_CPUS_MAX)
		return 0;
	/* grow at powers of two */
	if (!(nr & (nr - 1))) {
		struct trace_dat_cpu *v = reallocarray(t->cpus, nr ? nr * 2 : 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->cpus = v;
	}
	t->cpus[t->nr_cpu_buffers++] = (struct trace_dat_cpu){
		.buffer = (uint32_t)t->nr_buffers - 1,
		.cpu = cpu <= INT32_MAX ? (int32_t)cpu : -1,
		.pos = pos,
		.size = size,
		.packed = packed,
	};
	return 0;
}

/* What an option says that both versions have. */
static int take_option(struct trace_dat *t, unsigned int id, const char *text, size_t size)
{
	switch (id) {
	case OPTION_CPUSTAT:
		return read_stats(t, text, size);
	case OPTION_TRACECLOCK:
		return read_clock(t, text, size);
	case OPTION_UNAME:
		return set_text(&t->uname, text, size);
	case OPTION_CPUCOUNT:
		if (size >= 4 && !t->nr_cpus)
			t->nr_cpus = load_u32(text, t->swap);
		return 0;
	default:
		return 0;
	}
}

/* ---- version 6 ---- */

/* u64 offset, u64 size, for each CPU */
static int read_cpus_6(struct trace_dat *t, struct bytes *b, uint32_t nr)
{
	for (uint32_t cpu = 0; cpu < nr && !b->failed; cpu++) {
		uint64_t pos = bytes_u64(b), size = bytes_u64(b);

		if (!b->failed && add_cpu(t, cpu, pos, size, false))
			return -ENOMEM;
	}
	return 0;
}

/* A buffer that is described by an option: at its offset are "flyrecord" and the CPUs. */
static int read_buffer_6(struct trace_dat *t, const uint8_t *option, size_t size, uint32_t nr_cpus)
{
	struct bytes b = bytes_make(option, size, t->swap), at = bytes_from(t, bytes_u64(&b));
	const char *name = bytes_cstr(&b), *kind = bytes_cstr(&at);
	int ret;

	if (!name || !kind || strcmp(kind, "flyrecord") != 0) {
		damage(t, pos_of(t, &at), !kind, "the buffer of an instance is not there");
		return 0;
	}
	ret = add_buffer(t, name, t->formats.page_size);
	if (ret == -E2BIG)
		return 0;
	return ret < 0 ? ret : read_cpus_6(t, &at, nr_cpus);
}

struct options_6 {
	struct {
		const uint8_t *data;
		uint32_t size;
		uint32_t nr_cpus;
	} buffers[TRACE_DAT_BUFFERS_MAX];
	size_t nr_buffers;
};

static int read_options_6(struct trace_dat *t, struct bytes *b, uint32_t nr_cpus,
			  struct options_6 *o)
{
	unsigned int id;

	while ((id = bytes_u16(b)) != OPTION_DONE && !b->failed) {
		uint32_t size = bytes_u32(b);
		const uint8_t *data = bytes_take(b, size);

		if (!data)
			break;
		if (id == OPTION_BUFFER && o->nr_buffers < TRACE_DAT_BUFFERS_MAX) {
			o->buffers[o->nr_buffers].data = data;
			o->buffers[o->nr_buffers].size = size;
			o->buffers[o->nr_buffers++].nr_cpus = nr_cpus;
		}
		/* that of the buffer before it */
		if (id == OPTION_CPUCOUNT && o->nr_buffers && size >= 4)
			o->buffers[o->nr_buffers - 1].nr_cpus = load_u32(data, t->swap);
		if (take_option(t, id, (const char *)data, size))
			return -ENOMEM;
	}
	return 0;
}

static int read_buffers_6(struct trace_dat *t, struct bytes *b, uint32_t nr_cpus,
			  struct options_6 *o, struct error *err)
{
	const char *kind = bytes_take(b, 10);

	if (kind && !memcmp(kind, "options  ", 10)) {
		if (read_options_6(t, b, nr_cpus, o))
			return error_nomem(err);
		kind = bytes_take(b, 10);
	}
	if (kind && !memcmp(kind, "latency  ", 10))
		return error_set(err, ENOTSUP, "it holds the text of a latency tracer, not events");
	if (!kind || memcmp(kind, "flyrecord", 10) != 0) {
		damage(t, pos_of(t, b), b->failed, "the places of its buffers are not there");
		return 0;
	}
	if (add_buffer(t, "", t->formats.page_size) < 0 || read_cpus_6(t, b, nr_cpus))
		return error_nomem(err);
	for (size_t i = 0; i < o->nr_buffers; i++)
		if (read_buffer_6(t, o->buffers[i].data, o->buffers[i].size, o->buffers[i].nr_cpus))
			return error_nomem(err);
	return 0;
}

static int error_short(const struct trace_dat *t, struct error *err)
{
	return error_set(err, EIO, "it ends at offset 0x%" PRIx64 ", before its events", t->size);
}

static int parse_6(struct trace_dat *t, struct bytes *b, struct error *err)
{
	struct options_6 *options;
	uint32_t nr_cpus;
	int ret;

	tracing_data_parse_headers(&t->formats, b);
	if (read_ftrace_formats(t, b) || tracing_data_parse_systems(&t->formats, b))
		return error_nomem(err);
	read_kallsyms(t, b);
	bytes_take(b, bytes_u32(b)); /* printk formats */
	read_cmdlines(t, b);
	nr_cpus = t->nr_cpus = bytes_u32(b);
	if (b->failed)
		return error_short(t, err);
	options = calloc(1, sizeof(*options));
	if (!options)
		return error_nomem(err);
	ret = read_buffers_6(t, b, nr_cpus, options, err);
	free(options);
	return ret;
}

/* ---- version 7 ---- */

struct section {
	unsigned int id;
	bool packed;
	struct bytes bytes; /* what follows its header */
	uint64_t pos;	    /* of its header */
};

/* u16 id, u16 flags, u32 description, u64 size */
static bool section_at(const struct trace_dat *t, uint64_t pos, struct section *ret)
{
	struct bytes b = bytes_from(t, pos);
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

static int keep(struct trace_dat *t, uint8_t *block)
{
	uint8_t **v = reallocarray(t->unpacked, t->nr_unpacked + 1, sizeof(*v));

	if (!v) {
		free(block);
		return -ENOMEM;
	}
	t->unpacked = v;
	v[t->nr_unpacked++] = block;
	return 0;
}

/* u32 size, u32 size when unpacked, a block. What cannot be unpacked is empty. */
static int unpack_section(struct trace_dat *t, struct section *s)
{
	uint32_t size = bytes_u32(&s->bytes), raw_size = bytes_u32(&s->bytes);
	const uint8_t *in = bytes_take(&s->bytes, size);
	uint8_t *block = NULL;
	int ret = -EINVAL;

	if (in && raw_size && raw_size <= SECTION_MAX) {
		block = malloc(raw_size);
		if (!block)
			return -ENOMEM;
		ret = unpack_block(t->packing, in, size, block, raw_size);
	}
	if (ret) {
		free(block);
		damage(t, s->pos, !in, "section %u cannot be unpacked", s->id);
		s->bytes = bytes_make(NULL, 0, t->swap);
		s->bytes.failed = true;
		return ret == -ENOMEM ? ret : 0;
	}
	s->bytes = bytes_make(block, raw_size, t->swap);
	return keep(t, block);
}

static int read_section(struct trace_dat *t, unsigned int id, uint64_t pos)
{
	struct section s;

	if (!section_at(t, pos, &s) || s.id != id) {
		damage(t, pos, pos >= t->size, "section %u is not there", id);
		return 0;
	}
	if (s.packed && unpack_section(t, &s))
		return -ENOMEM;
	switch (id) {
	case OPTION_HEADER_INFO:
		tracing_data_parse_headers(&t->formats, &s.bytes);
		break;
	case OPTION_FTRACE_EVENTS:
		if (read_ftrace_formats(t, &s.bytes))
			return -ENOMEM;
		break;
	case OPTION_EVENT_FORMATS:
		if (tracing_data_parse_systems(&t->formats, &s.bytes))
			return -ENOMEM;
		break;
	case OPTION_KALLSYMS:
		read_kallsyms(t, &s.bytes);
		break;
	default:
		read_cmdlines(t, &s.bytes);
	}
	if (s.bytes.failed)
		damage(t, pos, true, "section %u ends early", id);
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
		damage(t, pos, pos >= t->size, "the buffer of an option is not there");
		return 0;
	}
	packed = s.packed;
	if (*clock && !t->clock && set_text(&t->clock, clock, strlen(clock)))
		return -ENOMEM;
	ret = add_buffer(t, name, page_size);
	if (ret == -E2BIG)
		return 0;
	for (uint32_t i = 0; ret >= 0 && i < nr; i++) {
		uint32_t cpu = bytes_u32(b);
		uint64_t at = bytes_u64(b), size = bytes_u64(b);

		if (b->failed)
			break;
		/* the number of blocks is not counted */
		if (packed && size && size <= t->size)
			size += 4;
		ret = add_cpu(t, cpu, at, size, packed);
	}
	return ret < 0 ? ret : 0;
}

/* *next: where more options are, 0: nowhere */
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
					 "it holds the text of a latency tracer, not events");
		case OPTION_HEADER_INFO:
		case OPTION_FTRACE_EVENTS:
		case OPTION_EVENT_FORMATS:
		case OPTION_KALLSYMS:
		case OPTION_CMDLINES:
			ret = read_section(t, id, bytes_u64(&option));
			break;
		default:
			ret = take_option(t, id, data, size);
		}
		if (ret)
			return error_nomem(err);
	}
	return 0;
}

/*
 * A buffer whose option is missing because the file ends before it: the pages of all CPUs follow
 * each other.  Within a CPU they are in time order, so a step back in time begins the next one.
 */
static int salvage_flat(struct trace_dat *t, uint64_t pos)
{
	uint32_t page_size = t->formats.page_size, cpu = 0;
	uint64_t start = pos, before = 0;

	for (; pos + 16 <= t->size; pos += page_size) {
		uint64_t time = load_u64(t->data + pos, t->swap);

		if (time < before) {
			if (add_cpu(t, cpu++, start, pos - start, false))
				return -ENOMEM;
			start = pos;
		}
		before = time;
	}
	return add_cpu(t, cpu, start, t->size - start, false);
}

/* Compressed: u32 number of blocks, each with its size; a CPU begins at the next whole page. */
static int salvage_packed(struct trace_dat *t, uint64_t pos)
{
	for (uint32_t cpu = 0; pos + 4 <= t->size; cpu++) {
		struct bytes b = bytes_from(t, pos);
		uint32_t nr = bytes_u32(&b);

		while (nr-- && !b.failed) {
			uint32_t size = bytes_u32(&b);

			bytes_u32(&b);
			bytes_take(&b, size);
		}
		if (add_cpu(t, cpu, pos, pos_of(t, &b) - pos, true))
			return -ENOMEM;
		if (b.failed)
			break;
		pos = (pos_of(t, &b) + t->formats.page_size - 1) & ~(t->formats.page_size - 1ull);
	}
	return 0;
}

/* end: where the options that could be read ended; a buffer's section would be behind. */
static int salvage(struct trace_dat *t, uint64_t end, struct error *err)
{
	uint64_t page = t->formats.page_size, pos;
	struct section s;
	int ret;

	damage(t, t->size, true, "the file ends before it says where its buffers are");
	if (!section_at(t, end, &s) || s.id != OPTION_BUFFER)
		return 0;
	pos = (end + SECTION_HEADER + page - 1) & ~(page - 1);
	ret = add_buffer(t, "", (uint32_t)page);
	if (ret >= 0)
		ret = s.packed ? salvage_packed(t, pos) : salvage_flat(t, pos);
	return ret < 0 ? error_nomem(err) : 0;
}

static int parse_7(struct trace_dat *t, struct bytes *b, struct error *err)
{
	const char *packing = bytes_cstr(b);
	uint64_t pos, next;
	int ret;

	bytes_cstr(b); /* version of the library */
	pos = bytes_u64(b);
	if (b->failed)
		return error_short(t, err);
	ret = block_packing_find(packing, &t->packing, err);
	while (!ret && pos) {
		struct section s;
		uint64_t end;

		if (!section_at(t, pos, &s) || s.id != OPTION_DONE) {
			damage(t, pos, pos >= t->size, "there are no options");
			break;
		}
		end = pos_of(t, &s.bytes) + bytes_left(&s.bytes);
		if (s.packed && unpack_section(t, &s))
			return error_nomem(err);
		ret = read_options_7(t, &s.bytes, &next, err);
		/* offsets that go back would go on for ever */
		if (!ret && next && (next <= pos || next >= t->size))
			return salvage(t, end, err);
		pos = next;
	}
	if (!ret && !t->formats.nr_formats)
		ret = error_short(t, err);
	return ret;
}

/* ---- the beginning ---- */

bool trace_dat_is(const uint8_t *head, size_t size)
{
	static const char magic[] = TRACE_DAT_MAGIC;

	return size >= sizeof(magic) && !memcmp(head, magic, sizeof(magic) - 1);
}

int trace_dat_parse(struct trace_dat *t, const uint8_t *data, uint64_t size, struct error *err)
{
	struct bytes b;
	const char *version;

	*t = (struct trace_dat){.data = data, .size = size};
	if (!trace_dat_is(data, size))
		return error_set(err, EINVAL, "it does not begin as a trace.dat");
	b = bytes_from(t, sizeof(TRACE_DAT_MAGIC) - 1);
	version = bytes_cstr(&b);
	t->formats.big_endian = bytes_u8(&b) != 0;
	t->formats.long_size = bytes_u8(&b);
	b.swap = t->swap = t->formats.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->formats.page_size = bytes_u32(&b);
	if (b.failed || !version)
		return error_short(t, err);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return error_set(err, ENOTSUP,
				 "it has version '%.16s' of the format; 6 and 7 are known",
				 version);
	if (t->formats.long_size != 4 && t->formats.long_size != 8)
		return error_set(err, EINVAL, "it says that a long has %u bytes",
				 t->formats.long_size);
	if (!tracing_page_size_valid(t->formats.page_size))
		return error_set(err, EINVAL, "it says that a page has %" PRIu32 " bytes",
				 t->formats.page_size);
	t->version = (unsigned int)(version[0] - '0');
	return t->version == 6 ? parse_6(t, &b, err) : parse_7(t, &b, err);
}

void trace_dat_deinit(struct trace_dat *t)
{
	for (size_t i = 0; i < t->nr_buffers; i++)
		free(t->buffers[i].name);
	for (size_t i = 0; i < t->nr_unpacked; i++)
		free(t->unpacked[i]);
	free(t->buffers);
	free(t->cpus);
	free(t->unpacked);
	free(t->stack_format);
	free(t->uname);
	free(t->clock);
	tracing_data_deinit(&t->formats);
	*t = (struct trace_dat){0};
}
