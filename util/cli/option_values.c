// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/option_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/cli/similar.h"

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-/", c));
}

void option_values_init(struct option_values *v, const struct option *opt)
{
	const char *argh = opt->argh ? opt->argh : "";
	const char *of = opt->help ? strstr(opt->help, " of:") : NULL;

	if (argh[0] != '<')
		v->at = strchr(argh, '|') ? argh : NULL;
	else
		v->at = of ? of + strlen(" of:") : NULL;
}

bool option_values_next(struct option_values *v, const char **ret_word, size_t *ret_len)
{
	const char *start = v->at, *end;

	if (!start)
		return false;
	start += strspn(start, " |");
	for (end = start; in_word(*end);)
		end++;
	/* "dwarf[,<bytes>]" is the word "dwarf" */
	v->at = *end == ' ' || *end == '|' ? end : NULL;
	*ret_word = start;
	*ret_len = (size_t)(end - start);
	return end > start;
}

bool option_takes_list(const struct option *opt)
{
	return opt->argh && strstr(opt->argh, "...");
}

const char *option_values_similar(const struct option *opt, const char *typed, char *buf,
				  size_t size)
{
	unsigned int best = SIMILAR_MAX;
	const char *word;
	struct option_values v;
	size_t len;

	option_values_init(&v, opt);
	while (option_values_next(&v, &word, &len)) {
		char name[SIMILAR_MAX + 1];
		unsigned int d;

		if (len >= sizeof(name) || len >= size)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, word);
		d = similar_distance(typed, name);
		if (!d)
			return NULL;
		if (d < best && similar_is_close(typed, d)) {
			best = d;
			snprintf(buf, size, "%s", name);
		}
	}
	return best < SIMILAR_MAX ? buf : NULL;
}
