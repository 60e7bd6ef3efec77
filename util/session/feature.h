/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features: the sections after the data (or HEADER_FEATURE records in a pipe) in which a recording
 * describes its machine.
 *
 * One table entry for each feature that is read; others are skipped.  A feature that does not parse
 * is ignored, with a message under -v: no figure may be lost because a description is broken.
 */
#ifndef SESSION_FEATURE_H
#define SESSION_FEATURE_H

#include "util/base/bytes.h"
#include "util/session/recording.h"

/* Read feature number `bit` from its bytes into the recording. -ENOMEM is the only error. */
int feature_read(struct recording *r, unsigned int bit, struct bytes bytes);

#endif
