// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/archive.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/event/kmem_event.h"
#include "util/dump/allocinfo.h"
#include "util/dump/archive_entries.h"
#include "util/dump/archive_info.h"
#include "util/dump/archive_series.h"
#include "util/dump/machine_text.h"
#include "util/dump/page_owner.h"
#include "util/dump/page_owner_stacks.h"
#include "util/dump/page_owner_text.h"
#include "util/dump/slabinfo.h"
#include "util/dump/vmallocinfo.h"
#include "util/source/site_names.h"
#include "util/source/source_table.h"
#include "util/source/text_lines.h"

/* Parts with a source of their own, and the allocator of their rows. */
static const struct part_source {
	const struct event_source_ops *ops;
	const char *word;  /* a word of EVENT_SOURCES */
	const char *keys;  /* the keys that it reports */
	unsigned int part; /* enum archive_part */
	enum kmem_kind kind;
	/* table of its call sites, unless they become rows; NULL: none */
	const struct source_table_kind *table;
} sources[] = {
	{&event_source_slabinfo, "slabinfo", SLABINFO_KEYS, ARCHIVE_SLABINFO, KMEM_SLAB_ALLOC},
	{&event_source_allocinfo, "allocinfo", ALLOCINFO_KEYS, ARCHIVE_ALLOCINFO, KMEM_SLAB_ALLOC,
	 &machine_sites},
	{&event_source_page_owner, "page_owner", PAGE_OWNER_KEYS, ARCHIVE_PAGE_OWNER,
	 KMEM_PAGE_ALLOC},
	{&event_source_page_owner_stacks, "page_owner_stacks", PAGE_OWNER_STACKS_KEYS,
	 ARCHIVE_STACKS, KMEM_PAGE_ALLOC},
	{&event_source_vmallocinfo, "vmallocinfo", VMALLOCINFO_KEYS, ARCHIVE_VMALLOCINFO,
	 KMEM_VMALLOC_ALLOC, &machine_areas},
};

#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

struct archive {
	struct event_source source;
	struct source_facts facts;
	struct source_options options;
	struct input *input;
	struct site_names names;
	unsigned int parts;			 /* bits: parts in the snapshot, */
	unsigned int rows;			 /* parts delivered as rows, */
	unsigned int read;			 /* parts read so far */
	char keys[256];				 /* the keys that these parts report */
	struct source_event *events[NR_SOURCES]; /* of the facts; NULL if the source has no rows */
	/* valid while reading */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
	size_t current;			 /* index in `sources` */
	const struct source_facts *part; /* facts of the part so far */
	struct source_table *sites;	 /* table made of a part's call sites */
	unsigned int pageblock_order;	 /* from pagetypeinfo */
};

static void free_source(struct event_source *source)
{
	struct archive *a = (struct archive *)source;

	input_free(a->input);
	site_names_deinit(&a->names);
	source_facts_deinit(&a->facts);
	free(a);
}

/* ---- probing ------------------------------------------------------------------------------- */

static int error_no_part(const struct archive *a, const char *part, struct error *err)
{
	const char *missing = a->facts.missing;

	return error_set(err, ENODATA, "'%s' has no %s%s%s%s", a->facts.path, part,
			 missing ? " (missing: " : "", missing ? missing : "", missing ? ")" : "");
}

/* Select the parts that become rows: one for each allocator. */
static int choose(struct archive *a, struct error *err)
{
	const uint32_t usual = KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_PAGE_ALLOC);
	const uint32_t kinds = a->options.kinds ? a->options.kinds : usual;
	const char *format = a->options.format;

	if (format && strcmp(format, "snapshot") != 0) {
		for (size_t i = 0; i < NR_SOURCES; i++)
			if (!strcmp(sources[i].word, format))
				a->rows = sources[i].part;
		if (!a->rows)
			return error_set(err, EINVAL, "'%s' is a snapshot, in which %s cannot be",
					 a->facts.path, format);
		if (!(a->rows & a->parts))
			return error_no_part(a, format, err);
		return 0;
	}
	a->rows = a->parts & (a->parts & ARCHIVE_SLABINFO ? ARCHIVE_SLABINFO : ARCHIVE_ALLOCINFO);
	a->rows |= a->parts & (a->parts & ARCHIVE_PAGE_OWNER ? ARCHIVE_PAGE_OWNER : ARCHIVE_STACKS);
	a->rows |= a->parts & ARCHIVE_VMALLOCINFO;
	for (size_t i = 0; i < NR_SOURCES; i++)
		if (!(kinds & KIND_BIT(sources[i].kind)))
			a->rows &= ~sources[i].part;
	if (kinds & KIND_BIT(KMEM_VMALLOC_ALLOC) && !(a->rows & ARCHIVE_VMALLOCINFO))
		return error_no_part(a, "vmallocinfo", err);
	return 0;
}

