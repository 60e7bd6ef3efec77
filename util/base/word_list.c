// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/word_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool word_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list)
		return true;
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && !strncmp(list, word, len))
			return true;
	return false;
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
