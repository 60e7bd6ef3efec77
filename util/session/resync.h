/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether bytes are likely to be a record, and, where they are not, the next place from which a
 * sequence of records starts.
 */
#ifndef SESSION_RESYNC_H
#define SESSION_RESYNC_H

#include "util/perfdata/record.h"
#include "util/session/perfdata_input.h"

/*
 * Is a record that can be read also likely to be one?  One of a type that we do not know is when
 * the records behind it make sense.  left: bytes from its start on.
 */
bool record_is_believable(const struct recording *recording, const struct record *record,
			  uint64_t left);

/*
 * Note that no record starts at data; pos: where a user finds that in the recording.  *ret_skip:
 * the bytes up to the next place from which a sequence of records starts; all bytes left if there
 * is none.  at_end: no more bytes will follow these.  -ECANCELED: the progress function ended the
 * search.
 */
int record_skip(struct perfdata_input *in, const uint8_t *data, uint64_t left, uint64_t pos,
		bool at_end, uint64_t *ret_skip);

#endif
