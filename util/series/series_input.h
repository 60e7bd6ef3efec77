/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct series_input: a file of snapshots (util/dump/archive_series.h), read into a struct series.
 *
 * If the machine was started again meanwhile, only the snapshots since then are taken: processes
 * and memory begin anew. A long series is thinned to snapshots at equal distances, and the last
 * one.
 */
#ifndef SERIES_SERIES_INPUT_H
#define SERIES_SERIES_INPUT_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/series/series.h"

struct series_input {
	struct series series;
	struct source_facts facts; /* of the last snapshot; the damage is the file's */
	uint64_t nr;		   /* whole snapshots in the file */
	uint64_t nr_earlier;	   /* those taken before the machine was started again */
};

/* Errors: it cannot be read twice; it is not a snapshot, or there is only one. */
int series_input_read(struct series_input *s, const char *path, bool force, struct error *err);
void series_input_deinit(struct series_input *s);

#endif
