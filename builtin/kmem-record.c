// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: perf record with the kmem events, of the whole system. */
#include "builtin/kmem.h"
#include "builtin/record.h"

#include "util/base/strbuf.h"

/* What one records for: bits. */
enum {
	FOR_SLAB = 1,
	FOR_PAGE = 2,
	FOR_PERCPU = 4,
	FOR_EXTFRAG = 8,
	FOR_ALL = 16,
};

/*
 * Which events each report needs, and for which reports with the kernel's callchain: slab events
 * carry their call site, so only page events need one.  An event stands before the globs
 * that match it, too: its first mention counts.
 */
static const struct {
	const char *event;
	unsigned int recorded_for, callchain_for;
} events[] = {
	/* globs, because kernels before 6.1 have *_node twins of the allocation events */
	{"kmem:kmalloc*", FOR_SLAB, 0},
	{"kmem:kfree", FOR_SLAB, 0},
	{"kmem:kmem_cache_alloc*", FOR_SLAB, 0},
	{"kmem:kmem_cache_free", FOR_SLAB, 0},
	/* --percpu: it ends a run of refills; --extfrag: the fallbacks' part of all */
	{"kmem:mm_page_alloc", FOR_PAGE | FOR_PERCPU | FOR_EXTFRAG | FOR_ALL, FOR_PAGE | FOR_ALL},
	{"kmem:mm_page_free", FOR_PAGE | FOR_PERCPU | FOR_ALL, FOR_PERCPU | FOR_ALL},
	{"kmem:mm_page_free_batched", FOR_PERCPU, 0},
	{"kmem:mm_page_alloc_zone_locked", FOR_PERCPU, 0},
	{"kmem:mm_page_pcpu_drain", FOR_PERCPU, 0},
	{"kmem:mm_page_alloc_extfrag", FOR_PERCPU | FOR_EXTFRAG | FOR_ALL, FOR_EXTFRAG | FOR_ALL},
	{"kmem:*", FOR_ALL, 0},
};

struct selection {
	struct kmem_cli *cli;
	bool all;
	struct strbuf events; /* as -e takes them */
};

static const char *select_events(void *ctx)
{
	struct selection *s = ctx;
	const struct kmem_options *o;
	unsigned int wanted;

	if (!s->all)
		kmem_cli_select_default(s->cli);
	o = &s->cli->analysis;
	wanted = (o->slab ? FOR_SLAB : 0) | (o->page ? FOR_PAGE : 0) |
		 (o->percpu ? FOR_PERCPU : 0) | (o->extfrag ? FOR_EXTFRAG : 0) |
		 (s->all ? FOR_ALL : 0);
	if (!wanted)
		wanted = FOR_SLAB;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].recorded_for & wanted)
			strbuf_addf(&s->events, "%s%s%s", s->events.len ? "," : "", events[i].event,
				    events[i].callchain_for & wanted ? "/call-graph=kernel/" : "");
	return s->events.buf;
}

int kmem_record(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	struct selection selection = {.cli = cli, .events = STRBUF_INIT};
	const struct option options[] = {
		OPT_BOOL(0, "slab", &cli->analysis.slab, "slab allocator events (the default)"),
		OPT_BOOL(0, "page", &cli->analysis.page,
			 "page allocator events, with the kernel's callchains"),
		OPT_BOOL(0, "percpu", &cli->analysis.percpu,
			 "what stat --percpu needs: per-CPU page lists, and frees with callchains"),
		OPT_BOOL(0, "extfrag", &cli->analysis.extfrag,
			 "what stat --extfrag needs: fallbacks to other migrate types, with "
			 "callchains"),
		OPT_BOOL(0, "all", &selection.all, "every kmem event, for any report"),
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
		.ctx = &selection,
		.quiet = cli->quiet,
		.verbose = cli->verbose,
		.announce = "[ Recording kmem events of the whole system, Ctrl-C to stop ]",
		.system_wide = true,
	};
	int status = record_with_preset(&preset, argc, argv);

	strbuf_deinit(&selection.events);
	return status;
}
