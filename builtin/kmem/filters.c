// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/filters.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/timespan.h"

static int opt_time(const struct option_use *use, struct error *err)
{
	struct kmem_filters *f = use->into;
	struct time_window *v = reallocarray(f->windows, f->nr_windows + 1, sizeof(*v));

	if (!v)
		return error_nomem(err);
	f->windows = v;
	if (timespan_parse(use->arg, &v[f->nr_windows].start_ns, &v[f->nr_windows].stop_ns))
		return error_set(err, EINVAL,
				 "'%s' is not a time span (START,STOP in seconds, either may be "
				 "left out)",
				 use->arg);
	f->nr_windows++;
	return 0;
}

/* The option's long name is the filter's name. */
static int opt_filter(const struct option_use *use, struct error *err)
{
	struct kmem_filters *f = use->into;
	enum allocator allocators = kmem_filter_allocators(use->opt->long_name);

	if (!(allocators & (allocators - 1)))
		f->selected |= allocators;
	return kmem_filter_add(&f->filter, use->opt->long_name, use->arg, err);
}

/* One line for each condition of util/decode/filter.c. */
const struct option kmem_filter_options[] = {
	OPT_GROUP("Filters"),
	OPT_CALLBACK(0, "time", "<start>,<stop>", "in this time span, in seconds; may be repeated",
		     opt_time),
	OPT_CALLBACK(0, "comm", "<glob,...>", "by these commands", opt_filter),
	OPT_CALLBACK(0, "pid", "<list>", "by these processes", opt_filter),
	OPT_CALLBACK(0, "tid", "<list>", "by these threads", opt_filter),
	OPT_CALLBACK(0, "cpu", "<list>", "on these CPUs", opt_filter),
	OPT_CALLBACK(0, "node", "<list>", "for these NUMA nodes", opt_filter),
	OPT_CALLBACK(0, "cache", "<glob,...>", "from these slab caches", opt_filter),
	OPT_CALLBACK(0, "cgroup", "<glob,...>", "in these control groups ('a.slice/*': below it)",
		     opt_filter),
	OPT_CALLBACK(0, "callsite", "<regex>", "in these functions", opt_filter),
	OPT_CALLBACK(0, "module", "<glob,...>", "in these modules ('kernel': not in a module)",
		     opt_filter),
	OPT_CALLBACK(0, "gfp", "<name>", "with this gfp flag", opt_filter),
	OPT_CALLBACK(0, "order", "<list>", "of these orders", opt_filter),
	OPT_CALLBACK(0, "min-bytes", "<size>", "of at least this many bytes", opt_filter),
	OPT_END(),
};

void kmem_filters_init(struct kmem_filters *f)
{
	*f = (struct kmem_filters){.nr_windows = 0};
	kmem_filter_init(&f->filter);
}

void kmem_filters_deinit(struct kmem_filters *f)
{
	kmem_filter_deinit(&f->filter);
	free(f->windows);
}
