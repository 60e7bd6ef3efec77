// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/label.h"

#include <string.h>

const char label_unknown[] = "unknown";

#define WORD(word)                                                                                 \
	{                                                                                          \
		"\"" word "\"", sizeof(word) - 1                                                   \
	}

static const struct {
	const char *quoted; /* the word is at [1], without quotes */
	size_t len;	    /* length without quotes */
} words[] = {
	WORD("unknown"),      WORD(LABEL_NONE),	  WORD(LABEL_KERNEL),
	WORD(LABEL_UNLOADED), WORD(LABEL_OTHERS), WORD("-"),
};

/* Checks the first character: nearly all of a kernel's 200,000 names differ from all words in
 * it. */
static bool begins_like_a_word(char c)
{
	return c == 'u' || c == 'n' || c == 'k' || c == '[' || c == '-';
}

/* Returns NULL if the name is not one of the words. */
static const char *quoted_word(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].len == len && !memcmp(words[i].quoted + 1, name, len))
			return words[i].quoted;
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
	return len && (name[0] == '"' || is_tid(name, len) ||
		       (begins_like_a_word(name[0]) && quoted_word(name, len)));
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
	const char *word = begins_like_a_word(*name) ? quoted_word(name, strlen(name)) : NULL;

	if (*name == '"')
		*name = '?';
	return word ? word : name;
}
