/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A series of snapshots: archives (archive.h) one after the other in one file.
 *
 * The number of snapshots is found by reading the file twice, so it cannot be a pipe. A damaged or
 * incomplete snapshot and everything after it do not count.
 */
#ifndef DUMP_ARCHIVE_SERIES_H
#define DUMP_ARCHIVE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/source/facts.h"
#include "util/source/input.h"

/*
 * Count the whole snapshots of the input's file, which is opened again. The damage is noted in the
 * facts. Errors: it is a pipe; it cannot be read.
 */
int archive_series_count(const struct input *in, bool force, struct source_facts *damage,
			 uint64_t *ret_nr, struct error *err);

/* Skip the entries of a snapshot whose info was read, up to its end. Returns 0 or -errno. */
int archive_skip_entries(struct input *in, struct source_facts *damage);

/*
 * archive_read_info(), but of the last whole snapshot of a series, with a warning that the others
 * are left out.
 */
int archive_read_last_info(struct input *in, bool force, struct source_facts *facts,
			   unsigned int *parts, struct error *err);

#endif
