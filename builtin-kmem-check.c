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

int kmem_cli_check(const struct kmem_cli *cli, enum kmem_command command, struct error *err)
{
	static const char *const names[] = {
		[KMEM_STAT] = "stat", [KMEM_LEAK] = "leak", [KMEM_DIFF] = "diff"};
	const struct {
		const char *option;
		bool given;
		unsigned int commands; /* bits: whose option it is */
	} options[] = {
		{"--caller, --alloc and --by", cli->tables.nr, KMEM_STAT | KMEM_DIFF},
		{"--sort", has_sort(cli), KMEM_STAT},
		{"--fields", cli->report.fields.nr, KMEM_STAT},
		{"--weight", cli->report.weight, KMEM_STAT},
		{"--live", cli->report.live, KMEM_STAT},
		{"--peak", cli->peak, KMEM_STAT},
		{"--lifetime", cli->report.lifetimes, KMEM_STAT},
		{"--percpu", cli->analysis.percpu, KMEM_STAT},
		{"--extfrag", cli->analysis.extfrag, KMEM_STAT},
		{"--min-age", cli->min_age_ns, KMEM_LEAK},
		{"--per-second", cli->per_second, KMEM_DIFF},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !(options[i].commands & command))
			return error_set(err, EINVAL, "%s mean%s nothing to %s", options[i].option,
					 i ? "s" : "", names[command]);
	return 0;
}
