/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of a snapshot (archive.h), one after the other, in constant memory.
 *
 * An invalid entry is damage, which the facts get, and ends the archive.
 */
#ifndef DUMP_ARCHIVE_ENTRIES_H
#define DUMP_ARCHIVE_ENTRIES_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/dump/tar.h"
#include "util/source/facts.h"
#include "util/source/input.h"

#define ARCHIVE_FOLDER "perf-kmem-snapshot/"
#define ARCHIVE_INFO   "info"

/* Limit of entries; a snapshot has about ten. */
#define ARCHIVE_ENTRIES_MAX 1000

/* Whether the input begins like a snapshot, or like a series of them (archive_info.h). */
bool archive_probe(const struct source_input *input);
bool archive_is_series(const struct source_input *input);

/* Returns 1, 0 at the end, or -errno. */
int archive_next_entry(struct input *in, struct source_facts *facts, struct tar_entry *ret_entry);

/*
 * Open the entry's bytes as an input. Free it before calling archive_end_entry(), which moves to
 * the next entry's header.
 */
int archive_open_entry(struct input *in, const struct tar_entry *e, struct input **ret_part);
int archive_end_entry(struct input *in, const struct tar_entry *e);

/* The name of a part of the snapshot; NULL for other entries. */
const char *archive_part_name(const struct tar_entry *e);

/*
 * Read the first entry, with the facts of the machine. *parts gets the bits of the listed parts
 * (archive_info.h). Errors: it is not a snapshot; it was written by a newer perf.
 */
int archive_read_info(struct input *in, struct source_facts *facts, unsigned int *parts,
		      struct error *err);

/*
 * The same for the snapshot that follows one whose end archive_next_entry() has reached. Damage is
 * noted in `damage`, which may be another struct. Returns 1; 0 if none follows; or -errno.
 */
int archive_read_next_info(struct input *in, struct source_facts *facts,
			   struct source_facts *damage, unsigned int *parts, struct error *err);

#endif
