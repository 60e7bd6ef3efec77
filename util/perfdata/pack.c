// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/pack.h"

#include <errno.h>

#ifdef HAVE_LIBZSTD

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "util/base/strbuf.h"
#include "util/perfdata/format.h"

/* Of a COMPRESSED record; its size is u16, and stock accepts no more than this. */
#define PAYLOAD_MAX (65535 - 7 - sizeof(struct perf_event_header))

/* What ends a flushed frame: an empty block of 3 bytes. */
#define END_MAX 16

struct packer {
	ZSTD_CCtx *zstd;
	struct strbuf out;
	int level; /* of this frame */
	int wanted;
	bool in_frame;
	uint8_t end[END_MAX]; /* the end of the previous frame; stock rejects a record that unpacks
			       * to nothing */
	size_t end_len;
};

bool packer_available(void)
{
	return true;
}

int packer_new(struct packer **ret_packer, int level, struct error *err)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return error_nomem(err);
	strbuf_init(&p->out);
	p->level = p->wanted = level;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd ||
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
	strbuf_deinit(&p->out);
	free(p);
}

/* One COMPRESSED record with zstd's output; *ret_more: there is more. */
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

/* Within a frame the level is fixed. */
static int change_level(struct packer *p, struct error *err)
{
	ZSTD_outBuffer out = {p->end, sizeof(p->end), p->end_len};
	ZSTD_inBuffer none = {0};

	if (p->in_frame && ZSTD_compressStream2(p->zstd, &out, &none, ZSTD_e_end))
		return error_set(err, EIO, "zstd: a frame does not end");
	p->end_len = out.pos;
	p->level = p->wanted;
	p->in_frame = false;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, p->level)))
		return error_set(err, EIO, "zstd: no level %d", p->level);
	return 0;
}

int packer_feed(struct packer *p, const struct iovec *pieces, int nr, struct iovec *ret_records,
		struct error *err)
{
	/* Flush after each chunk: that bounds what one record can unpack to. */
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

#endif
