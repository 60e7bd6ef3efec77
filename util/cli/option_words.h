/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct option_words: options of a command line as words for a shell, to print a command that
 * repeats them.
 *
 * Zeroed memory with STRBUF_INIT: no options.
 */
#ifndef CLI_OPTION_WORDS_H
#define CLI_OPTION_WORDS_H

#include "util/base/strbuf.h"
#include "util/cli/options.h"

struct option_words {
	struct strbuf text; /* each word after a blank */
	bool unprintable;   /* a word cannot be printed unchanged: the text is incomplete */
};

/* Add an option, by its short name if it has one, with its argument. */
void option_words_add(struct option_words *w, const struct option_use *use);

/* Add a word, in quotes if a shell needs them. */
void option_words_add_word(struct option_words *w, const char *word);

#endif
