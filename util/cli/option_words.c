// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/option_words.h"

#include <string.h>

#include "util/base/printable.h"

static bool is_printable(const char *word)
{
	while (*word) {
		uint32_t c;
		size_t len = utf8_decode(word, &c);

		if (!len || !printable_char(c))
			return false;
		word += len;
	}
	return true;
}

/* Whether a shell takes it unquoted. */
static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-.:/+,=%@")];
}

/* Add it without a blank. */
static void add_quoted(struct option_words *w, const char *word)
{
	w->unprintable |= !is_printable(word);
	if (is_plain(word)) {
		strbuf_addstr(&w->text, word);
		return;
	}
	strbuf_addch(&w->text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_addstr(&w->text, "'\\''");
		else
			strbuf_addch(&w->text, *word);
	}
	strbuf_addch(&w->text, '\'');
}

void option_words_add_word(struct option_words *w, const char *word)
{
	strbuf_addch(&w->text, ' ');
	add_quoted(w, word);
}

void option_words_add(struct option_words *w, const struct option_use *use)
{
	const struct option *opt = use->opt;

	if (use->unset)
		strbuf_addf(&w->text, " --no-%s", opt->long_name);
	else if (opt->short_name && !(opt->flags & OPTION_OPTARG))
		strbuf_addf(&w->text, " -%c", opt->short_name);
	else
		strbuf_addf(&w->text, " --%s", opt->long_name);
	if (!use->arg)
		return;
	/* an optional argument is in the same word */
	strbuf_addch(&w->text, opt->flags & OPTION_OPTARG ? '=' : ' ');
	add_quoted(w, use->arg);
}
