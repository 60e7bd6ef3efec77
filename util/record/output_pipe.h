/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output in the form for pipes: what a file has behind its samples stands ahead of them.
 *
 * Features are records (type 80), the tracing data follow theirs (type 66); stock reads both, and
 * seeks over a kallsyms part that must be empty therefore.  So symbols come in records that stock
 * ignores (struct perfdata_early): the whole tracing data with all of the kernel's functions, since
 * nobody knows yet which are recorded (2 to 5 MB; packed a fifth).  What only
 * the end knows (counts, the time span) comes last.
 */
#ifndef RECORD_OUTPUT_PIPE_H
#define RECORD_OUTPUT_PIPE_H

#include "util/record/output.h"

/* What is known at the start. */
int output_pipe_begin(struct output *o, struct error *err);

/* features: those that a file would end in. */
int output_pipe_finish(struct output *o, const struct event_counts *counts,
		       const struct perfdata_features *features, struct error *err);

#endif
