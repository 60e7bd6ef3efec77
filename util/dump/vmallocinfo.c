// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/vmallocinfo.h"

#include <errno.h>

#include "util/base/table.h"
#include "util/dump/dump.h"
#include "util/dump/vmalloc_line.h"
#include "util/event/area_functions.h"

/* A calling function, looked up once. */
struct caller {
	uint64_t function; /* the key: number of its range of made-up addresses */
	uint64_t use;	   /* enum area_use */
};

struct vmallocinfo {
	struct dump dump;
	struct area_functions functions;
	struct table callers;
};

static bool probe(const struct source_input *input)
{
	return vmalloc_line_begins((const char *)input->head, input->head_size);
}

static int use_of(struct vmallocinfo *v, const struct vmalloc_line *area, uint64_t call_site,
		  enum area_use *ret_use)
{
	const uint64_t function = call_site / SITE_NAME_RANGE;
	struct caller *caller = table_find(&v->callers, &function);
	bool skipped;

	if (!caller) {
		caller = table_insert(&v->callers, &function);
		if (!caller)
			return -ENOMEM;
		caller->use = area_functions_find(&v->functions, area->caller, area->caller_len,
						  &skipped);
	}
	*ret_use = area_use_outside(area->use, (enum area_use)caller->use);
	return 0;
}

static int take_area(struct vmallocinfo *v, const struct vmalloc_line *area)
{
	struct kmem_event keys = {.cpu = -1, .node = NUMA_NO_NODE, .ptr = 1};
	struct complete_event row = {.comm = NULL};
	struct source_figures figures = {
		.hits = 1, .bytes_req = area->bytes, .bytes_alloc = area->bytes};
	enum area_use use = area->use;
	int ret = site_names_parse(v->dump.names, area->caller, area->caller_len, &keys.call_site);

	if (!ret && site_names_has_range(keys.call_site))
		ret = use_of(v, area, keys.call_site, &use);
	if (ret)
		return ret;
	if (use != AREA_UNPURGED) {
		figures.live_hits = 1;
		figures.live_bytes_req = figures.live_bytes = area->bytes;
	}
	keys.bytes_req = keys.bytes_alloc = area->bytes;
	row.cache = area_use_name(use);
	return dump_add_figures(&v->dump, &keys, &row, &figures);
}

static int take_line(struct dump *d, const struct text_line *line)
{
	struct vmalloc_line area;

	if (!line->len)
		return 0;
	if (line->was_cut || !vmalloc_line_parse(line->text, &area))
		return dump_bad_line(d, line, "does not describe an area");
	return take_area((struct vmallocinfo *)d, &area);
}

static int init(struct dump *d)
{
	struct vmallocinfo *v = (struct vmallocinfo *)d;

	table_init(&v->callers, sizeof(struct caller), sizeof(uint64_t));
	return area_functions_init(&v->functions, NULL);
}

static void deinit(struct dump *d)
{
	struct vmallocinfo *v = (struct vmallocinfo *)d;

	area_functions_deinit(&v->functions);
	table_deinit(&v->callers);
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	static const struct dump_kind kind = {
		.ops = &event_source_vmallocinfo,
		.size = sizeof(struct vmallocinfo),
		.what = "vmallocinfo",
		.keys = VMALLOCINFO_KEYS,
		.kind = KMEM_VMALLOC_ALLOC,
		.init = init,
		.deinit = deinit,
		.take_line = take_line,
	};

	return dump_open(&kind, input, options, ret_source, err);
}

const struct event_source_ops event_source_vmallocinfo = {
	.name = "vmallocinfo",
	.limits = "frees, stacks or processes; unpurged areas have been freed, and are not live",
	.probe = probe,
	.open_input = open_input,
	.read = dump_read,
	.free = dump_free,
};
