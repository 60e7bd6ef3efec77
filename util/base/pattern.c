// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Number of parts in a group, and in its last part, which a repetition would repeat. */
struct group {
	uint64_t parts, last;
};

static void add_part(struct group *g, uint64_t parts)
{
	g->last = parts;
	g->parts += parts;
}

static void repeat(struct group *g, uint64_t times)
{
	uint64_t more = g->last * (times ? times - 1 : 0);

	g->last += more;
	g->parts += more;
}

/* Skip past the [ of a bracket expression; "[]a]", "[^]a]" and "[[:alpha:]]" contain a ']'. */
static const char *skip_bracket(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']') {
		if (*p == '[' && p[1] && strchr(".:=", p[1])) {
			const char end[] = {p[1], ']', '\0'}, *close = strstr(p + 2, end);

			if (close)
				p = close + 1;
		}
		p++;
	}
	return p;
}

/* "{m}", "{m,}", "{m,n}": number of copies of the repeated part; 1 if it is not a repetition. */
static uint64_t repetitions(const char **pos)
{
	char *end;
	const char *p = *pos + 1;
	uint64_t least, most;

	if (!isdigit((unsigned char)*p))
		return 1;
	least = most = strtoul(p, &end, 10);
	if (*end == ',') {
		p = end + 1;
		most = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : least + 1;
		end = isdigit((unsigned char)*p) ? end : (char *)p;
	}
	*pos = *end == '}' ? end : *pos;
	/* the limit of regcomp() is RE_DUP_MAX, 32767 */
	most = most > least ? most : least;
	return most < 32768 ? most : 32768;
}

/* Returns NULL if it can be compiled, else the reason. */
static const char *why_too_large(const char *text)
{
	struct group groups[PATTERN_DEPTH_MAX + 1] = {{0}}, *g = groups;

	for (const char *p = text; *p; p++) {
		switch (*p) {
		case '\\':
			if (p[1] >= '1' && p[1] <= '9')
				return "it refers back to a group";
			p += p[1] != '\0';
			add_part(g, 1);
			break;
		case '[':
			p = skip_bracket(p + 1);
			p -= !*p;
			add_part(g, 1);
			break;
		case '(':
			if (g == groups + PATTERN_DEPTH_MAX)
				return "its groups are nested too deeply";
			*++g = (struct group){0};
			break;
		case ')':
			if (g > groups) {
				g--;
				add_part(g, g[1].parts + 1);
			} else {
				add_part(g, 1);
			}
			break;
		case '{':
			repeat(g, repetitions(&p));
			break;
		case '+': /* one copy, and one that is repeated */
			repeat(g, 2);
			break;
		default:
			add_part(g, 1);
		}
		/* checked even within a group, so that nothing grows without bound */
		if (g->parts > PATTERN_PARTS_MAX)
			return "it is too large when expanded";
	}
	return NULL;
}

int pattern_compile(regex_t *ret_regex, const char *text, struct error *err)
{
	const char *reason = why_too_large(text);
	char why[128];
	int ret;

	if (reason)
		return error_set(err, EINVAL, "'%.80s' cannot be used as a regular expression: %s",
				 text, reason);
	ret = regcomp(ret_regex, text, REG_EXTENDED | REG_NOSUB);
	if (!ret)
		return 0;
	if (ret == REG_ESPACE)
		return error_nomem(err);
	regerror(ret, ret_regex, why, sizeof(why));
	return error_set(err, EINVAL, "'%s' is not a regular expression: %s", text, why);
}
