// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/eh_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/bytes.h"

/* Encodings of pointers: DW_EH_PE_* of the LSB. */
#define POINTER_FORM	 0x0f
#define POINTER_RELATIVE 0x70
#define RELATIVE_TO_PC	 0x10
#define POINTER_INDIRECT 0x80
#define POINTER_OMITTED	 0xff

/* Limit of an augmentation string, such as "zPLRSB". */
#define AUGMENTATION_MAX 15

/* Limit of a LEB128 number: 64 bits. */
#define LEB128_MAX 10

struct section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	bool swap;
	size_t cie; /* offset of the CIE whose encoding is cached; SIZE_MAX: none */
	uint8_t encoding;
};

/* LEB128: seven bits a byte.  Many FDEs may refer to one CIE, so its length is limited. */
static void skip_leb128(struct bytes *b)
{
	for (int i = 0; i < LEB128_MAX && bytes_u8(b) & 0x80; i++)
		;
}

/* Read a pointer of this encoding. Returns false for encodings that no compiler uses. */
static bool read_form(struct bytes *b, uint8_t form, uint64_t *ret)
{
	switch (form) {
	case 0x00: /* size of an address */
	case 0x04:
	case 0x0c:
		*ret = bytes_u64(b);
		return !b->failed;
	case 0x02:
		*ret = bytes_u16(b);
		return !b->failed;
	case 0x03:
		*ret = bytes_u32(b);
		return !b->failed;
	case 0x0a:
		*ret = (uint64_t)(int64_t)(int16_t)bytes_u16(b);
		return !b->failed;
	case 0x0b:
		*ret = (uint64_t)(int64_t)(int32_t)bytes_u32(b);
		return !b->failed;
	default:
		return false;
	}
}

/* Skip the data before the encoding of addresses, in the order of the augmentation's letters. */
static bool read_augmentation(struct bytes *b, const char *letters, uint8_t *ret_encoding)
{
	uint64_t ignored;

	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'L':
			bytes_u8(b);
			break;
		case 'P':
			encoding = bytes_u8(b);
			if (!read_form(b, encoding & POINTER_FORM, &ignored))
				return false;
			break;
		case 'R':
			*ret_encoding = bytes_u8(b);
			return !b->failed;
		case 'S':
		case 'B':
			break;
		default:
			return false;
		}
	}
	return true;
}

/* A CIE: u8 version, string, alignment of code and of data, register, length of the data (z) */
static bool read_cie(struct section *s, size_t offset)
{
	struct bytes b = bytes_make(s->bytes + offset, s->size - offset, s->swap);
	uint32_t length = bytes_u32(&b), id = bytes_u32(&b);
	uint8_t version = bytes_u8(&b);
	char letters[AUGMENTATION_MAX + 1] = "";
	size_t n = 0;

	if (b.failed || length == UINT32_MAX || id || (version != 1 && version != 3))
		return false;
	while (n < AUGMENTATION_MAX && (letters[n] = (char)bytes_u8(&b)))
		n++;
	if (b.failed || letters[n] || (n && letters[0] != 'z'))
		return false;
	skip_leb128(&b);
	skip_leb128(&b);
	if (version == 1)
		bytes_u8(&b);
	else
		skip_leb128(&b);
	s->encoding = 0;
	if (n) {
		skip_leb128(&b);
		if (!read_augmentation(&b, letters + 1, &s->encoding))
			return false;
	}
	s->cie = offset;
	return !b.failed;
}

/* An FDE: u32 length, u32 distance back to its CIE, start of the function */
static bool read_fde(struct section *s, size_t offset, struct eh_frame_entry *ret)
{
	struct bytes b = bytes_make(s->bytes + offset + 4, s->size - offset - 4, s->swap);
	uint32_t back = bytes_u32(&b);
	size_t cie = offset + 4 - back;
	uint64_t start, from_section;

	if (back > offset + 4 || (cie != s->cie && !read_cie(s, cie)))
		return false;
	if (s->encoding & POINTER_INDIRECT || !read_form(&b, s->encoding & POINTER_FORM, &start))
		return false;
	if ((s->encoding & POINTER_RELATIVE) == RELATIVE_TO_PC)
		start += s->address + offset + 8;
	else if (s->encoding & POINTER_RELATIVE)
		return false;
	from_section = start - s->address;
	if ((int64_t)from_section != (int32_t)from_section || offset > INT32_MAX)
		return false;
	*ret = (struct eh_frame_entry){(int32_t)from_section, (int32_t)offset};
	return true;
}

static int compare(const void *x, const void *y)
{
	const struct eh_frame_entry *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->fde > b->fde) - (a->fde < b->fde);
}

int eh_frame_read(const uint8_t *section, size_t size, uint64_t address, bool swap,
		  struct eh_frame_entry **ret_entries, size_t *ret_nr)
{
	struct section s = {section, size, address, swap, SIZE_MAX, POINTER_OMITTED};
	struct eh_frame_entry *v = NULL;
	size_t nr = 0, cap = 0, at = 0;

	while (size - at >= 8) {
		struct bytes b = bytes_make(section + at, size - at, swap);
		uint32_t length = bytes_u32(&b), id = bytes_u32(&b);

		/* 0 ends the part of one object file; lengths of 64 bits are not used */
		if (length > size - at - 4)
			break;
		if (length && id) {
			struct eh_frame_entry *grown = array_room(v, nr, &cap, sizeof(*v));

			if (!grown) {
				free(v);
				return -ENOMEM;
			}
			v = grown;
			nr += read_fde(&s, at, &v[nr]);
		}
		at += 4 + (size_t)length;
	}
	if (nr)
		qsort(v, nr, sizeof(*v), compare);
	*ret_entries = v;
	*ret_nr = nr;
	return 0;
}
