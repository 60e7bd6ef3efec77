// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/pack.h"

#include <errno.h>

#ifdef HAVE_LIBZSTD

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ZSTD_compressSequences() is declared experimental, but shared libraries contain it. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "util/base/strbuf.h"
#include "util/perfdata/format.h"

/* Limit for the payload of a COMPRESSED record: its size is a u16, and stock accepts no more. */
#define PAYLOAD_MAX (65535 - 7 - sizeof(struct perf_event_header))

/* Limit for the end of a flushed frame: an empty block of 3 bytes. */
#define END_MAX 16

/* At this level zstd is given the repeats in a chunk of sorted records instead of searching
 * them. */
#define LEVEL_REPEATS 1

struct packer {
	ZSTD_CCtx *zstd;
	ZSTD_CCtx *of_repeats; /* makes frames from repeats; may be NULL */
	struct repeats chunk;
	struct strbuf out;
	int level; /* level of this frame */
	int wanted;
	bool in_frame;
	/* a record of its own would unpack to nothing, which stock rejects */
	uint8_t end[END_MAX]; /* end of the previous frame, prefixed to the next record */
	size_t end_len;
};

bool packer_available(void)
{
	return true;
}

/*
 * A context for ZSTD_compressSequences(), with search tables as small as possible. NULL if this
 * libzstd does not support it.
 */
static ZSTD_CCtx *make_of_repeats(void)
{
	static const struct {
		ZSTD_cParameter parameter;
		int value;
	} settings[] = {
		{ZSTD_c_compressionLevel, 1},
		{ZSTD_c_windowLog, 17},
		{ZSTD_c_hashLog, ZSTD_HASHLOG_MIN},
		{ZSTD_c_chainLog, ZSTD_CHAINLOG_MIN},
		{ZSTD_c_contentSizeFlag, 0},
		/* new bytes are the low bytes of clocks and pointers: encoding them would save a
		 * tenth of the file, for a fifth of the time */
		{ZSTD_c_literalCompressionMode, ZSTD_lcm_uncompressed},
		{ZSTD_c_blockDelimiters, ZSTD_sf_explicitBlockDelimiters},
#ifdef ZSTD_c_searchForExternalRepcodes /* always enabled before 1.5.4 */
		{ZSTD_c_searchForExternalRepcodes, ZSTD_ps_enable},
#endif
	};
	ZSTD_CCtx *c = ZSTD_createCCtx();

	for (size_t i = 0; c && i < sizeof(settings) / sizeof(settings[0]); i++)
		if (ZSTD_isError(
			    ZSTD_CCtx_setParameter(c, settings[i].parameter, settings[i].value))) {
			ZSTD_freeCCtx(c);
			c = NULL;
		}
	return c;
}

int packer_new(struct packer **ret_packer, int level, struct error *err)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return error_nomem(err);
	strbuf_init(&p->out);
	p->level = p->wanted = level;
	p->zstd = ZSTD_createCCtx();
	p->of_repeats = make_of_repeats();
	if (!p->zstd || repeats_init(&p->chunk) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level))) {
		packer_free(p);
		return error_nomem(err);
	}
	*ret_packer = p;
	return 0;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	ZSTD_freeCCtx(p->of_repeats);
	repeats_deinit(&p->chunk);
	strbuf_deinit(&p->out);
	free(p);
}

/* Make one COMPRESSED record from zstd's output. *ret_more: whether there is more output. */
static int add_record(struct packer *p, ZSTD_inBuffer *in, ZSTD_EndDirective op, bool *ret_more,
		      struct error *err)
{
	struct perf_event_header h = {.type = PERF_RECORD_COMPRESSED};
	ZSTD_outBuffer out = {.size = PAYLOAD_MAX};
	size_t start = p->out.len, left;

	if (strbuf_grow(&p->out, sizeof(h) + PAYLOAD_MAX))
		return error_nomem(err);
	out.dst = p->out.buf + start + sizeof(h);
	memcpy(out.dst, p->end, p->end_len);
	out.pos = p->end_len;
	left = ZSTD_compressStream2(p->zstd, &out, in, op);
	if (ZSTD_isError(left))
		return error_set(err, EIO, "zstd: %s", ZSTD_getErrorName(left));
	*ret_more = in->pos < in->size || (left && op != ZSTD_e_continue);
	if (out.pos == p->end_len)
		return 0;
	p->end_len = 0;
	h.size = (uint16_t)(sizeof(h) + out.pos);
	memcpy(p->out.buf + start, &h, sizeof(h));
	p->out.len = start + h.size;
	return 0;
}

static int feed(struct packer *p, const void *data, size_t len, ZSTD_EndDirective op,
		struct error *err)
{
	ZSTD_inBuffer in = {data, len, 0};
	bool more = true;
	int ret = 0;

	while (more && !ret)
		ret = add_record(p, &in, op, &more, err);
	return ret;
}

void packer_set_level(struct packer *p, int level)
{
	p->wanted = level;
}

static int end_frame(struct packer *p, struct error *err)
{
	ZSTD_outBuffer out = {p->end, sizeof(p->end), p->end_len};
	ZSTD_inBuffer none = {0};

	if (p->in_frame && ZSTD_compressStream2(p->zstd, &out, &none, ZSTD_e_end))
		return error_set(err, EIO, "zstd: a frame does not end");
	p->end_len = out.pos;
	p->in_frame = false;
	return 0;
}

