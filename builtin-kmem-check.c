// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: options that mean nothing to a subcommand are refused, not ignored. */
#include "builtin-kmem.h"

#include <errno.h>

static bool has_sort(const struct kmem_cli *cli)
{
	bool has = cli->tables.all_sort.slab.nr || cli->tables.all_sort.page.nr;

	for (unsigned int i = 0; i < cli->tables.nr; i++)
		has |= cli->tables.v[i].sort.slab.nr || cli->tables.v[i].sort.page.nr;
	return has;
}

static const char *command_name(enum kmem_command command)
{
	switch (command) {
	case KMEM_STAT:
		return "stat";
	case KMEM_LEAK:
		return "leak";
	case KMEM_DIFF:
		return "diff";
	default:
		return "stat and diff";
	}
}

int kmem_cli_check(const struct kmem_cli *cli, enum kmem_command command, struct error *err)
{
	const struct {
		const char *option;
		bool given;
		enum kmem_command commands; /* whose it is; two of them: bits */
	} options[] = {
		{"--caller, --alloc and --by are", cli->tables.nr, KMEM_STAT | KMEM_DIFF},
		{"--sort is", has_sort(cli), KMEM_STAT},
		{"--fields is", cli->report.fields.nr, KMEM_STAT},
		{"--weight is", cli->report.weight, KMEM_STAT},
		{"--live is", cli->report.live, KMEM_STAT},
		{"--peak is", cli->peak, KMEM_STAT},
		{"--lifetime is", cli->report.lifetimes, KMEM_STAT},
		{"--percpu and --extfrag are", cli->analysis.percpu || cli->analysis.extfrag,
		 KMEM_STAT},
		{"--min-age is", cli->min_age_ns, KMEM_LEAK},
		{"--per-second is", cli->per_second, KMEM_DIFF},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !(options[i].commands & command))
			return error_set(err, EINVAL, "%s for %s, not for %s", options[i].option,
					 command_name(options[i].commands), command_name(command));
	return 0;
}
