/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of words from the user, separated by commas. A list that is NULL contains every word.
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool word_list_has(const char *list, const char *word);
bool word_list_has_number(const char *list, uint32_t number);

/*
 * Like word_list_has(), and sets the bit of each matching word, the first one's in bit 0. Only the
 * first 64 words have bits.
 */
bool word_list_note(const char *list, const char *word, uint64_t *seen);

/* Returns the first word whose bit is not set, "" for an empty list, or NULL if there is none. */
const char *word_list_unseen(const char *list, uint64_t seen, size_t *ret_len);

/* Whether each word is a number that word_list_has_number() can find. */
bool word_list_is_numbers(const char *list);

#endif
