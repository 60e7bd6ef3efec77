// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/feature_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRING_ALIGN 64	   /* stock pads strings to a multiple of this */
#define EARLY_CHUNK  32768 /* limited by the u16 record size */

static void strbuf_add_zeros(struct strbuf *sb, size_t nr)
{
	while (nr--)
		strbuf_addch(sb, '\0');
}

void perfdata_features_deinit(struct perfdata_features *f)
{
	for (size_t i = 0; i < f->nr; i++)
		strbuf_deinit(&f->v[i].bytes);
	free(f->v);
	*f = (struct perfdata_features)PERFDATA_FEATURES_INIT;
}

struct strbuf *perfdata_features_set(struct perfdata_features *f, unsigned int bit)
{
	struct perfdata_feature_bytes *v;
	size_t at = 0;

	while (at < f->nr && f->v[at].bit < bit)
		at++;
	if (at < f->nr && f->v[at].bit == bit) {
		strbuf_reset(&f->v[at].bytes);
		return &f->v[at].bytes;
	}
	v = reallocarray(f->v, f->nr + 1, sizeof(*v));
	if (!v)
		return NULL;
	f->v = v;
	memmove(v + at + 1, v + at, (f->nr - at) * sizeof(*v));
	v[at] = (struct perfdata_feature_bytes){.bit = bit, .bytes = STRBUF_INIT};
	f->nr++;
	return &v[at].bytes;
}

int perfdata_features_set_string(struct perfdata_features *f, unsigned int bit, const char *s)
{
	struct strbuf *sb = perfdata_features_set(f, bit);

	return sb ? feature_add_string(sb, s) : -ENOMEM;
}

int perfdata_features_set_u64(struct perfdata_features *f, unsigned int bit, const uint64_t *v,
			      size_t nr)
{
	struct strbuf *sb = perfdata_features_set(f, bit);

	return sb ? strbuf_add(sb, v, nr * sizeof(*v)) : -ENOMEM;
}

int feature_add_u32(struct strbuf *sb, uint32_t v)
{
	return strbuf_add(sb, &v, sizeof(v));
}

int feature_add_u64(struct strbuf *sb, uint64_t v)
{
	return strbuf_add(sb, &v, sizeof(v));
}

int feature_add_string(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	feature_add_u32(sb, (uint32_t)padded);
	strbuf_add(sb, s, len);
	strbuf_add_zeros(sb, padded - len);
	return sb->failed ? -ENOMEM : 0;
}

int feature_add_build_id(struct strbuf *sb, const char *name, const uint8_t *id, size_t id_len)
{
	struct perfdata_build_id b = {.pid = -1};
	size_t len = strlen(name) + 1, size = (sizeof(b) + len + 7) / 8 * 8;

	if (id_len > sizeof(b.build_id))
		id_len = sizeof(b.build_id);
	b.header.misc = PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_BUILD_ID_SIZE;
	b.header.size = (uint16_t)size;
	b.size = (uint8_t)id_len;
	memcpy(b.build_id, id, id_len);
	strbuf_add(sb, &b, sizeof(b));
	strbuf_add(sb, name, len);
	strbuf_add_zeros(sb, size - sizeof(b) - len);
	return sb->failed ? -ENOMEM : 0;
}

/* Add one record with a part of a stream. */
static void add_early_record(struct strbuf *out, uint32_t kind, const char *bytes, size_t len,
			     size_t offset, size_t total)
{
	size_t size = (sizeof(struct perfdata_early) + len + 7) / 8 * 8;
	const struct perfdata_early r = {
		.header = {.type = PERF_RECORD_EVENT_UPDATE, .size = (uint16_t)size},
		.magic = PERFDATA_EARLY_MAGIC,
		.kind = kind,
		.offset = (uint32_t)offset,
		.total = (uint32_t)total,
		.size = (uint32_t)len,
	};

	strbuf_add(out, &r, sizeof(r));
	strbuf_add(out, bytes, len);
	strbuf_add_zeros(out, size - sizeof(r) - len);
}

int feature_early_stream(struct strbuf *out, uint32_t bit, const struct strbuf *bytes)
{
	for (size_t at = 0; at < bytes->len; at += EARLY_CHUNK) {
		size_t len = bytes->len - at;

		add_early_record(out, bit, bytes->buf + at, len < EARLY_CHUNK ? len : EARLY_CHUNK,
				 at, bytes->len);
	}
	return out->failed ? -ENOMEM : 0;
}

int feature_early_lines(struct strbuf *out, uint32_t bit, const struct strbuf *lines)
{
	for (size_t start = 0; start < lines->len;) {
		const char *text = lines->buf + start, *end;
		size_t len = lines->len - start;

		/* whole lines, so that each record can be read on its own; omit lines that are too
		 * long */
		if (len > EARLY_CHUNK) {
			end = memrchr(text, '\n', EARLY_CHUNK);
			if (!end) {
				end = memchr(text, '\n', len);
				start += end ? (size_t)(end - text) + 1 : len;
				continue;
			}
			len = (size_t)(end - text) + 1;
		}
		add_early_record(out, bit, text, len, 0, len);
		start += len;
	}
	return out->failed ? -ENOMEM : 0;
}
