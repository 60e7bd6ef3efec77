// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/subcommand.h"

#include <errno.h>
#include <string.h>

#include "util/cli/similar.h"
#include "util/cli/terminal.h"

const struct subcommand *subcommand_find(const struct subcommand *const *table, const char *name)
{
	size_t len = strlen(name);

	for (const struct subcommand *const *c = table; *c; c++) {
		const struct subcommand *cmd = *c;

		if (!strcmp(cmd->name, name))
			return cmd;
	}
	for (const struct subcommand *const *c = table; *c; c++) {
		const struct subcommand *cmd = *c;

		if (cmd->min_prefix && len >= cmd->min_prefix && !strncmp(cmd->name, name, len))
			return cmd;
	}
	return NULL;
}

const char *subcommand_similar(const struct subcommand *const *table, const char *name)
{
	struct similar similar;

	similar_init(&similar, name, strlen(name));
	for (const struct subcommand *const *c = table; *c; c++)
		if ((*c)->help)
			similar_try(&similar, (*c)->name, strlen((*c)->name));
	return similar.best;
}

int subcommand_unknown(const struct subcommand *const *table, const char *what, const char *name,
		       struct error *err)
{
	const char *similar = subcommand_similar(table, name);
	char names[256] = "";
	size_t used = 0;

	if (similar)
		return error_set(err, EINVAL, "unknown %s '%.80s', did you mean '%s'?", what, name,
				 similar);
	for (const struct subcommand *const *c = table; *c && used < sizeof(names); c++) {
		const struct subcommand *cmd = *c;

		if (!cmd->help)
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", cmd->name);
	}
	return error_set(err, EINVAL, "unknown %s '%.80s', want one of %s", what, name, names);
}

void subcommand_list(const struct subcommand *const *table, FILE *out, int columns)
{
	int width = 0;

	for (const struct subcommand *const *c = table; *c; c++) {
		const struct subcommand *cmd = *c;

		if (cmd->help && (int)strlen(cmd->name) > width)
			width = (int)strlen(cmd->name);
	}
	for (const struct subcommand *const *c = table; *c; c++) {
		const struct subcommand *cmd = *c;

		if (!cmd->help)
			continue;
		fprintf(out, "    %-*s  ", width, cmd->name);
		wrap_text(out, cmd->help, width + 6, width + 6, columns);
	}
}
