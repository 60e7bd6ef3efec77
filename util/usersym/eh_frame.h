/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions an .eh_frame section tells how to unwind, sorted by address.
 *
 * Linkers make such a table (.eh_frame_hdr), but not for programs that gcc links statically.  An
 * entry is as in .eh_frame_hdr: where a function starts, and where its description (FDE) is, both
 * relative to the section.  What makes no sense, or is written in a way that no compiler uses for
 * programs, is left out.  The section may contain anything: time and memory are bounded by its
 * size.
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
