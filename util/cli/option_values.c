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
	struct similar similar;
	const char *word;
	struct option_values v;
	size_t len;

	option_values_init(&v, opt);
	similar_init(&similar, typed, strlen(typed));
	while (option_values_next(&v, &word, &len))
		if (len < size)
			similar_try(&similar, word, len);
	if (!similar.best || !similar.distance)
		return NULL;
	snprintf(buf, size, "%.*s", (int)similar.best_len, similar.best);
	return buf;
}
