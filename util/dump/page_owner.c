// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/page_owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/label.h"
#include "util/base/log.h"
#include "util/event/gfp.h"
#include "util/event/kmem_event.h"
#include "util/event/migratetype.h"
#include "util/dump/dump.h"
#include "util/dump/page_owner_text.h"
#include "util/dump/stack_text.h"

/* The page size, which is not in the dump. */
#define PAGE_SIZE_ASSUMED 4096

/* A command has at most 15 bytes, each of which may be a newline. */
#define COMM_LEN_MAX   15
#define COMM_LINES_MAX (COMM_LEN_MAX + 1)

#define MEMCG_LEN_MAX 255

/* One allocation, while its lines are read. */
struct block {
	bool open; /* its first line was read */
	bool has_place;
	bool bad;      /* it has an invalid line, which was reported */
	uint64_t pos;  /* offset of its first line in the text */
	uint64_t line; /* number of its first line */
	struct page_owner_header header;
	struct page_owner_place place;
	bool accounted; /* according to its gfp flags */
	char comm[COMM_LEN_MAX + 1];
	char memcg[MEMCG_LEN_MAX + sizeof(" (offline)")];
	enum migrate_reason reason;
	bool has_handle;
	uint64_t handle; /* handle of the stack, which may be printed, too */
};

struct page_owner {
	struct dump dump;
	struct stack_texts stacks;
	struct gfp_texts gfp_texts;
	struct block block;
	struct strbuf header; /* a first line that continues after a newline */
	unsigned int header_lines;
	unsigned int lines_after; /* lines after the header that may belong to it */
	uint64_t line;		  /* number of the current line */
	bool line_is_open;	  /* the line has no newline */
	uint64_t highest_pfn;
	uint64_t again_line; /* line of the first page that follows a higher one; 0 if none */
};

static bool probe(const struct source_input *input)
{
	const char *head = (const char *)input->head;

	return page_owner_line_of(head, input->head_size) == PAGE_OWNER_FIRST;
}

/* Skip the block; the first one is reported. */
static void note_bad(struct page_owner *s, uint64_t pos, uint64_t line, const char *what)
{
	source_facts_damage(&s->dump.facts, pos, "line %llu %s", (unsigned long long)line, what);
	s->dump.facts.damage.nr_skipped_records++;
}

/* The first page outside of pageblock 0 determines the order of pageblocks. */
static bool pageblock_is_clear(struct page_owner *s)
{
	const struct page_owner_place *place = &s->block.place;

	if (!s->block.has_place)
		return false;
	if (!s->dump.facts.pageblock_order)
		s->dump.facts.pageblock_order = page_owner_pageblock_order(place);
	if (s->dump.facts.pageblock_order)
		return place->pfn >> s->dump.facts.pageblock_order == place->block;
	return !place->block && !(place->pfn >> PAGE_ORDER_MAX);
}

/* The kernel writes a dump in the order of pages. */
static void check_order(struct page_owner *s)
{
	const struct block *b = &s->block;

	if (!b->has_place)
		return;
	if (b->place.pfn > s->highest_pfn)
		s->highest_pfn = b->place.pfn;
	else if (b->place.pfn < s->highest_pfn && !s->again_line)
		s->again_line = b->line;
}

static int hand_over(struct page_owner *s)
{
	const struct block *b = &s->block;
	const struct page_owner_header *h = &b->header;
	uint64_t bytes = (uint64_t)s->dump.facts.page_size << h->order;
	bool freed = h->has_free_ts && h->free_ts_ns > h->ts_ns;
	struct kmem_event keys = {
		.time_ns = h->ts_ns,
		.pid = (uint32_t)h->tgid,
		.tid = (uint32_t)h->pid,
		.cpu = -1,
		.node = b->place.node,
		.gfp_flags = h->gfp_flags,
		.kind = KMEM_PAGE_ALLOC,
		.accounted = b->accounted || b->memcg[0],
		.has_accounted = true,
		.in_window = true,
		.page = b->has_place ? b->place.pfn : PFN_NONE,
		.order = h->order,
		.migratetype = b->place.migratetype,
		.block_migratetype = (int8_t)b->place.block_migratetype,
		.migrate_reason = (uint8_t)b->reason,
		.zone = (int8_t)b->place.zone,
		.pageblock_unclear = !pageblock_is_clear(s),
	};
	const struct source_figures figures = {
		.hits = 1,
		.bytes_req = bytes,
		.bytes_alloc = bytes,
		.live_hits = !freed,
		.live_bytes_req = freed ? 0 : bytes,
		.live_bytes = freed ? 0 : bytes,
	};
	struct complete_event complete = {
		.event = &keys,
		.comm = h->has_comm ? b->comm : label_unknown,
		.memcg = b->memcg[0] ? b->memcg : NULL,
	};

	check_order(s);
	if (stack_texts_chain(&s->stacks, &complete.callchain, &complete.nr_callchain) ||
	    (b->has_handle && !complete.nr_callchain &&
	     stack_texts_handle_site(&s->stacks, b->handle, &keys.call_site)))
		return -ENOMEM;
	return dump_add_row(&s->dump, &complete, &figures);
}

