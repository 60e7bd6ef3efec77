// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/label.h"

#include <string.h>

const char label_unknown[] = "unknown";

/* Quoted, and without the quotes at [1]. */
static const char *const quoted[] = {
	"\"unknown\"",		"\"" LABEL_NONE "\"",
	"\"" LABEL_KERNEL "\"", "\"" LABEL_UNLOADED "\"",
	"\"" LABEL_OTHERS "\"", "\"-\"",
};

/* NULL: it is none of the words. */
static const char *quoted_word(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++)
		if (strlen(quoted[i]) == len + 2 && !memcmp(quoted[i] + 1, name, len))
			return quoted[i];
	return NULL;
}

/* ":12", ":-1" */
static bool is_tid(const char *name, size_t len)
{
	size_t i = 1 + (len > 1 && name[1] == '-');

	if (name[0] != ':' || i == len)
		return false;
	while (i < len && name[i] >= '0' && name[i] <= '9')
		i++;
	return i == len;
}

bool label_collides(const char *name, size_t len)
{
	return len && (name[0] == '"' || is_tid(name, len) || quoted_word(name, len));
}

uint32_t label_intern(struct intern *it, const char *name, size_t len, bool passing)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t number = INTERN_NONE;

	if (!label_collides(name, len))
		return passing ? intern_add_passing(it, name, len) : intern_add(it, name, len);
	strbuf_add(&sb, name, len);
	label_strbuf(&sb, 0);
	if (!sb.failed)
		number = passing ? intern_add_passing(it, sb.buf, sb.len)
				 : intern_add(it, sb.buf, sb.len);
	strbuf_deinit(&sb);
	return number;
}

void label_strbuf(struct strbuf *sb, size_t start)
{
	size_t len = sb->len - start;

	if (sb->failed || !label_collides(sb->buf + start, len) || strbuf_addstr(sb, "\"\""))
		return;
	memmove(sb->buf + start + 1, sb->buf + start, len);
	sb->buf[start] = '"';
}

const char *label_fixed(char *name)
{
	const char *word = quoted_word(name, strlen(name));

	if (*name == '"')
		*name = '?';
	return word ? word : name;
}
