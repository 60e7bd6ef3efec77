/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether bytes are likely to be a record, and finds the next place where a sequence of
 * records starts.
 */
#ifndef SESSION_RESYNC_H
#define SESSION_RESYNC_H

#include "util/perfdata/record.h"
#include "util/session/perfdata_input.h"

/*
 * Whether a complete record is plausible. For an unknown type, the records after it must make
 * sense. left: bytes from its start on.
 */
bool record_is_believable(const struct recording *recording, const struct record *record,
			  uint64_t left);

/*
 * Note that no record starts at data. pos: its position for the user. *ret_skip: number of bytes up
 * to the next place where a sequence of records starts, or all remaining bytes. at_end: no more
 * bytes will follow. Returns 0, or -ECANCELED if the progress function stopped the search.
 */
int record_skip(struct perfdata_input *in, const uint8_t *data, uint64_t left, uint64_t pos,
		bool at_end, uint64_t *ret_skip);

#endif
