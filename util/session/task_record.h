/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of tasks, and records that describe the recording.
 *
 * Those of tasks are COMM, FORK, EXIT, CGROUP, and the MMAP and MMAP2 of user space; they are valid
 * from their time on. The others contain addresses of the kernel, the number of lost events and, in
 * a pipe, events and features.
 */
#ifndef SESSION_TASK_RECORD_H
#define SESSION_TASK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "util/perfdata/record.h"
#include "util/session/recording.h"
#include "util/source/event_source.h"

/* Whether the sink has a function for records of this type. */
bool task_record_wanted(const struct event_sink *sink, uint32_t type);

/*
 * Pass a whole record, of a wanted type, to the sink. A record too small for its fields is skipped.
 * swap: its byte order is not this machine's. Returns the sink's result.
 */
int task_record_hand(const uint8_t *data, bool swap, const struct event_sink *sink, void *ctx);

/* Store the facts of a record that describes the recording; other types are ignored. Errors:
 * -ENOMEM; -EBADMSG if it is too small for its fields. */
int about_record_note(struct recording *recording, const struct record *record);

#endif
