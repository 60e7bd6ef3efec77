/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features: the recording's description of its machine, in sections after the data or, in a pipe,
 * in HEADER_FEATURE records.
 *
 * A table has one entry for each feature that is read; others are skipped. A feature that cannot be
 * parsed is ignored, with a message under -v: a broken description must not cost any figures.
 */
#ifndef SESSION_FEATURE_H
#define SESSION_FEATURE_H

#include "util/base/bytes.h"
#include "util/session/recording.h"

/* Read feature number `bit` from its bytes into the recording. Returns 0, or -ENOMEM. */
int feature_read(struct recording *r, unsigned int bit, struct bytes bytes);

#endif