/* The last line of an allocation was read. */
static int end_block(struct page_owner *s)
{
	struct block *b = &s->block;
	bool good = b->open && !b->bad;

	b->open = false;
	return good ? hand_over(s) : 0;
}

/* "__GFP_ACCOUNT", "GFP_KERNEL_ACCOUNT" */
static bool names_account(const struct page_owner_header *h)
{
	static const char account[] = "_ACCOUNT";

	return memmem(h->gfp_names, h->gfp_names_len, account, sizeof(account) - 1) != NULL;
}

/* The fields that point into the line. */
static void keep_header(struct page_owner *s)
{
	struct block *b = &s->block;
	size_t len = b->header.comm_len < COMM_LEN_MAX ? b->header.comm_len : COMM_LEN_MAX;

	if (b->header.has_comm)
		memcpy(b->comm, b->header.comm, len);
	b->comm[b->header.has_comm ? len : 0] = '\0';
	b->accounted = names_account(&b->header);
	gfp_texts_add(&s->gfp_texts, b->header.gfp_flags, b->header.gfp_names,
		      b->header.gfp_names_len);
}

static void begin_block(struct page_owner *s, const char *line, size_t len, uint64_t pos)
{
	struct block *b = &s->block;
	int ret;

	b->open = true;
	b->has_place = false;
	b->pos = pos;
	b->line = s->line;
	b->memcg[0] = '\0';
	b->reason = MIGRATE_REASON_NONE;
	b->has_handle = false;
	b->place = (struct page_owner_place){
		.migratetype = -1, .block_migratetype = -1, .node = -1, .zone = -1};
	stack_texts_begin(&s->stacks);
	s->header_lines = 0;
	s->lines_after = 0;
	strbuf_reset(&s->header);
	strbuf_add(&s->header, line, len);
	ret = page_owner_parse_header(line, len, &b->header);
	if (ret == -EAGAIN) {
		s->header_lines = 1;
		return;
	}
	b->bad = ret || b->header.order > PAGE_ORDER_MAX;
	if (b->bad)
		note_bad(s, pos, s->line, "should begin a page, but is not understood");
	else
		keep_header(s);
}

/* Continue a first line with newlines in the command. Returns true if the line belongs to it. */
static bool go_on_with_header(struct page_owner *s, const struct text_line *line)
{
	struct block *b = &s->block;
	int ret;

	strbuf_addch(&s->header, '\n');
	strbuf_add(&s->header, line->text, line->len);
	ret = page_owner_parse_header(s->header.buf, s->header.len, &b->header);
	if (ret == -EAGAIN && ++s->header_lines <= COMM_LINES_MAX && !line->was_cut)
		return true;
	s->header_lines = 0;
	b->bad = ret || b->header.comm_len > COMM_LEN_MAX || b->header.order > PAGE_ORDER_MAX;
	if (!b->bad) {
		keep_header(s);
		return true;
	}
	note_bad(s, b->pos, b->line, "ends in the middle");
	return false;
}

/* A line within a command may look like the end of a first line. */
static void reconsider_header(struct page_owner *s, const struct text_line *line)
{
	struct block *b = &s->block;
	struct page_owner_header h;

	if (!b->header.has_comm || ++s->lines_after > COMM_LINES_MAX)
		return;
	strbuf_addch(&s->header, '\n');
	strbuf_add(&s->header, line->text, line->len);
	if (page_owner_parse_header(s->header.buf, s->header.len, &h) || h.comm_len > COMM_LEN_MAX)
		return;
	b->header = h;
	keep_header(s);
}

static void take_memcg(struct block *b, const struct text_line *line)
{
	bool offline;
	size_t len;
	const char *name = page_owner_memcg(line->text, line->len, &len, &offline);

	if (!name)
		return;
	if (len > MEMCG_LEN_MAX)
		len = MEMCG_LEN_MAX;
	snprintf(b->memcg, sizeof(b->memcg), "%.*s%s", (int)len, name, offline ? " (offline)" : "");
}

static void take_reason(struct block *b, const struct text_line *line)
{
	size_t len;
	const char *name = page_owner_reason(line->text, line->len, &len);

	b->reason = name ? migrate_reason_find(name, len) : MIGRATE_REASON_OTHER;
}

static void take_place(struct page_owner *s, const struct text_line *line)
{
	struct block *b = &s->block;

	if (!page_owner_parse_place(line->text, line->len, &b->place)) {
		b->has_place = true;
		return;
	}
	if (!b->bad)
		note_bad(s, line->pos, line->number, "is not a line with the PFN of a page");
	b->bad = true;
}

