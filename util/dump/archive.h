/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads what `perf kmem snapshot` has written.
 *
 * A snapshot is a tar archive (tar.h), usually packed with zstd, whose entries lie in the folder
 * ARCHIVE_FOLDER: first `info`, lines "KEY: VALUE" (archive_info.h); then copies of what the kernel
 * said, each by the name of its file.  Rows of the slab allocator come from slabinfo, those of
 * pages from page_owner or, without one, from page_owner_stacks; everything else becomes tables of
 * the facts.  options->format may name one of the parts, which alone is read then.
 */
#ifndef DUMP_ARCHIVE_H
#define DUMP_ARCHIVE_H

#include "util/source/event_source.h"

#define ARCHIVE_FOLDER "perf-kmem-snapshot/"
#define ARCHIVE_INFO   "info"

extern const struct event_source_ops event_source_snapshot;

#endif
