// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

static int read_text(struct strbuf *text, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > SOURCE_TEXT_MAX)
		return -EINVAL;
	return strbuf_read(text, fd);
}

static int find_lines(struct source_text *s)
{
	char *at = s->text.buf, *end = at + s->text.len;
	size_t nr = 1;

	for (const char *c = at; c < end; c++)
		nr += *c == '\n';
	s->lines = calloc(nr, sizeof(*s->lines));
	if (!s->lines)
		return -ENOMEM;
	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));

		s->lines[s->nr++] = (size_t)(at - s->text.buf);
		if (!newline)
			break;
		*newline = '\0';
		at = newline + 1;
	}
	return 0;
}

int source_text_read(struct source_text *s, const char *path)
{
	int ret;

	*s = (struct source_text){.text = STRBUF_INIT};
	ret = read_text(&s->text, path);
	if (!ret)
		ret = find_lines(s);
	if (ret)
		source_text_deinit(s);
	return ret;
}

void source_text_deinit(struct source_text *s)
{
	strbuf_deinit(&s->text);
	free(s->lines);
	*s = (struct source_text){.text = STRBUF_INIT};
}

const char *source_text_line(const struct source_text *s, uint32_t line)
{
	return line && line <= s->nr ? s->text.buf + s->lines[line - 1] : NULL;
}
