// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The header of POSIX (pax, "ustar Interchange Format"). */
struct ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2];
	char uname[32], gname[32], major[8], minor[8], prefix[155], unused[12];
};

_Static_assert(sizeof(struct ustar) == TAR_BLOCK, "a header is a block");

/* The maximum of 11 octal digits. */
#define OCTAL_MAX ((1ull << 33) - 1)

/* The checksum's own bytes count as blanks. */
static unsigned int sum_of(const struct ustar *h)
{
	const uint8_t *bytes = (const uint8_t *)h;
	unsigned int sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= offsetof(struct ustar, checksum) && i < offsetof(struct ustar, type)
			       ? ' '
			       : bytes[i];
	return sum;
}

void tar_make_header(uint8_t block[TAR_BLOCK], const char *name, uint64_t size, uint64_t mtime)
{
	struct ustar h;

	memset(&h, 0, sizeof(h));
	memcpy(h.name, name, strnlen(name, TAR_NAME_MAX));
	memcpy(h.mode, "0000644", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	if (size <= OCTAL_MAX) {
		snprintf(h.size, sizeof(h.size), "%011" PRIo64, size);
	} else {
		h.size[0] = (char)0x80;
		for (int i = 0; i < 8; i++)
			h.size[sizeof(h.size) - 1 - (size_t)i] = (char)(size >> 8 * i);
	}
	snprintf(h.mtime, sizeof(h.mtime), "%011" PRIo64, mtime <= OCTAL_MAX ? mtime : 0);
	h.type = '0';
	memcpy(h.magic, "ustar", 6);
	memcpy(h.version, "00", 2);
	snprintf(h.checksum, sizeof(h.checksum), "%06o", sum_of(&h) & 0777777);
	h.checksum[7] = ' ';
	memcpy(block, &h, TAR_BLOCK);
}

/* Octal digits, after blanks and before a NUL or blank. */
static bool parse_octal(const char *text, size_t len, uint64_t *ret_value)
{
	size_t i = 0;
	uint64_t v = 0;

	while (i < len && text[i] == ' ')
		i++;
	if (i == len || text[i] < '0' || text[i] > '7')
		return false;
	for (; i < len && text[i] >= '0' && text[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(text[i] - '0');
	*ret_value = v;
	return i == len || !text[i] || text[i] == ' ';
}

static bool parse_size(const struct ustar *h, uint64_t *ret_size)
{
	const uint8_t *bytes = (const uint8_t *)h->size;
	uint64_t v = 0;

	if (bytes[0] != 0x80)
		return parse_octal(h->size, sizeof(h->size), ret_size);
	for (size_t i = 1; i < sizeof(h->size); i++) {
		if (v >> 55)
			return false; /* larger than any file */
		v = v << 8 | bytes[i];
	}
	*ret_size = v;
	return true;
}

int tar_parse_header(const uint8_t block[TAR_BLOCK], struct tar_entry *ret_entry)
{
	static const uint8_t zeroes[TAR_BLOCK];
	struct tar_entry e = {.size = 0};
	struct ustar h;
	uint64_t sum;

	if (!memcmp(block, zeroes, TAR_BLOCK))
		return 0;
	memcpy(&h, block, TAR_BLOCK);
	if (memcmp(h.magic, "ustar", 5) != 0 ||
	    !parse_octal(h.checksum, sizeof(h.checksum), &sum) || sum != sum_of(&h) ||
	    !parse_size(&h, &e.size))
		return -EINVAL;
	memcpy(e.name, h.name, strnlen(h.name, TAR_NAME_MAX));
	e.is_file = h.type == '0' || !h.type;
	*ret_entry = e;
	return 1;
}
