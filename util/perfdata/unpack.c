// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/unpack.h"

#include <errno.h>

#ifdef HAVE_LIBZSTD

#include <zstd.h>
#include <zstd_errors.h>

/* Refuse streams that need a larger window than stock's recorder uses at its highest level. */
#define WINDOW_LOG_MAX 27

/* A ZSTD_DStream by another name. */
int unpacker_new(struct unpacker **ret_unpacker, struct error *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();

	if (!stream)
		return error_nomem(err);
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	*ret_unpacker = (struct unpacker *)stream;
	return 0;
}

void unpacker_free(struct unpacker *u)
{
	ZSTD_freeDStream((ZSTD_DStream *)u);
}

int unpacker_feed(struct unpacker *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		  size_t out_size, size_t *ret_written)
{
	ZSTD_inBuffer input = {.src = *in, .size = *in_left};
	ZSTD_outBuffer output = {.dst = out, .size = out_size};
	size_t ret = 0;

	while (output.pos < output.size) {
		size_t in_before = input.pos, out_before = output.pos;

		ret = ZSTD_decompressStream((ZSTD_DStream *)u, &output, &input);
		if (ZSTD_isError(ret))
			break;
		if (input.pos == in_before && output.pos == out_before)
			break;
	}
	*in += input.pos;
	*in_left -= input.pos;
	*ret_written = output.pos;
	if (!ZSTD_isError(ret))
		return 0;
	return ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation ? -ENOMEM : -EINVAL;
}

#else

int unpacker_new(struct unpacker **ret_unpacker, struct error *err)
{
	(void)ret_unpacker;
	return error_set(err, ENOTSUP,
			 "the recording is compressed and this perf was built without libzstd");
}

void unpacker_free(struct unpacker *u)
{
	(void)u;
}

int unpacker_feed(struct unpacker *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		  size_t out_size, size_t *ret_written)
{
	(void)u, (void)in, (void)in_left, (void)out, (void)out_size, (void)ret_written;
	return -EINVAL;
}

#endif
