// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/printable.h"

#include <string.h>

size_t utf8_decode(const char *s, uint32_t *ret_char)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	/* smallest character of this length; smaller ones are overlong forms */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = u[0];

	if (n > 1) {
		if (u[0] < 0xc2 || u[0] > 0xf4)
			return 0;
		c &= 0xffu >> (n + 1);
	}
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	/* surrogates and values beyond Unicode are not characters */
	if (c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*ret_char = c;
	return n;
}

size_t utf8_count(const char *s, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += ((unsigned char)s[i] & 0xc0) != 0x80;
	return nr;
}

bool printable_char(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} unwanted[] = {
		{0x00, 0x1f},	    {0x7f, 0x9f},	{0xad, 0xad},	    {0x34f, 0x34f},
		{0x600, 0x605},	    {0x61c, 0x61c},	{0x6dd, 0x6dd},	    {0x70f, 0x70f},
		{0x890, 0x891},	    {0x8e2, 0x8e2},	{0x115f, 0x1160},   {0x17b4, 0x17b5},
		{0x180b, 0x180f},   {0x200b, 0x200f},	{0x2028, 0x202e},   {0x2060, 0x206f},
		{0x3164, 0x3164},   {0xfe00, 0xfe0f},	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},
		{0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
		{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	if (c >= 0x20 && c < 0x7f)
		return true;
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		if (c >= unwanted[i].first && c <= unwanted[i].last)
			return false;
	return true;
}

size_t printable_make(char *name)
{
	char *in = name, *out;

	/* most names are plain, and need not be written to */
	while (*in >= 0x20 && *in < 0x7f)
		in++;
	for (out = in; *in;) {
		uint32_t c = 0;
		size_t n = utf8_decode(in, &c);

		if (n && printable_char(c)) {
			memmove(out, in, n);
			out += n;
		} else {
			*out++ = '?';
		}
		in += n ? n : 1;
	}
	if (out != in)
		*out = '\0';
	return (size_t)(out - name);
}

void printable_strbuf(struct strbuf *sb, size_t start)
{
	size_t len;

	if (start >= sb->len)
		return;
	/* a NUL inside would end the string for callers */
	for (char *p = sb->buf + start; (p = memchr(p, '\0', sb->len - (size_t)(p - sb->buf)));)
		*p = '?';
	len = printable_make(sb->buf + start);
	strbuf_setlen(sb, start + len);
}

bool printable_is_word(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-.:/+")];
}
