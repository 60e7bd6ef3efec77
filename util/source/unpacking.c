// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/unpacking.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST /* next_in becomes const */
#include <zlib.h>
#endif
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/* Refuse streams that need a larger window than stock's recorder uses at its highest level. */
#define WINDOW_LOG_MAX 27

/* For inflateInit2(): the largest window, with gzip's header. */
#define GZIP_WINDOW (15 + 16)

struct unpacking {
	enum packing packing;
	bool whole; /* at the end of a gzip member or zstd frame */
#ifdef HAVE_ZLIB
	z_stream gzip;
#endif
#ifdef HAVE_LIBZSTD
	ZSTD_DStream *zstd;
#endif
};

enum packing packing_of(const uint8_t *head, size_t size)
{
	static const struct {
		enum packing packing;
		uint8_t magic[4];
		size_t size;
	} magics[] = {
		{PACKING_GZIP, {0x1f, 0x8b, 8}, 3},
		{PACKING_ZSTD, {0x28, 0xb5, 0x2f, 0xfd}, 4},
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (size >= 4 && !memcmp(head, magics[i].magic, magics[i].size))
			return magics[i].packing;
	return PACKING_NONE;
}

const char *packing_name(enum packing packing)
{
	return packing == PACKING_GZIP ? "gzip" : packing == PACKING_ZSTD ? "zstd" : NULL;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

#ifdef HAVE_ZLIB

static int open_gzip(struct unpacking *u, struct error *err)
{
	return inflateInit2(&u->gzip, GZIP_WINDOW) == Z_OK ? 0 : error_nomem(err);
}

static void close_gzip(struct unpacking *u)
{
	inflateEnd(&u->gzip);
}

/* Start the next member, if any bytes follow. */
static int feed_gzip(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		     size_t out_size, size_t *ret_written)
{
	z_stream *z = &u->gzip;
	int ret = Z_OK;

	z->next_in = *in;
	z->avail_in = *in_left < UINT_MAX ? (unsigned int)*in_left : UINT_MAX;
	z->next_out = out;
	z->avail_out = out_size < UINT_MAX ? (unsigned int)out_size : UINT_MAX;
	while (z->avail_out && ret == Z_OK) {
		if (u->whole && z->avail_in && inflateReset(z) != Z_OK)
			ret = Z_DATA_ERROR;
		else if (!u->whole || z->avail_in)
			ret = inflate(z, Z_NO_FLUSH);
		else
			break;
		u->whole = ret == Z_STREAM_END;
		if (u->whole)
			ret = Z_OK;
	}
	*in_left -= (size_t)(z->next_in - *in);
	*in = z->next_in;
	*ret_written = (size_t)(z->next_out - out);
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret == Z_OK || ret == Z_BUF_ERROR ? 0 : -EINVAL;
}

#else

static int open_gzip(struct unpacking *u, struct error *err)
{
	(void)u;
	return error_set(err, ENOTSUP,
			 "it is packed with gzip and this perf was built without zlib");
}

static void close_gzip(struct unpacking *u)
{
	(void)u;
}

static int feed_gzip(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		     size_t out_size, size_t *ret_written)
{
	(void)u, (void)in, (void)in_left, (void)out, (void)out_size, (void)ret_written;
	return -EINVAL;
}

#endif

/* ---- zstd ------------------------------------------------------------------------------------ */

#ifdef HAVE_LIBZSTD

static int open_zstd(struct unpacking *u, struct error *err)
{
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return error_nomem(err);
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

static void close_zstd(struct unpacking *u)
{
	ZSTD_freeDStream(u->zstd);
}

static int feed_zstd(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		     size_t out_size, size_t *ret_written)
{
	ZSTD_inBuffer input = {.src = *in, .size = *in_left};
	ZSTD_outBuffer output = {.dst = out, .size = out_size};
	size_t ret = 0;

	while (output.pos < output.size) {
		size_t in_before = input.pos, out_before = output.pos;

		ret = ZSTD_decompressStream(u->zstd, &output, &input);
		if (ZSTD_isError(ret))
			break;
		if (input.pos == in_before && output.pos == out_before)
			break;
		u->whole = !ret;
	}
	*in += input.pos;
	*in_left -= input.pos;
	*ret_written = output.pos;
	if (!ZSTD_isError(ret))
		return 0;
	return ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation ? -ENOMEM : -EINVAL;
}

#else

static int open_zstd(struct unpacking *u, struct error *err)
{
	(void)u;
	return error_set(err, ENOTSUP,
			 "it is packed with zstd and this perf was built without libzstd");
}

static void close_zstd(struct unpacking *u)
{
	(void)u;
}

static int feed_zstd(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		     size_t out_size, size_t *ret_written)
{
	(void)u, (void)in, (void)in_left, (void)out, (void)out_size, (void)ret_written;
	return -EINVAL;
}

#endif

/* ---- either ---------------------------------------------------------------------------------- */

int unpacking_new(enum packing packing, struct unpacking **ret_unpacking, struct error *err)
{
	struct unpacking *u = calloc(1, sizeof(*u));
	int ret;

	if (!u)
		return error_nomem(err);
	u->packing = packing;
	ret = packing == PACKING_GZIP ? open_gzip(u, err) : open_zstd(u, err);
	if (ret)
		free(u);
	else
		*ret_unpacking = u;
	return ret;
}

void unpacking_free(struct unpacking *u)
{
	if (!u)
		return;
	if (u->packing == PACKING_GZIP)
		close_gzip(u);
	else
		close_zstd(u);
	free(u);
}

int unpacking_feed(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		   size_t out_size, size_t *ret_written)
{
	*ret_written = 0;
	return u->packing == PACKING_GZIP ? feed_gzip(u, in, in_left, out, out_size, ret_written)
					  : feed_zstd(u, in, in_left, out, out_size, ret_written);
}

bool unpacking_is_whole(const struct unpacking *u)
{
	return u->whole;
}
