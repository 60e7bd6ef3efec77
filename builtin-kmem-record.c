// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: perf record with the kmem events, of the whole system. */
#include "builtin-kmem.h"
#include "builtin.h"

int kmem_record(int argc, const char **argv, void *context)
{
	(void)context;
	return cmd_record(argc, argv);
}
