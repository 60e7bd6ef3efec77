/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads the files of `perf kmem snapshot`.
 *
 * A snapshot is a tar archive (tar.h), usually compressed with zstd. Its entries are in the folder
 * ARCHIVE_FOLDER (archive_entries.h): first `info`, lines "KEY: VALUE" (archive_info.h); then
 * copies of the kernel's files, under their names. Rows of the slab allocator come from slabinfo
 * or, without one, from allocinfo; those of pages from page_owner or, without one, from
 * page_owner_stacks. Areas of vmalloc space, from vmallocinfo, become rows only if the options ask
 * for them. The other entries become tables of the facts. options->format may name one of the
 * parts; only that part is read then.
 */
#ifndef DUMP_ARCHIVE_H
#define DUMP_ARCHIVE_H

#include "util/source/event_source.h"

extern const struct event_source_ops event_source_snapshot;

#endif