static int add_event(struct archive *a, size_t i)
{
	struct source_event *event = calloc(1, sizeof(*event));

	if (!event)
		return -ENOMEM;
	*event = (struct source_event){
		.type = PERF_TYPE_TRACEPOINT,
		.config = UINT64_MAX, /* not the number of any event format */
		.period = 1,
		.kind = (uint8_t)sources[i].kind,
		.has_callchain = sources[i].kind == KMEM_PAGE_ALLOC,
	};
	if (source_facts_add_event(&a->facts, event)) {
		free(event);
		return -ENOMEM;
	}
	a->events[i] = event;
	event->name = strdup(sources[i].word);
	return event->name ? 0 : -ENOMEM;
}

static int add_events(struct archive *a)
{
	size_t len = 0;

	for (size_t i = 0; i < NR_SOURCES; i++) {
		if (!(a->rows & sources[i].part))
			continue;
		if (add_event(a, i))
			return -ENOMEM;
		len += (size_t)snprintf(a->keys + len, sizeof(a->keys) - len, "%s%s",
					len ? " " : "", sources[i].keys);
	}
	a->facts.keys = a->keys;
	a->facts.slab_by = a->rows & ARCHIVE_SLABINFO ? "cache" : NULL;
	return 0;
}

/* The text of page_owner has names of types, which its source numbers itself. */
static int name_migratetypes(struct archive *a)
{
	if (!(a->rows & ARCHIVE_PAGE_OWNER))
		return 0;
	free(a->facts.migratetypes);
	a->facts.migratetypes = strdup(PAGE_OWNER_MIGRATETYPES);
	return a->facts.migratetypes ? 0 : -ENOMEM;
}

