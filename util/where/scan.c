// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/scan.h"

#include <string.h>

void scan_init(struct scan *s, const char *text, size_t len)
{
	s->at = text;
	s->end = text + len;
	s->len = 0;
	s->line[0] = '\0';
}

bool scan_next(struct scan *s)
{
	const char *newline;

	while (s->at < s->end && (newline = memchr(s->at, '\n', (size_t)(s->end - s->at)))) {
		const char *start = s->at;
		size_t len = (size_t)(newline - start);

		s->at = newline + 1;
		if (len >= SCAN_LINE_MAX || memchr(start, '\0', len))
			continue;
		memcpy(s->line, start, len);
		s->line[len] = '\0';
		s->len = len;
		return true;
	}
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool scan_number(const char **at, int64_t *ret_value)
{
	const char *p = *at;
	int64_t v = 0;

	while (is_blank(*p))
		p++;
	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (*p - '0');
		if (v > SCAN_NUMBER_MAX)
			return false;
	}
	*at = p;
	*ret_value = v;
	return true;
}

bool scan_key(const char *text, const char *key, int64_t *ret_value)
{
	for (const char *p = text; (p = strstr(p, key)); p++) {
		const char *number = p + strlen(key);

		if ((p == text || is_blank(p[-1])) && !is_blank(*number))
			return scan_number(&number, ret_value);
	}
	return false;
}

bool scan_after(const char *text, const char *begin, int64_t *ret_value)
{
	const char *number = text + strlen(begin);

	return !strncmp(text, begin, strlen(begin)) && scan_number(&number, ret_value);
}

bool scan_word(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p++)
		if ((p == text || is_blank(p[-1])) && (!p[len] || is_blank(p[len])))
			return true;
	return false;
}