/* The level is fixed within a frame. */
static int change_level(struct packer *p, struct error *err)
{
	int ret = end_frame(p, err);

	if (ret)
		return ret;
	p->level = p->wanted;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, p->level)))
		return error_set(err, EIO, "zstd: no level %d", p->level);
	return 0;
}

int packer_feed(struct packer *p, const struct iovec *pieces, int nr, struct iovec *ret_records,
		struct error *err)
{
	/* Flush after each chunk: that limits the unpacked size of one record. */
	size_t unflushed = 0;
	int ret = 0;

	strbuf_reset(&p->out);
	if (p->level != p->wanted)
		ret = change_level(p, err);
	for (int i = 0; i < nr && !ret; i++) {
		const uint8_t *data = pieces[i].iov_base;
		size_t left = pieces[i].iov_len;

		p->in_frame |= left > 0;
		while (left && !ret) {
			size_t n = PACKER_CHUNK - unflushed;

			n = left < n ? left : n;
			unflushed += n;
			ret = feed(p, data, n,
				   unflushed < PACKER_CHUNK ? ZSTD_e_continue : ZSTD_e_flush, err);
			unflushed %= PACKER_CHUNK;
			data += n;
			left -= n;
		}
	}
	if (!ret && unflushed)
		ret = feed(p, NULL, 0, ZSTD_e_flush, err);
	*ret_records = (struct iovec){p->out.buf, p->out.len};
	return ret;
}

size_t packer_gather(struct packer *p, const struct record_order *records, size_t from,
		     struct iovec *ret_chunk)
{
	size_t nr = repeats_fill(&p->chunk, records, from);

	*ret_chunk = (struct iovec){p->chunk.bytes, p->chunk.len};
	return nr;
}

static_assert(sizeof(struct repeat) == sizeof(ZSTD_Sequence) &&
		      offsetof(struct repeat, distance) == offsetof(ZSTD_Sequence, offset) &&
		      offsetof(struct repeat, nr_new) == offsetof(ZSTD_Sequence, litLength) &&
		      offsetof(struct repeat, nr_same) == offsetof(ZSTD_Sequence, matchLength),
	      "a struct repeat is what zstd calls a sequence");

/*
 * Make one COMPRESSED record with its own frame. Returns false if it would be too long, as for
 * records that have nothing in common.
 */
static bool pack_repeats(struct packer *p)
{
	struct perf_event_header h = {.type = PERF_RECORD_COMPRESSED};
	char *payload = p->out.buf + sizeof(h) + p->end_len;
	size_t len;

	/* the bytes after the last repeat end the block */
	p->chunk.v[p->chunk.nr] = (struct repeat){.nr_new = p->chunk.len - p->chunk.end};
	len = ZSTD_compressSequences(p->of_repeats, payload, PAYLOAD_MAX - p->end_len,
				     (const ZSTD_Sequence *)(const void *)p->chunk.v,
				     p->chunk.nr + 1, p->chunk.bytes, p->chunk.len);
	if (ZSTD_isError(len))
		return false;
	h.size = (uint16_t)(sizeof(h) + p->end_len + len);
	memcpy(p->out.buf, &h, sizeof(h));
	memcpy(p->out.buf + sizeof(h), p->end, p->end_len);
	p->end_len = 0;
	p->out.len = h.size;
	return true;
}

int packer_feed_chunk(struct packer *p, struct iovec *ret_records, struct error *err)
{
	const struct iovec chunk = {p->chunk.bytes, p->chunk.len};
	int ret;

	if (p->wanted != LEVEL_REPEATS || !p->of_repeats)
		return packer_feed(p, &chunk, 1, ret_records, err);
	strbuf_reset(&p->out);
	if (strbuf_grow(&p->out, sizeof(struct perf_event_header) + PAYLOAD_MAX))
		return error_nomem(err);
	ret = end_frame(p, err);
	if (ret)
		return ret;
	if (!pack_repeats(p))
		return packer_feed(p, &chunk, 1, ret_records, err);
	*ret_records = (struct iovec){p->out.buf, p->out.len};
	return 0;
}

#else

bool packer_available(void)
{
	return false;
}

int packer_new(struct packer **ret_packer, int level, struct error *err)
{
	(void)ret_packer, (void)level;
	return error_set(err, ENOTSUP,
			 "cannot compress the recording: this perf was built without libzstd");
}

void packer_free(struct packer *p)
{
	(void)p;
}

void packer_set_level(struct packer *p, int level)
{
	(void)p, (void)level;
}

int packer_feed(struct packer *p, const struct iovec *pieces, int nr, struct iovec *ret_records,
		struct error *err)
{
	(void)p, (void)pieces, (void)nr, (void)ret_records;
	return error_set(err, ENOTSUP, "built without libzstd");
}

size_t packer_gather(struct packer *p, const struct record_order *records, size_t from,
		     struct iovec *ret_chunk)
{
	(void)p, (void)records, (void)from, (void)ret_chunk;
	return 0;
}

int packer_feed_chunk(struct packer *p, struct iovec *ret_records, struct error *err)
{
	(void)p, (void)ret_records;
	return error_set(err, ENOTSUP, "built without libzstd");
}

#endif
