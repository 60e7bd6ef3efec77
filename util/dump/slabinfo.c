// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source that reads /proc/slabinfo (mm/slab_common.c, version 2.1): the caches of the slab
 * allocator. Each becomes a row: its active objects, their bytes, and the bytes of its slabs, which
 * include free objects.
 *
 *	# name  <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables ... :
 *	slabdata <active_slabs> <num_slabs> <sharedavail>
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/dump/slabinfo.h"
#include "util/dump/dump.h"

#define MAGIC	      "slabinfo - version: "
#define VERSION_KNOWN 2

static bool probe(const struct source_input *input)
{
	return source_input_begins(input, MAGIC);
}

/* A name may contain blanks: the figures are the five words before the first " : tunables ". */
bool slabinfo_parse(char *text, size_t len, struct slabinfo_cache *ret)
{
	static const char tunables[] = " : tunables ", slabdata[] = " : slabdata ";
	char *figures = strstr(text, tunables), *slabs = figures ? strstr(figures, slabdata) : NULL;
	uint64_t per_slab, active_slabs;
	int words = 0;

	if (!slabs || strlen(text) != len)
		return false;
	*figures = '\0';
	if (sscanf(slabs + strlen(slabdata), "%" SCNu64 " %" SCNu64, &active_slabs, &ret->slabs) !=
	    2)
		return false;
	/* five words back */
	while (figures > text && words < 5) {
		while (figures > text && figures[-1] == ' ')
			figures--;
		while (figures > text && figures[-1] != ' ')
			figures--;
		words++;
	}
	/* sscanf() also accepts signs */
	if (figures == text || words < 5 || strchr(figures, '-') || strchr(slabs, '-') ||
	    sscanf(figures, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &ret->active, &ret->objects, &ret->object_bytes, &per_slab,
		   &ret->slab_pages) != 5)
		return false;
	while (figures > text && figures[-1] == ' ')
		figures--;
	len = (size_t)(figures - text);
	if (!len || len > SLABINFO_NAME_MAX)
		return false;
	memcpy(ret->name, text, len);
	ret->name[len] = '\0';
	return true;
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

	if (!line->len || line->text[0] == '#' || dump_take_header(d, line, MAGIC, VERSION_KNOWN))
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
