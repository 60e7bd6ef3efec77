// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/mini_debug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTION ".gnu_debugdata"

#ifdef HAVE_LIBLZMA
#include <lzma.h>

/* The window of xz -9, and the decoder's own memory. */
#define UNPACKING_MEMORY (80u << 20)

static int refuse(struct error *err, int code, const char *path, const char *why)
{
	return error_set(err, code, "the " SECTION " of '%s' %s", path, why);
}

static int tell(struct error *err, const char *path, lzma_ret result)
{
	switch (result) {
	case LZMA_MEM_ERROR:
		return error_nomem(err);
	case LZMA_MEMLIMIT_ERROR:
		return refuse(err, EFBIG, path, "needs too much memory to be unpacked");
	case LZMA_BUF_ERROR:
		return refuse(err, EINVAL, path, "is cut off");
	case LZMA_FORMAT_ERROR:
		return refuse(err, EINVAL, path, "is not packed with xz");
	case LZMA_OPTIONS_ERROR:
	case LZMA_UNSUPPORTED_CHECK:
		return refuse(err, EINVAL, path, "is packed in a way that liblzma does not know");
	default:
		return refuse(err, EINVAL, path, "is damaged");
	}
}

/* Double the buffer, up to the limit. */
static int grow(lzma_stream *stream, uint8_t **image, size_t *size, const char *path,
		struct error *err)
{
	size_t room = *size ? 2 * *size : 1u << 16;
	uint8_t *new;

	if (*size == ELF_IMAGE_MAX)
		return refuse(err, EFBIG, path, "is too large when it is unpacked");
	if (room > ELF_IMAGE_MAX)
		room = ELF_IMAGE_MAX;
	new = realloc(*image, room);
	if (!new)
		return error_nomem(err);
	stream->next_out = new + *size;
	stream->avail_out = room - *size;
	*image = new;
	*size = room;
	return 0;
}

/* *image: on the heap or NULL; the caller frees it, also on failure. */
static int unpack(lzma_stream *stream, uint8_t **image, const char *path, struct error *err)
{
	size_t size = 0;

	for (;;) {
		lzma_ret result;
		int ret = stream->avail_out ? 0 : grow(stream, image, &size, path, err);

		if (ret)
			return ret;
		result = lzma_code(stream, LZMA_FINISH);
		if (result == LZMA_STREAM_END)
			return 0;
		/* if the buffer is not full, the input has ended */
		if (result != LZMA_OK && (result != LZMA_BUF_ERROR || stream->avail_out))
			return tell(err, path, result);
	}
}

/* Sections are padded, so zeroes may follow. */
static bool has_more(const lzma_stream *stream)
{
	for (size_t i = 0; i < stream->avail_in; i++)
		if (stream->next_in[i])
			return true;
	return false;
}

static int open_unpacked(struct elf_file *mini, const struct elf_file *f, void *image, size_t size,
			 const char *path, struct error *err)
{
	if (elf_file_open_image(mini, image, size, path, NULL))
		return refuse(err, EINVAL, path, "is not an ELF file");
	if (mini->machine == f->machine && mini->big_endian == f->big_endian &&
	    (!mini->build_id_size || (mini->build_id_size == f->build_id_size &&
				      !memcmp(mini->build_id, f->build_id, f->build_id_size))))
		return 0;
	elf_file_close(mini);
	return refuse(err, EINVAL, path, "is of another program");
}

int mini_debug_open(struct elf_file *mini, const struct elf_file *f, const char *path,
		    struct error *err)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	uint8_t *image = NULL;
	uint64_t address;
	size_t size;
	int ret;

	stream.next_in = elf_file_section(f, SECTION, &size, &address);
	if (!stream.next_in)
		return error_set(err, ENODATA, "'%s' has no " SECTION, path);
	stream.avail_in = size;
	if (lzma_stream_decoder(&stream, UNPACKING_MEMORY, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
		return error_nomem(err);
	ret = unpack(&stream, &image, path, err);
	if (!ret && has_more(&stream))
		ret = refuse(err, EINVAL, path, "is damaged");
	size = stream.total_out;
	lzma_end(&stream);
	if (!ret)
		return open_unpacked(mini, f, image, size, path, err);
	free(image);
	return ret;
}

#else

int mini_debug_open(struct elf_file *mini, const struct elf_file *f, const char *path,
		    struct error *err)
{
	(void)mini;
	if (!elf_file_has_section(f, SECTION))
		return error_set(err, ENODATA, "'%s' has no " SECTION, path);
	return error_set(err, ENOTSUP,
			 "the " SECTION
			 " of '%s' cannot be unpacked: this perf was built without liblzma",
			 path);
}

#endif
