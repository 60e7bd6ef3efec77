/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of tasks: COMM, FORK, EXIT, CGROUP, and the MMAP and MMAP2 of user space; what they say
 * is so from their time on.
 */
#ifndef SESSION_TASK_RECORD_H
#define SESSION_TASK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "util/perfdata/record.h"
#include "util/session/recording.h"
#include "util/source/event_source.h"

/* Does the sink want to know of records of this type? */
bool task_record_wanted(const struct event_sink *sink, uint32_t type);

/*
 * A whole record, of a type that is wanted, to the sink; one that is too small for its fields is
 * skipped.  swap: its byte order is not ours.  Returns what the sink returns.
 */
int task_record_hand(const uint8_t *data, bool swap, const struct event_sink *sink, void *ctx);

/*
 * Records about the recording itself: where the kernel was, how much was lost, and, in a pipe, its
 * events and features.
 */

/* Note what it says; one of another type says nothing.  Errors: -ENOMEM; -EBADMSG: it is too small
 * for its fields. */
int about_record_note(struct recording *recording, const struct record *record);

#endif
