// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"

char strbuf_empty[1];

void strbuf_init(struct strbuf *sb)
{
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_deinit(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	strbuf_init(sb);
}

int strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need, cap;
	char *buf;

	if (extra > SIZE_MAX / 2 - sb->len)
		goto nomem;
	need = sb->len + extra + 1;
	if (need <= sb->cap)
		return 0;
	cap = sb->cap + sb->cap / 2;
	if (cap < need)
		cap = need;
	if (cap < 64)
		cap = 64;
	buf = realloc(sb->cap ? sb->buf : NULL, cap);
	if (!buf)
		goto nomem;
	buf[sb->len] = '\0';
	sb->buf = buf;
	sb->cap = cap;
	return 0;
nomem:
	sb->failed = true;
	return -ENOMEM;
}

int strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	int ret = strbuf_grow(sb, len);

	if (ret)
		return ret;
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
	return 0;
}

int strbuf_addstr(struct strbuf *sb, const char *s)
{
	return strbuf_add(sb, s, strlen(s));
}

int strbuf_addch(struct strbuf *sb, char c)
{
	return strbuf_add(sb, &c, 1);
}

int strbuf_add_hex(struct strbuf *sb, uint64_t v, int width)
{
	char digits[16];
	int n = sizeof(digits);

	do
		digits[--n] = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	while ((int)sizeof(digits) - n < width)
		digits[--n] = ' ';
	return strbuf_add(sb, digits + n, sizeof(digits) - (size_t)n);
}

int strbuf_add_hex_bytes(struct strbuf *sb, const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(sb, "%02x", bytes[i]);
	return sb->failed ? -ENOMEM : 0;
}

int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n, ret;

	ret = strbuf_grow(sb, 64);
	if (ret)
		return ret;
	va_copy(again, ap);
	n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (n < 0) {
		sb->buf[sb->len] = '\0';
		ret = -EINVAL;
	} else if ((size_t)n >= sb->cap - sb->len) {
		sb->buf[sb->len] = '\0';
		ret = strbuf_grow(sb, n);
		if (!ret)
			vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
	}
	va_end(again);
	if (!ret)
		sb->len += n;
	return ret;
}

int strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
	return ret;
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_setlen(sb, 0);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->cap ? sb->buf : calloc(1, 1);

	if (s)
		strbuf_init(sb);
	return s;
}

int strbuf_read(struct strbuf *sb, int fd)
{
	for (;;) {
		ssize_t n;
		int ret = strbuf_grow(sb, sb->cap < 65536 ? 65536 : sb->cap / 2);

		if (ret)
			return ret;
		n = read(fd, sb->buf + sb->len, sb->cap - sb->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		sb->len += n;
		sb->buf[sb->len] = '\0';
	}
}

int strbuf_read_max(struct strbuf *sb, int fd, size_t max)
{
	int ret = strbuf_grow(sb, max);

	if (ret)
		return ret;
	while (max) {
		ssize_t n = read(fd, sb->buf + sb->len, max);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		if (n <= 0)
			break;
		sb->len += (size_t)n;
		max -= (size_t)n;
	}
	sb->buf[sb->len] = '\0';
	return ret;
}

int strbuf_read_file(struct strbuf *sb, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return strbuf_read(sb, fd);
}
