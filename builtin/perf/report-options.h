/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of perf report, and the rows, order and columns that they request.
 */
#ifndef BUILTIN_PERF_REPORT_OPTIONS_H
#define BUILTIN_PERF_REPORT_OPTIONS_H

#include "builtin/recording-input.h"
#include "builtin/perf/sample-filter.h"
#include "builtin/user-files.h"
#include "util/profile/report_profile.h"
#include "util/render/form.h"

struct report_command {
	struct recording_input input;
	struct sample_filter filter;
	struct user_files files;
	const struct form *form;
	const char *sort, *fields; /* NULL: the default ones */
	const char *dsos, *symbols;
	const char *kallsyms, *vmlinux, *separator;
	bool stdio, tui, gtk;
	bool children_given, children;
	bool no_graph; /* -g none */
	bool order_given, caller_first;
	bool show_samples, show_period, hide_unresolved, relative;
	bool no_inline, full_source_path;
	double min_percent;
	struct call_tree_shape shape;
	int widths[REPORT_WIDTHS_MAX];
};

extern const struct option report_options[];

void report_command_init(struct report_command *c);

/*
 * Whether all named fields are supported. Errors: one is not (EINVAL), or an unsupported interface.
 */
int report_command_check(const struct report_command *c, struct error *err);

/* The settings for a recording with these events. */
int report_columns_init(struct profile_report *columns, const struct report_command *c,
			const struct source_facts *facts, struct histogram_options *rows,
			struct error *err);

#endif
