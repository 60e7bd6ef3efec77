// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/word_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS 64

static const char *next_word(const char *list)
{
	list += strcspn(list, ",");
	return list + (*list == ',');
}

static bool is_first(const char *list, const char *word, size_t len)
{
	return strcspn(list, ",") == len && !strncmp(list, word, len);
}

bool word_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list)
		return true;
	for (; *list; list = next_word(list))
		if (is_first(list, word, len))
			return true;
	return false;
}

bool word_list_note(const char *list, const char *word, uint64_t *seen)
{
	size_t len = strlen(word);
	bool has = !list;

	for (unsigned int i = 0; list && *list; list = next_word(list), i++)
		if (is_first(list, word, len)) {
			has = true;
			*seen |= i < BITS ? UINT64_C(1) << i : 0;
		}
	return has;
}

const char *word_list_unseen(const char *list, uint64_t seen, size_t *ret_len)
{
	const char *word = list;

	for (unsigned int i = 0; word && i < BITS && (*word || word == list); i++) {
		if (!(seen >> i & 1)) {
			*ret_len = strcspn(word, ",");
			return word;
		}
		word = next_word(word);
	}
	return NULL;
}

bool word_list_has_number(const char *list, uint32_t number)
{
	char word[16];

	if (!list)
		return true;
	snprintf(word, sizeof(word), "%" PRIu32, number);
	return word_list_has(list, word);
}

bool word_list_is_numbers(const char *list)
{
	do {
		size_t len = strcspn(list, ",");

		if (!len || len > 10 || (*list == '0' && len > 1) ||
		    strspn(list, "0123456789") != len || strtoull(list, NULL, 10) > UINT32_MAX)
			return false;
		list += len;
	} while (*list++);
	return true;
}
