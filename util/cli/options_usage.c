// SPDX-License-Identifier: GPL-2.0-or-later
/* The usage text of an option table: two aligned columns, wrapped. */
#include <string.h>

#include "util/cli/options.h"
#include "util/cli/subcommand.h"
#include "util/cli/terminal.h"

#define INDENT		4
#define HELP_COLUMN_MAX 34
#define COLUMNS_MIN	40

/* Write "    -i, --input <file>" into buf; returns its length. */
static int format_label(const struct option *opt, char *buf, size_t n)
{
	const char *argh = opt->argh ? opt->argh : "<value>";
	const char *sep = " ", *end = "";
	char name[96] = "";
	char shorty[4] = "";

	if (opt->type == OPTION_BOOL || opt->type == OPTION_COUNT || (opt->flags & OPTION_NOARG)) {
		sep = argh = "";
	} else if (opt->flags & OPTION_OPTARG) {
		sep = opt->long_name ? "[=" : "[";
		end = "]";
	}
	if (opt->short_name)
		snprintf(shorty, sizeof(shorty), "-%c", opt->short_name);
	if (opt->long_name)
		snprintf(name, sizeof(name), "%s--%s", opt->short_name ? ", " : "    ",
			 opt->long_name);
	snprintf(buf, n, "%*s%s%s%s%s%s", INDENT, "", shorty, name, sep, argh, end);
	return (int)strlen(buf);
}

static int help_column(const struct options *options)
{
	const struct option *opt;
	struct option_walk w;
	char label[256];
	int column = 0;
	void *into;

	option_walk_init(&w, options->table, NULL);
	while ((opt = option_walk_next(&w, &into))) {
		int len;

		if (!option_is_shown(opt))
			continue;
		len = format_label(opt, label, sizeof(label)) + 2;
		if (len > column && len <= HELP_COLUMN_MAX)
			column = len;
	}
	return column ? column : HELP_COLUMN_MAX;
}

static void print_option(FILE *out, const struct option *opt, int column, int columns)
{
	char label[256];
	int len = format_label(opt, label, sizeof(label));

	fputs(label, out);
	if (!opt->help || !*opt->help) {
		fputc('\n', out);
		return;
	}
	if (len + 2 > column) {
		fputc('\n', out);
		len = 0;
	}
	fprintf(out, "%*s", column - len, "");
	wrap_text(out, opt->help, column, column, columns);
}

void options_usage(const struct options *options, FILE *out, int columns)
{
	const char *prefix = "usage: ";
	const struct option *opt;
	struct option_walk w;
	void *into;
	int column = help_column(options);
	bool any = false;

	if (columns < COLUMNS_MIN)
		columns = COLUMNS_MIN;
	for (const char *const *line = options->usage; line && *line; line++) {
		fputs(prefix, out);
		wrap_text(out, *line, (int)strlen(prefix), 12, columns);
		prefix = "   or: ";
	}
	option_walk_init(&w, options->table, NULL);
	while ((opt = option_walk_next(&w, &into))) {
		if (opt->flags & OPTION_HIDDEN)
			continue;
		if (opt->type == OPTION_GROUP) {
			if (*opt->help)
				fputc('\n', out);
			fprintf(out, "%s\n", opt->help);
			any = true;
			continue;
		}
		if (!any)
			fputc('\n', out);
		any = true;
		print_option(out, opt, column, columns);
	}
	if (options->subcommands) {
		fputs("\nSubcommands:\n", out);
		subcommand_list(options->subcommands, out, columns);
	}
	if (options->note) {
		fputc('\n', out);
		wrap_text(out, options->note, 0, 0, columns);
	}
}
