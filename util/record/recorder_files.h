/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's files: which one is written, when the next begins, what a snapshot holds.
 *
 * Parts of recorder.c's work, on its struct recorder.  Errors of writing are for the caller to
 * keep in write_error.  A file made in passing is told of through options.tell.
 */
#ifndef RECORD_RECORDER_FILES_H
#define RECORD_RECORDER_FILES_H

#include "util/record/recorder.h"

/* Open the first file, as yet without its name; with overwrite only see that it can be made. */
int recorder_open_file(struct recorder *r, struct error *err);

/* The first file gets its name and the tasks that are there. */
int recorder_begin_file(struct recorder *r, struct error *err);

/* Is it time for the next file or a snapshot? Removes the trigger file. */
bool recorder_wants_file(struct recorder *r, uint64_t now_ns);

/* End this file and begin the next one, or take a snapshot, while the recording goes on. */
int recorder_next_file(struct recorder *r, uint64_t now_ns, struct error *err);

/* Events are disabled and all that is to be written was written: end the last file. */
int recorder_end_files(struct recorder *r, struct error *err);

#endif
