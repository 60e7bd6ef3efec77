/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of words as users write them, separated by commas.  No list (NULL) has every word.
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool word_list_has(const char *list, const char *word);
bool word_list_has_number(const char *list, uint32_t number);

/*
 * word_list_has(), which also sets the bit of each word that it is, the first one's in bit 0; there
 * are bits for the first 64.
 */
bool word_list_note(const char *list, const char *word, uint64_t *seen);

/* The first word that has a bit which is not set, "" of an empty list; NULL: there is none. */
const char *word_list_unseen(const char *list, uint64_t seen, size_t *ret_len);

/* Is each word a number that word_list_has_number() can find? */
bool word_list_is_numbers(const char *list);

#endif
