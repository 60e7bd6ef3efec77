// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/tracing_data.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/perfdata/format.h"
#include "util/tracepoint/tracing_data.h"

#define EARLY_CHUNK 32768 /* limited by the u16 record size */

static void add_u8(struct strbuf *out, uint8_t v)
{
	strbuf_add(out, &v, sizeof(v));
}

static void add_u32(struct strbuf *out, uint32_t v)
{
	strbuf_add(out, &v, sizeof(v));
}

static void add_u64(struct strbuf *out, uint64_t v)
{
	strbuf_add(out, &v, sizeof(v));
}

static int add_header_file(struct strbuf *out, const struct tracefs *t, const char *name,
			   struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = tracefs_header_file(t, name, &text, err);

	if (!ret) {
		strbuf_add(out, name, strlen(name) + 1);
		add_u64(out, text.len);
		strbuf_add(out, text.buf, text.len);
	}
	strbuf_deinit(&text);
	return ret;
}

/* Is this evsel the first of its system? */
static bool starts_system(const struct evlist *l, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(l->evsels[j].system, l->evsels[i].system))
			return false;
	return true;
}

static void add_system(struct strbuf *out, const struct evlist *l, const char *system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += !strcmp(l->evsels[i].system, system);
	strbuf_add(out, system, strlen(system) + 1);
	add_u32(out, nr);
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];

		if (strcmp(e->system, system))
			continue;
		add_u64(out, e->format.len);
		strbuf_add(out, e->format.buf, e->format.len);
	}
}

int tracing_data_make(struct strbuf *out, const struct tracefs *t, const struct evlist *l,
		      const struct strbuf *kallsyms, struct error *err)
{
	uint32_t nr_systems = 0;
	int ret;

	strbuf_add(out, TRACING_DATA_MAGIC, sizeof(TRACING_DATA_MAGIC) - 1);
	strbuf_add(out, "0.6", 4);
	add_u8(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	add_u8(out, sizeof(long));
	add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	ret = add_header_file(out, t, "header_page", err);
	if (!ret)
		ret = add_header_file(out, t, "header_event", err);
	if (ret)
		return ret;
	add_u32(out, 0); /* ftrace's own events */
	for (size_t i = 0; i < l->nr; i++)
		nr_systems += starts_system(l, i);
	add_u32(out, nr_systems);
	for (size_t i = 0; i < l->nr; i++)
		if (starts_system(l, i))
			add_system(out, l, l->evsels[i].system);
	add_u32(out, (uint32_t)kallsyms->len);
	strbuf_add(out, kallsyms->buf, kallsyms->len);
	add_u32(out, 0); /* printk formats: ftrace's bprint only */
	add_u64(out, 0); /* saved cmdlines: the COMM records have them */
	return out->failed ? error_nomem(err) : 0;
}

/* One record of type 65: these bytes of a stream. */
static void add_early_record(struct strbuf *out, uint32_t kind, const char *bytes, size_t len,
			     size_t offset, size_t total)
{
	static const char zeros[PERFDATA_EARLY_SIZE_MIN];
	size_t size = (sizeof(struct perfdata_early) + len + 7) / 8 * 8;
	struct perfdata_early r = {
		.header.type = PERF_RECORD_HEADER_EVENT_TYPE,
		.magic = PERFDATA_EARLY_MAGIC,
		.kind = kind,
		.offset = (uint32_t)offset,
		.total = (uint32_t)total,
		.size = (uint32_t)len,
	};

	if (size < PERFDATA_EARLY_SIZE_MIN)
		size = PERFDATA_EARLY_SIZE_MIN;
	r.header.size = (uint16_t)size;
	strbuf_add(out, &r, sizeof(r));
	strbuf_add(out, bytes, len);
	strbuf_add(out, zeros, size - sizeof(r) - len);
}

int tracing_data_early_records(struct strbuf *out, const struct strbuf *tracing_data)
{
	for (size_t at = 0; at < tracing_data->len; at += EARLY_CHUNK) {
		size_t len = tracing_data->len - at;

		add_early_record(out, HEADER_TRACING_DATA, tracing_data->buf + at,
				 len < EARLY_CHUNK ? len : EARLY_CHUNK, at, tracing_data->len);
	}
	return out->failed ? -ENOMEM : 0;
}

int early_info_records(struct strbuf *out, const struct strbuf *info)
{
	for (size_t start = 0; start < info->len;) {
		const char *text = info->buf + start, *end;
		size_t len = info->len - start;

		/* whole lines, so that each record can be read by itself; a line that is too long
		 * is omitted */
		if (len > EARLY_CHUNK) {
			end = memrchr(text, '\n', EARLY_CHUNK);
			if (!end) {
				end = memchr(text, '\n', len);
				start += end ? (size_t)(end - text) + 1 : len;
				continue;
			}
			len = (size_t)(end - text) + 1;
		}
		add_early_record(out, HEADER_RECORDING_INFO, text, len, 0, len);
		start += len;
	}
	return out->failed ? -ENOMEM : 0;
}
