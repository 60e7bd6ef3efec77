// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: perf record with the kmem events, of the whole system. */
#include "builtin-kmem.h"
#include "builtin-record.h"

/*
 * Globs, because kernels before 6.1 have *_node twins of the allocation events.  Only page
 * allocations need callchains: slab events carry their call site.
 */
#define SLAB_EVENTS "kmem:kmalloc*,kmem:kfree,kmem:kmem_cache_alloc*,kmem:kmem_cache_free"
#define PAGE_EVENTS "kmem:mm_page_alloc/call-graph=kernel/,kmem:mm_page_free"

static const char *select_events(void *ctx)
{
	struct kmem_cli *cli = ctx;

	kmem_cli_select_default(cli);
	if (cli->analysis.slab && cli->analysis.page)
		return SLAB_EVENTS "," PAGE_EVENTS;
	return cli->analysis.page ? PAGE_EVENTS : SLAB_EVENTS;
}

int kmem_record(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	const struct option options[] = {
		OPT_BOOL(0, "slab", &cli->analysis.slab, "slab allocator events (the default)"),
		OPT_BOOL(0, "page", &cli->analysis.page,
			 "page allocator events, with the kernel's callchains"),
		OPT_END(),
	};
	static const char *const usage[] = {
		"perf kmem record [<options>] [--] [<command>]",
		NULL,
	};
	const struct record_preset preset = {
		.command = "perf kmem record",
		.usage = usage,
		.options = options,
		.events = select_events,
		.ctx = cli,
		.announce = "[ Recording kmem events of the whole system, Ctrl-C to stop ]",
		.system_wide = true,
	};

	return record_with_preset(&preset, argc, argv);
}
