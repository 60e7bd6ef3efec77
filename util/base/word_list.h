/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of words as users write them, separated by commas.  No list (NULL) has every word.
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include <stdbool.h>
#include <stdint.h>

bool word_list_has(const char *list, const char *word);
bool word_list_has_number(const char *list, uint32_t number);

/* Is each word a number that word_list_has_number() can find? */
bool word_list_is_numbers(const char *list);

#endif