static int add_facts(struct archive *a, struct error *err)
{
	int ret = archive_read_last_info(a->input, a->options.force, &a->facts, &a->parts, err);

	if (!ret)
		ret = choose(a, err);
	if (!ret && (add_events(a) || name_migratetypes(a)))
		ret = error_nomem(err);
	a->facts.stated_start_ns = a->facts.stated_stop_ns ? 1 : 0;
	a->options.names = &a->names;
	a->options.page_size = a->facts.page_size;
	return ret;
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	struct archive *a = calloc(1, sizeof(*a));
	int ret;

	if (!a) {
		input_free(input);
		return error_nomem(err);
	}
	a->source = (struct event_source){&event_source_snapshot, &a->facts};
	a->input = input;
	a->options = *options;
	source_facts_init(&a->facts);
	site_names_init(&a->names);
	a->facts.is_snapshot = a->facts.frees_unknown = true;
	a->facts.page_size = 4096;
	a->facts.site_names = &a->names;
	a->facts.path = strdup(input_path(input));
	input_serve(input, &a->facts);
	ret = a->facts.path ? add_facts(a, err) : error_nomem(err);
	if (ret)
		free_source(&a->source);
	else
		*ret_source = &a->source;
	return ret;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* An event_sink's row(): convert the part's events and clock to ours. */
static int take_row(void *ctx, const struct complete_event *keys,
		    const struct source_figures *figures, struct error *err)
{
	struct archive *a = ctx;
	struct complete_event mine = *keys;
	struct kmem_event event = *keys->event;
	const uint64_t end_ns = a->facts.stated_stop_ns;

	/* allocations during the reading are new, and do not make the others older */
	if (!event.time_ns || (end_ns && event.time_ns > end_ns))
		event.time_ns = end_ns;
	mine.source = a->events[a->current];
	mine.event = &event;
	a->facts.pageblock_order = a->part->pageblock_order;
	source_facts_count(&a->facts, mine.source, event.time_ns);
	return a->sink->row ? a->sink->row(a->ctx, &mine, figures, err) : 0;
}

/* An event_sink's row() for a part that becomes a table. */
static int take_site(void *ctx, const struct complete_event *keys,
		     const struct source_figures *figures, struct error *err)
{
	struct archive *a = ctx;
	const struct symbol *symbol = site_names_find(&a->names, keys->event->call_site);
	const char *name = symbol ? symbol->name : "(no call site)";
	const uint64_t v[] = {figures->bytes_alloc, figures->hits};
	char address[24];

	(void)err;
	/* a kernel without kallsyms prints addresses */
	if (!symbol && keys->event->call_site) {
		snprintf(address, sizeof(address), "0x%" PRIx64, keys->event->call_site);
		name = address;
	}
	return source_table_add(a->sites, name, strlen(name), v, 2);
}

static struct source_table *add_table(struct archive *a, const struct source_table_kind *kind)
{
	struct source_table *v = reallocarray(a->facts.tables, a->facts.nr_tables + 1, sizeof(*v));

	if (!v)
		return NULL;
	a->facts.tables = v;
	source_table_init(&v[a->facts.nr_tables], kind);
	return &v[a->facts.nr_tables++];
}

/* Damage of a part is damage of the archive. */
static void keep_damage(struct archive *a, const struct tar_entry *e, uint64_t pos,
			const struct source_facts *of)
{
	struct source_damage *d = &a->facts.damage;

	if (of->damage.what[0])
		source_facts_damage(&a->facts, pos + of->damage.first_pos, "%s: %s",
				    e->name + strlen(ARCHIVE_FOLDER), of->damage.what);
	d->truncated |= of->damage.truncated;
	d->nr_skipped_records += of->damage.nr_skipped_records;
	d->nr_skipped_bytes += of->damage.nr_skipped_bytes;
}

static int read_rows(struct archive *a, const struct tar_entry *e, struct input *part,
		     const struct event_sink *sink)
{
	const struct event_source_ops *ops = sources[a->current].ops;
	const uint64_t pos = input_pos(a->input);
	struct event_source *source;
	int ret = ops->open_input(part, &a->options, &source, a->err);

	if (ret)
		return ret;
	a->part = source->facts;
	ret = ops->read(source, sink, a, a->err);
	a->part = NULL;
	keep_damage(a, e, pos, source->facts);
	ops->free(source);
	return ret;
}

/* Takes over the part. */
static int read_source_of(struct archive *a, const struct tar_entry *e, struct input *part)
{
	static const struct event_sink rows = {.row = take_row}, sites = {.row = take_site};
	const struct part_source *s = &sources[a->current];

	if (s->part & a->rows)
		return read_rows(a, e, part, &rows);
	if (!s->table) {
		input_free(part);
		return 0;
	}
	a->sites = add_table(a, s->table);
	if (!a->sites) {
		input_free(part);
		return -ENOMEM;
	}
	return read_rows(a, e, part, &sites);
}

struct table_reader {
	const struct machine_text *text;
	struct source_table *table;
	struct archive *a;
};

static int take_table_line(void *ctx, struct text_line *line)
{
	const struct table_reader *r = ctx;

	if (line->was_cut || (line->is_open && r->a->facts.damage.truncated))
		return 0;
	if (!r->a->pageblock_order)
		r->a->pageblock_order = machine_text_pageblock_order(line);
	return r->text->take_line(r->table, line);
}

static int read_text(struct archive *a, const struct machine_text *text, struct input *part)
{
	struct table_reader r = {text, add_table(a, &text->table), a};

	return r.table ? text_lines_each(part, take_table_line, &r) : -ENOMEM;
}

/* Only the first part with a name is read: others would count twice. */
static bool is_second(struct archive *a, const char *name, const struct machine_text *text,
		      unsigned int bit)
{
	bool second = (a->read & bit) != 0;

	for (size_t i = 0; text && i < a->facts.nr_tables; i++)
		second |= a->facts.tables[i].kind == &text->table;
	a->read |= bit;
	if (second) {
		source_facts_damage(&a->facts, input_pos(a->input), "a second %s is left out",
				    name);
		a->facts.damage.nr_skipped_records++;
	}
	return second;
}

/* Report a part that should become rows, is listed, and is missing. */
static void note_missing(struct archive *a)
{
	for (size_t i = 0; i < NR_SOURCES; i++)
		if (sources[i].part & a->rows & ~a->read) {
			source_facts_damage(&a->facts, input_pos(a->input),
					    "%s is listed but missing", sources[i].word);
			a->facts.damage.truncated = true;
		}
}

/* Takes over the part. */
static int read_part(struct archive *a, const struct tar_entry *e, struct input *part)
{
	const char *name = archive_part_name(e);
	const struct machine_text *text = machine_text_find(name);
	bool alone = a->options.format && strcmp(a->options.format, "snapshot") != 0;
	unsigned int bit = archive_part_of(name);
	int ret = 0;

	if (is_second(a, name, text, bit)) {
		input_free(part);
		return 0;
	}
	for (a->current = 0; a->current < NR_SOURCES; a->current++)
		if (sources[a->current].part & bit & (alone ? a->rows : ~0u))
			return read_source_of(a, e, part);
	if (text && !alone)
		ret = read_text(a, text, part);
	input_free(part);
	return ret;
}

static int read_entry(struct archive *a, const struct tar_entry *e)
{
	struct input *part;
	int ret = archive_open_entry(a->input, e, &part);

	if (ret)
		return ret;
	if (archive_part_name(e))
		ret = read_part(a, e, part);
	else
		input_free(part);
	return ret ? ret : archive_end_entry(a->input, e);
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct archive *a = (struct archive *)source;
	struct tar_entry e;
	int ret = 0;

	a->sink = sink;
	a->ctx = ctx;
	a->err = err;
	for (int i = 0; !ret && i < ARCHIVE_ENTRIES_MAX; i++) {
		ret = archive_next_entry(a->input, &a->facts, &e);
		if (ret <= 0)
			break;
		ret = read_entry(a, &e);
	}
	if (ret >= 0)
		note_missing(a);
	/* page_owner implies the order, unless all pages are in the first pageblock */
	if (!a->facts.pageblock_order)
		a->facts.pageblock_order = a->pageblock_order;
	if (ret < 0 && ret != -ENOMEM && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", a->facts.path);
	return ret;
}

const struct event_source_ops event_source_snapshot = {
	.name = "snapshot",
	.limits = "frees; slab rows are caches (Requested: active objects, Allocated: slabs)",
	.probe = archive_probe,
	.open_input = open_input,
	.has_parts = true,
	.read = read_source,
	.free = free_source,
};
