/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An input as a file, for a source that has to seek.
 */
#ifndef SOURCE_INPUT_FILE_H
#define SOURCE_INPUT_FILE_H

#include "util/base/error.h"
#include "util/source/input.h"

/*
 * Copy the rest of the input into an unlinked temporary file in $TMPDIR (or /tmp), which the caller
 * closes.  Errors: those of creating and writing the file.
 */
int input_to_file(struct input *in, int *ret_fd, struct error *err);

#endif
