// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/migrate_reason.h"

#include <string.h>

static const char *const names[MIGRATE_REASONS_NR] = {
	[MIGRATE_REASON_NONE] = "none",
	[MIGRATE_REASON_COMPACTION] = "compaction",
	[MIGRATE_REASON_MEMORY_FAILURE] = "memory_failure",
	[MIGRATE_REASON_MEMORY_HOTPLUG] = "memory_hotplug",
	[MIGRATE_REASON_SYSCALL] = "syscall_or_cpuset",
	[MIGRATE_REASON_MBIND] = "mempolicy_mbind",
	[MIGRATE_REASON_NUMA] = "numa_misplaced",
	[MIGRATE_REASON_CMA] = "cma",
	[MIGRATE_REASON_CONTIG_RANGE] = "contig_range",
	[MIGRATE_REASON_LONGTERM_PIN] = "longterm_pin",
	[MIGRATE_REASON_DEMOTION] = "demotion",
	[MIGRATE_REASON_DAMON] = "damon",
	[MIGRATE_REASON_OTHER] = "other",
};

enum migrate_reason migrate_reason_find(const char *name, size_t len)
{
	for (int r = 0; r < MIGRATE_REASON_OTHER; r++)
		if (strlen(names[r]) == len && !memcmp(names[r], name, len))
			return (enum migrate_reason)r;
	return MIGRATE_REASON_OTHER;
}

const char *migrate_reason_name(uint64_t reason)
{
	return reason < MIGRATE_REASONS_NR ? names[reason] : NULL;
}
