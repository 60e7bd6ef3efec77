// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/unpack_block.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

static int unpack_zstd(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
#ifdef HAVE_LIBZSTD
	return ZSTD_decompress(out, out_size, in, in_size) == out_size ? 0 : -EINVAL;
#else
	(void)in, (void)in_size, (void)out, (void)out_size;
	return -EINVAL;
#endif
}

static int unpack_zlib(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size)
{
#ifdef HAVE_ZLIB
	uLongf len = out_size;
	int ret = uncompress(out, &len, in, in_size);

	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret == Z_OK && len == out_size ? 0 : -EINVAL;
#else
	(void)in, (void)in_size, (void)out, (void)out_size;
	return -EINVAL;
#endif
}

static const struct {
	const char *name;
	const char *library; /* NULL if built in */
	int (*unpack)(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);
} packings[] = {
	[BLOCK_NONE] = {"none", NULL, NULL},
#ifdef HAVE_LIBZSTD
	[BLOCK_ZSTD] = {"zstd", NULL, unpack_zstd},
#else
	[BLOCK_ZSTD] = {"zstd", "libzstd", unpack_zstd},
#endif
#ifdef HAVE_ZLIB
	[BLOCK_ZLIB] = {"zlib", NULL, unpack_zlib},
#else
	[BLOCK_ZLIB] = {"zlib", "zlib", unpack_zlib},
#endif
};

int block_packing_find(const char *name, enum block_packing *ret_packing, struct error *err)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		if (strcmp(packings[i].name, name) != 0)
			continue;
		if (packings[i].library)
			return error_set(err, ENOTSUP,
					 "it is compressed with %s, and this perf was built "
					 "without %s",
					 name, packings[i].library);
		*ret_packing = (enum block_packing)i;
		return 0;
	}
	return error_set(err, ENOTSUP, "it is compressed with '%.32s', which is not supported",
			 name);
}

int unpack_block(enum block_packing packing, const uint8_t *in, size_t in_size, uint8_t *out,
		 size_t out_size)
{
	return packings[packing].unpack ? packings[packing].unpack(in, in_size, out, out_size)
					: -EINVAL;
}
