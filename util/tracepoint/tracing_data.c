// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/tracing_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"

static struct trace_text get_text(struct bytes *b, uint64_t size)
{
	const char *p = bytes_take(b, size);

	return (struct trace_text){.text = p, .len = p ? size : 0};
}

static int add_format(struct tracing_data *t, const char *system, struct trace_text text)
{
	/* grow at powers of two */
	if (!(t->nr_formats & (t->nr_formats - 1))) {
		size_t cap = t->nr_formats ? t->nr_formats * 2 : 1;
		struct trace_format *v = reallocarray(t->formats, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->formats = v;
	}
	t->formats[t->nr_formats++] = (struct trace_format){.system = system, .text = text};
	return 0;
}

/* "header_page" or "header_event" with its NUL, u64 size, text: stepped over. */
static void skip_header(struct bytes *b, const char *name)
{
	const char *s = bytes_cstr(b);

	if (!s || strcmp(s, name))
		b->failed = true;
	bytes_take(b, bytes_u64(b));
}

static int parse_formats(struct tracing_data *t, struct bytes *b)
{
	uint32_t nr = bytes_u32(b), nr_systems;

	/* ftrace's own events: no event of ours is among them */
	for (uint32_t i = 0; i < nr && !b->failed; i++)
		bytes_take(b, bytes_u64(b));
	nr_systems = bytes_u32(b);
	for (uint32_t s = 0; s < nr_systems && !b->failed; s++) {
		const char *system = bytes_cstr(b);
		bool long_name = system && strlen(system) >= TRACE_NAME_MAX;

		nr = bytes_u32(b);
		for (uint32_t i = 0; i < nr && !b->failed; i++) {
			struct trace_text text = get_text(b, bytes_u64(b));

			if (b->failed)
				break;
			if (t->nr_formats == TRACE_FORMATS_MAX || long_name)
				t->nr_left_out++;
			else if (add_format(t, system, text))
				return -ENOMEM;
		}
	}
	return 0;
}

bool tracing_page_size_valid(uint32_t bytes)
{
	return !(bytes & (bytes - 1)) && bytes >= 1024 && bytes <= 1u << 18;
}

int tracing_data_parse(struct tracing_data *t, const uint8_t *data, size_t size, struct error *err)
{
	static const char magic[] = TRACING_DATA_MAGIC;
	struct bytes b = bytes_make(data, size, false);
	const char *version;
	const void *p = bytes_take(&b, sizeof(magic) - 1);

	*t = (struct tracing_data){0};
	if (!p || memcmp(p, magic, sizeof(magic) - 1))
		return error_set(err, EINVAL, "the tracing data do not begin with their magic");
	version = bytes_cstr(&b);
	t->big_endian = bytes_u8(&b) != 0;
	t->long_size = bytes_u8(&b);
	b.swap = t->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->page_size = bytes_u32(&b);
	if (b.failed || !version)
		return error_set(err, EINVAL, "the tracing data end inside their header");
	if (t->long_size != 4 && t->long_size != 8)
		return error_set(err, EINVAL, "the tracing data say that a long has %u bytes",
				 t->long_size);
	if (!tracing_page_size_valid(t->page_size))
		return error_set(err, EINVAL, "the tracing data say that a page has %u bytes",
				 t->page_size);
	skip_header(&b, "header_page");
	skip_header(&b, "header_event");
	if (parse_formats(t, &b)) {
		tracing_data_deinit(t);
		return error_nomem(err);
	}
	t->kallsyms = get_text(&b, bytes_u32(&b));
	t->truncated = b.failed;
	return 0;
}

void tracing_data_deinit(struct tracing_data *t)
{
	for (size_t i = 0; t->texts && i < t->nr_formats; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->formats);
	*t = (struct tracing_data){0};
}
