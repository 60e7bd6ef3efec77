// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem record: perf record with the kmem events, of the whole system. */
#include "builtin/command.h"
#include "builtin/kmem-common.h"
#include "builtin/record.h"
#include "util/base/strbuf.h"

/* What one records for: bits. */
enum {
	FOR_SLAB = 1,
	FOR_PAGE = 2,
	FOR_PERCPU = 4,
	FOR_EXTFRAG = 8,
	FOR_ALL_KINDS = 16,
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
	{"kmem:mm_page_alloc", FOR_PAGE | FOR_PERCPU | FOR_EXTFRAG | FOR_ALL_KINDS,
	 FOR_PAGE | FOR_ALL_KINDS},
	{"kmem:mm_page_free", FOR_PAGE | FOR_PERCPU | FOR_ALL_KINDS, FOR_PERCPU | FOR_ALL_KINDS},
	{"kmem:mm_page_free_batched", FOR_PERCPU, 0},
	{"kmem:mm_page_alloc_zone_locked", FOR_PERCPU, 0},
	{"kmem:mm_page_pcpu_drain", FOR_PERCPU, 0},
	{"kmem:mm_page_alloc_extfrag", FOR_PERCPU | FOR_EXTFRAG | FOR_ALL_KINDS,
	 FOR_EXTFRAG | FOR_ALL_KINDS},
	{"kmem:*", FOR_ALL_KINDS, 0},
};

struct kmem_record_command {
	const struct kmem_config *config;
	struct record_cli record;
	struct kmem_options wanted; /* the reports that it is for */
	bool all;
	struct strbuf events; /* as -e takes them */
};

static const struct option table[] = {
	OPT_BOOL(0, "slab", struct kmem_record_command, wanted.slab,
		 "slab allocator events (the default)"),
	OPT_BOOL(0, "page", struct kmem_record_command, wanted.page,
		 "page allocator events, with the kernel's callchains"),
	OPT_BOOL(0, "percpu", struct kmem_record_command, wanted.percpu,
		 "what stat --percpu needs: per-CPU page lists, and frees with callchains"),
	OPT_BOOL(0, "extfrag", struct kmem_record_command, wanted.extfrag,
		 "what stat --extfrag needs: fallbacks to other migrate types, with "
		 "callchains"),
	OPT_BOOL(0, "all", struct kmem_record_command, all, "every kmem event, for any report"),
	OPT_INCLUDE_FOR(struct kmem_record_command, record, record_options),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem record [<options>] [--] [<command>]", NULL};
static const struct options options = {"perf kmem record", usage, table,
				       .siblings = kmem_subcommands};

static const char *select_events(void *command)
{
	struct kmem_record_command *c = command;
	struct kmem_options *o = &c->wanted;
	unsigned int wanted;

	if (!c->all)
		kmem_select_default(c->config, o);
	wanted = (o->slab ? FOR_SLAB : 0) | (o->page ? FOR_PAGE : 0) |
		 (o->percpu ? FOR_PERCPU : 0) | (o->extfrag ? FOR_EXTFRAG : 0) |
		 (c->all ? FOR_ALL_KINDS : 0);
	if (!wanted)
		wanted = FOR_SLAB;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].recorded_for & wanted)
			strbuf_addf(&c->events, "%s%s%s", c->events.len ? "," : "", events[i].event,
				    events[i].callchain_for & wanted ? "/call-graph=kernel/" : "");
	return c->events.buf;
}

static int kmem_record_run(int argc, const char **argv, void *config)
{
	static const struct record_preset preset = {
		.options = &options,
		.events = select_events,
		.announce = "[ Recording kmem events of the whole system, Ctrl-C to stop ]",
		.system_wide = true,
	};
	struct kmem_record_command c = {.config = config, .events = STRBUF_INIT};
	int status = record_with_preset(&preset, &c, &c.record, argc, argv);

	strbuf_deinit(&c.events);
	return status;
}

const struct subcommand kmem_record = {
	.name = "record",
	.min_prefix = 3,
	.help = "record the kernel's slab and page allocator events",
	.options = &options,
	.run = kmem_record_run,
};
