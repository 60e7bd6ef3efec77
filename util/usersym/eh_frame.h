/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sorted table of the functions in an .eh_frame section.
 *
 * Linkers make such a table (.eh_frame_hdr), but gcc does not when it links statically. An
 * entry is as in .eh_frame_hdr: the start of a function and the position of its FDE, both relative
 * to the section. Invalid entries, and encodings that no compiler uses in user space, are skipped.
 * The section may be hostile: time and memory are limited by its size.
 */
#ifndef USERSYM_EH_FRAME_H
#define USERSYM_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eh_frame_entry {
	int32_t start, fde;
};

/* address: of the section. The caller frees the entries. Errors: -ENOMEM. */
int eh_frame_read(const uint8_t *section, size_t size, uint64_t address, bool swap,
		  struct eh_frame_entry **ret_entries, size_t *ret_nr);

#endif
