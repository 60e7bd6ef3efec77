// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source that reads /proc/slabinfo (mm/slab_common.c, version 2.1): the caches of the slab
 * allocator. Each becomes a row: its active objects, their bytes, and the bytes of its slabs, which
 * include free objects.
 */
#include "util/dump/slabinfo.h"
#include "util/dump/dump.h"
#include "util/host/slab_counts.h"

#define VERSION_KNOWN 2

static bool probe(const struct source_input *input)
{
	return source_input_begins(input, SLABINFO_MAGIC);
}

/* More bytes than the address space are impossible. */
static bool multiply(uint64_t a, uint64_t b, uint64_t *ret_product)
{
	return !__builtin_mul_overflow(a, b, ret_product) && *ret_product <= INT64_MAX;
}

static int take_line(struct dump *d, const struct text_line *line)
{
	struct kmem_event keys = {.cpu = -1, .node = NUMA_NO_NODE, .ptr = 1};
	struct complete_event row = {.comm = NULL};
	uint64_t used, pages, bytes;
	struct slabinfo_cache c;

	if (!line->len || line->text[0] == '#' ||
	    dump_take_header(d, line, SLABINFO_MAGIC, VERSION_KNOWN))
		return 0;
	if (line->was_cut || !slabinfo_parse(line->text, line->len, &c) ||
	    c.object_bytes > SLAB_BYTES_MAX || c.active > DUMP_NUMBER_MAX ||
	    !multiply(c.active, c.object_bytes, &used) ||
	    !multiply(c.slabs, c.slab_pages, &pages) ||
	    !multiply(pages, d->facts.page_size, &bytes))
		return dump_bad_line(d, line, "does not describe a cache");
	if (!c.active && !bytes)
		return 0;
	keys.bytes_req = keys.bytes_alloc = c.object_bytes;
	row.cache = c.name;
	return dump_add(d, &keys, &row, c.active, used, bytes > used ? bytes : used);
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	static const struct dump_kind kind = {
		.ops = &event_source_slabinfo,
		.size = sizeof(struct dump),
		.what = "slabinfo",
		.keys = SLABINFO_KEYS,
		.slab_by = "cache",
		.kind = KMEM_SLAB_ALLOC,
		.take_line = take_line,
	};

	return dump_open(&kind, input, options, ret_source, err);
}

const struct event_source_ops event_source_slabinfo = {
	.name = "slabinfo",
	.limits = "frees, call sites or processes; Requested is the size of active objects, "
		  "Allocated that of their slabs",
	.probe = probe,
	.open_input = open_input,
	.read = dump_read,
	.free = dump_free,
};
