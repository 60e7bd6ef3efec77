/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of perf record: from the command line to struct recorder_options.
 */
#ifndef BUILTIN_RECORD_OPTIONS_H
#define BUILTIN_RECORD_OPTIONS_H

#include "builtin/record.h"
#include "util/record/recorder.h"

struct record_cli {
	struct recorder_options options;
	bool stacks;
	bool user_stacks;
	bool raw;
	bool quiet;
	bool snapshot_on; /* --snapshot-on was given */
	bool switch_output;
	int verbose;
	uint64_t max_stack;
};

/* -1: parsed, record; else the exit status. The caller calls _deinit() in any case. */
int record_cli_parse(struct record_cli *cli, const struct record_preset *preset, int argc,
		     const char **argv);
void record_cli_deinit(struct record_cli *cli);

#endif
