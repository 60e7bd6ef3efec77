// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/tracing_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/base/log.h"

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

/* "header_page" or "header_event" with its NUL, u64 size, text. */
static struct trace_text get_header(struct bytes *b, const char *name)
{
	const char *s = bytes_cstr(b);

	if (!s || strcmp(s, name))
		b->failed = true;
	return get_text(b, bytes_u64(b));
}

void tracing_data_parse_headers(struct tracing_data *t, struct bytes *b)
{
	t->header_page = get_header(b, "header_page");
	t->header_event = get_header(b, "header_event");
}

int tracing_data_parse_systems(struct tracing_data *t, struct bytes *b)
{
	uint32_t nr_systems = bytes_u32(b);

	for (uint32_t s = 0; s < nr_systems && !b->failed; s++) {
		const char *system = bytes_cstr(b);
		bool long_name = system && strlen(system) >= TRACE_NAME_MAX;
		uint32_t nr = bytes_u32(b);

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

struct trace_text tracing_data_kallsyms(const char *text, size_t size)
{
	const char *end;

	if (!text || size <= TRACE_KALLSYMS_MAX)
		return (struct trace_text){.text = text, .len = text ? size : 0};
	log_warn("the recording has more symbols than any kernel: the first %u MiB are read",
		 TRACE_KALLSYMS_MAX >> 20);
	end = memrchr(text, '\n', TRACE_KALLSYMS_MAX);
	return (struct trace_text){.text = text, .len = end ? (size_t)(end + 1 - text) : 0};
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
	uint32_t nr;

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
	tracing_data_parse_headers(t, &b);
	/* ftrace's own events, which we do not use */
	nr = bytes_u32(&b);
	for (uint32_t i = 0; i < nr && !b.failed; i++)
		bytes_take(&b, bytes_u64(&b));
	if (tracing_data_parse_systems(t, &b)) {
		tracing_data_deinit(t);
		return error_nomem(err);
	}
	nr = bytes_u32(&b);
	t->kallsyms = tracing_data_kallsyms(bytes_take(&b, nr), nr);
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

static void add_u8(struct strbuf *out, uint8_t v)
{
	strbuf_add(out, &v, sizeof(v));
}

static void add_u32(struct strbuf *out, uint32_t v)
{
	strbuf_add(out, &v, sizeof(v));
}

static void add_text(struct strbuf *out, const struct trace_text *text)
{
	uint64_t len = text->len;

	strbuf_add(out, &len, sizeof(len));
	strbuf_add(out, text->text, text->len);
}

static void add_header(struct strbuf *out, const char *name, const struct trace_text *text)
{
	strbuf_add(out, name, strlen(name) + 1);
	add_text(out, text);
}

/* Whether this format is the first of its system. */
static bool starts_system(const struct tracing_data *t, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(t->formats[j].system, t->formats[i].system))
			return false;
	return true;
}

static void add_system(struct strbuf *out, const struct tracing_data *t, const char *system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < t->nr_formats; i++)
		nr += !strcmp(t->formats[i].system, system);
	strbuf_add(out, system, strlen(system) + 1);
	add_u32(out, nr);
	for (size_t i = 0; i < t->nr_formats; i++)
		if (!strcmp(t->formats[i].system, system))
			add_text(out, &t->formats[i].text);
}

int tracing_data_write(struct strbuf *out, const struct tracing_data *t)
{
	uint32_t nr_systems = 0;

	strbuf_add(out, TRACING_DATA_MAGIC, sizeof(TRACING_DATA_MAGIC) - 1);
	strbuf_add(out, "0.6", 4);
	add_u8(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	add_u8(out, t->long_size);
	add_u32(out, t->page_size);
	add_header(out, "header_page", &t->header_page);
	add_header(out, "header_event", &t->header_event);
	add_u32(out, 0); /* ftrace's own events */
	for (size_t i = 0; i < t->nr_formats; i++)
		nr_systems += starts_system(t, i);
	add_u32(out, nr_systems);
	for (size_t i = 0; i < t->nr_formats; i++)
		if (starts_system(t, i))
			add_system(out, t, t->formats[i].system);
	add_u32(out, (uint32_t)t->kallsyms.len);
	strbuf_add(out, t->kallsyms.text, t->kallsyms.len);
	add_u32(out, 0); /* printk formats: used by ftrace's bprint only */
	strbuf_add(out, &(uint64_t){0},
		   sizeof(uint64_t)); /* saved cmdlines: COMM records replace them */
	return out->failed ? -ENOMEM : 0;
}