static int take_line(struct dump *d, const struct text_line *line)
{
	struct page_owner *s = (struct page_owner *)d;
	struct block *b = &s->block;
	enum page_owner_line kind;
	int ret;

	s->line = line->number;
	s->line_is_open = line->is_open;
	if (s->header_lines && go_on_with_header(s, line))
		return 0;
	kind = page_owner_line_of(line->text, line->len);
	if (kind == PAGE_OWNER_FIRST) {
		ret = end_block(s);
		if (!ret)
			begin_block(s, line->text, line->len, line->pos);
		return ret;
	}
	if (!b->open) {
		if (kind == PAGE_OWNER_END)
			return 0;
		if (!b->bad)
			note_bad(s, line->pos, line->number, "is not of a page_owner dump");
		b->bad = true; /* reported once, until the next page */
		return 0;
	}
	switch (kind) {
	case PAGE_OWNER_PLACE:
		take_place(s, line);
		return 0;
	case PAGE_OWNER_FRAME:
		stack_texts_add(&s->stacks, line->text, line->len);
		return 0;
	case PAGE_OWNER_MIGRATED:
		take_reason(b, line);
		return 0;
	case PAGE_OWNER_CHARGED:
		take_memcg(b, line);
		return 0;
	case PAGE_OWNER_END:
		return end_block(s);
	default: /* newer kernels may have more lines */
		if (!b->has_place)
			reconsider_header(s, line);
		else if (stack_text_parse_handle(line->text, line->len, &b->handle))
			b->has_handle = true;
		return 0;
	}
}

/* In a truncated dump, the last block may lack the empty line, but not the end of its last line. */
static int finish(struct dump *d)
{
	struct page_owner *s = (struct page_owner *)d;
	struct block *b = &s->block;
	int ret = 0;

	if (!s->dump.facts.damage.truncated && !s->line_is_open && !s->header_lines) {
		ret = end_block(s);
	} else if (b->open && !b->bad) {
		note_bad(s, b->pos, b->line, "begins a page of which the rest is missing");
		s->dump.facts.damage.truncated = true;
	}
	if (s->again_line)
		log_warn("'%s': the page at line %llu comes after one with a higher number: if "
			 "these are several dumps, what is in more than one counts more than once",
			 s->dump.facts.path, (unsigned long long)s->again_line);
	return ret;
}

/* The latest time in the dump. Blocks are in the order of pages, so all of them must be read. */
static int note_latest(void *ctx, struct text_line *line)
{
	uint64_t *latest = ctx;
	struct page_owner_header h;

	if (page_owner_line_of(line->text, line->len) == PAGE_OWNER_FIRST &&
	    !page_owner_parse_header(line->text, line->len, &h) && h.ts_ns > *latest)
		*latest = h.ts_ns;
	return 0;
}

static int find_end(struct event_source *source, struct error *err)
{
	struct dump *d = (struct dump *)source;
	struct source_options options = d->options;
	struct input *again;
	int ret;

	if (!strcmp(d->facts.path, "-") || input_is_stream(d->input))
		return error_set(err, ESPIPE,
				 "'%s': ages refer to the latest page of the dump, for which it is "
				 "read twice, and a pipe can be read only once: save it to a file",
				 d->facts.path);
	options.progress = NULL;
	ret = input_open(d->facts.path, &options, &again, err);
	if (ret)
		return ret;
	ret = text_lines_each(again, note_latest, &d->facts.stated_stop_ns);
	input_free(again);
	return ret ? error_set_errno(err, -ret, "cannot read '%s'", d->facts.path) : 0;
}

static int init(struct dump *d)
{
	struct page_owner *s = (struct page_owner *)d;

	strbuf_init(&s->header);
	stack_texts_init(&s->stacks, d->names);
	gfp_texts_init(&s->gfp_texts);
	d->facts.gfp_texts = &s->gfp_texts;
	/* times are since boot */
	d->facts.stated_start_ns = d->facts.stated_stop_ns = 1;
	d->facts.migratetypes = strdup(PAGE_OWNER_MIGRATETYPES);
	return d->facts.migratetypes ? 0 : -ENOMEM;
}

static void deinit(struct dump *d)
{
	struct page_owner *s = (struct page_owner *)d;

	stack_texts_deinit(&s->stacks);
	gfp_texts_deinit(&s->gfp_texts);
	strbuf_deinit(&s->header);
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	static const struct dump_kind kind = {
		.ops = &event_source_page_owner,
		.size = sizeof(struct page_owner),
		.what = "page_owner",
		.keys = PAGE_OWNER_KEYS,
		.kind = KMEM_PAGE_ALLOC,
		.page_size = PAGE_SIZE_ASSUMED,
		.has_callchain = true,
		.takes_torn = true,
		.init = init,
		.deinit = deinit,
		.take_line = take_line,
		.finish = finish,
	};

	return dump_open(&kind, input, options, ret_source, err);
}

const struct event_source_ops event_source_page_owner = {
	.name = "page_owner dump",
	.limits = "frees",
	.probe = probe,
	.open_input = open_input,
	.read = dump_read,
	.find_end = find_end,
	.free = dump_free,
};
