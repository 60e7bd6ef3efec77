/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records about the recording itself: where the kernel was, how much was lost, and, in a pipe, its
 * events and features.
 */
#ifndef SESSION_ABOUT_RECORD_H
#define SESSION_ABOUT_RECORD_H

#include "util/perfdata/record.h"
#include "util/session/recording.h"

/* Note what it says; one of another type says nothing.  Errors: -ENOMEM; -EBADMSG: it is too small
 * for its fields. */
int about_record_note(struct recording *recording, const struct record *record);

#endif
