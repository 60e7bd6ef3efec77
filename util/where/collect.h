/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the holders of memory (holders.h) of this machine, as a text.
 *
 * It makes one pass over /proc, with a deadline, and reads a few small files of sysfs, debugfs and
 * tracefs. Processes that were left out, because time ran out or reading them is not permitted, are
 * counted in a line of the kind "skipped".
 */
#ifndef WHERE_COLLECT_H
#define WHERE_COLLECT_H

#include "util/base/strbuf.h"

/* The part of a snapshot with this text. */
#define COLLECT_PART "holders"

/* Limit of the pass over /proc. */
#define COLLECT_NS UINT64_C(2000000000)

/* root: prefix of the paths, for tests; "" for this machine. Errors: -ENOMEM. */
int collect_holders(const char *root, struct strbuf *sb);

#endif
