// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

static int check(const struct stat *st, const char *path, uid_t process_uid, struct error *err)
{
	if (!S_ISREG(st->st_mode))
		return error_set(err, EINVAL, "'%s' is not a regular file", path);
	if (st->st_uid && st->st_uid != geteuid() && st->st_uid != process_uid)
		return error_set(
			err, EPERM,
			"'%s' is not used: it belongs to user %u, who is neither root, nor "
			"you, nor the process' user",
			path, st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, EPERM,
				 "'%s' is not used: others than its owner may write to it", path);
	if (st->st_nlink != 1)
		return error_set(err, EPERM, "'%s' is not used: it is a link to another file",
				 path);
	if (st->st_size > JIT_MAP_MAX)
		return error_set(err, EFBIG, "'%s' has more than %u MiB", path, JIT_MAP_MAX >> 20);
	return 0;
}

int jit_map_read(struct strbuf *text, const char *path, uid_t process_uid, struct error *err)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int ret;

	if (fd < 0 && errno == ELOOP)
		return error_set(err, EPERM, "'%s' is not used: it is a link to another file",
				 path);
	if (fd < 0 || fstat(fd, &st))
		return error_set_errno(err, errno, "cannot read '%s'", path);
	ret = check(&st, path, process_uid, err);
	/* the file may grow meanwhile; read only the checked size */
	while (!ret && text->len < (size_t)st.st_size) {
		size_t want = (size_t)st.st_size - text->len;
		ssize_t n = -1;

		if (!strbuf_grow(text, want))
			n = read(fd, text->buf + text->len, want);
		else
			errno = ENOMEM;
		if (n < 0 && errno != EINTR)
			ret = error_set_errno(err, errno, "cannot read '%s'", path);
		if (!n)
			break;
		if (n > 0) {
			text->len += (size_t)n;
			text->buf[text->len] = '\0';
		}
	}
	return ret;
}

/* "7f0012340000 1a0 name with blanks" */
static bool parse_line(char *line, struct elf_symbol *sym)
{
	uint64_t size;
	char *end;

	if (!strchr("0123456789abcdefABCDEF", line[0]) || !line[0])
		return false;
	sym->start = strtoull(line, &end, 16);
	if (*end != ' ')
		return false;
	size = strtoull(end, &end, 16);
	if (*end != ' ' || !end[1] || !size || sym->start + size < sym->start)
		return false;
	sym->end = sym->start + size;
	sym->name = end + 1;
	sym->has_size = true;
	return true;
}

int jit_map_parse(struct elf_symbols *symbols, struct strbuf *text, struct error *err)
{
	char *line = text->buf, *end = text->buf + text->len;
	uint32_t number = 0;
	int ret = 0;

	*symbols = (struct elf_symbols){0};
	while (line < end && !ret) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		struct elf_symbol sym = {.rank = number++};

		if (!newline)
			break; /* an incomplete line */
		*newline = '\0';
		if (parse_line(line, &sym))
			ret = elf_symbols_add(symbols, &sym);
		line = newline + 1;
	}
	if (!ret)
		ret = elf_symbols_arrange(symbols);
	if (ret) {
		elf_symbols_deinit(symbols);
		return error_nomem(err);
	}
	return 0;
}
