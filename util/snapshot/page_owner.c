// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/snapshot/page_owner.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kmem/kmem_event.h"
#include "util/kmem/migrate_reason.h"
#include "util/snapshot/page_owner_text.h"
#include "util/snapshot/stack_text.h"
#include "util/source/text_lines.h"

/* The dump does not tell the size of a page. */
#define PAGE_SIZE_ASSUMED 4096

/* A command has at most 15 bytes, each of which may be a newline. */
#define COMM_LEN_MAX   15
#define COMM_LINES_MAX (COMM_LEN_MAX + 1)

#define MEMCG_LEN_MAX 255

/* One allocation, while its lines are read. */
struct block {
	bool open; /* its first line has been read */
	bool has_place;
	bool bad;      /* has a line that cannot be understood, and was told */
	uint64_t pos;  /* of its first line */
	uint64_t line; /* number of that */
	struct page_owner_header header;
	struct page_owner_place place;
	char comm[COMM_LEN_MAX + 1];
	char memcg[MEMCG_LEN_MAX + sizeof(" (offline)")];
	enum migrate_reason reason;
};

struct page_owner {
	struct event_source source;
	struct source_facts facts;
	struct source_options options;
	struct input *input;
	struct source_event *event; /* of the facts */
	struct site_names own_names;
	struct site_names *names; /* these, or those of the source that it is a part of */
	struct stack_texts stacks;
	struct block block;
	struct strbuf header; /* a first line that goes on after a newline */
	unsigned int header_lines;
	uint64_t line; /* number of the current one */
	/* while it is read */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

static bool probe(const struct source_input *input)
{
	const char *head = (const char *)input->head;

	return page_owner_line_of(head, input->head_size) == PAGE_OWNER_FIRST;
}

static void free_source(struct event_source *source)
{
	struct page_owner *s = (struct page_owner *)source;

	input_free(s->input);
	stack_texts_deinit(&s->stacks);
	site_names_deinit(&s->own_names);
	strbuf_deinit(&s->header);
	source_facts_deinit(&s->facts);
	free(s);
}

static int add_facts(struct page_owner *s)
{
	struct source_event *event = calloc(1, sizeof(*event));

	if (!event)
		return -ENOMEM;
	*event = (struct source_event){
		.type = PERF_TYPE_TRACEPOINT,
		.config = UINT64_MAX, /* not the number of a format */
		.period = 1,
		.kind = KMEM_PAGE_ALLOC,
		.has_callchain = true,
	};
	if (source_facts_add_event(&s->facts, event))
		return -ENOMEM;
	s->event = event;
	event->name = strdup("page_owner");
	s->facts.path = strdup(input_path(s->input));
	s->facts.migratetypes = strdup(PAGE_OWNER_MIGRATETYPES);
	s->facts.page_size = s->options.page_size ? s->options.page_size : PAGE_SIZE_ASSUMED;
	s->facts.keys = PAGE_OWNER_KEYS;
	s->facts.frees_unknown = s->facts.at_once = true;
	s->facts.site_names = s->names;
	/* times count from when the machine was started */
	s->facts.told_start_ns = s->facts.told_stop_ns = 1;
	return event->name && s->facts.path && s->facts.migratetypes ? 0 : -ENOMEM;
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	struct page_owner *s = calloc(1, sizeof(*s));

	if (!s) {
		input_free(input);
		return error_nomem(err);
	}
	s->source = (struct event_source){&event_source_page_owner, &s->facts};
	s->input = input;
	s->options = *options;
	strbuf_init(&s->header);
	source_facts_init(&s->facts);
	site_names_init(&s->own_names);
	s->names = options->names ? options->names : &s->own_names;
	stack_texts_init(&s->stacks, s->names);
	if (add_facts(s)) {
		free_source(&s->source);
		return error_nomem(err);
	}
	input_serve(input, &s->facts);
	*ret_source = &s->source;
	return 0;
}

/* The block is left out, and the first such is told. */
static void note_bad(struct page_owner *s, uint64_t pos, uint64_t line, const char *what)
{
	source_facts_damage(&s->facts, pos, "line %llu %s", (unsigned long long)line, what);
	s->facts.damage.nr_skipped_records++;
}

/* The first page that is not in pageblock 0 tells the order, from which those of others follow. */
static bool pageblock_is_clear(struct page_owner *s)
{
	const struct page_owner_place *place = &s->block.place;

	if (!s->block.has_place)
		return false;
	if (!s->facts.pageblock_order)
		s->facts.pageblock_order = page_owner_pageblock_order(place);
	if (s->facts.pageblock_order)
		return place->pfn >> s->facts.pageblock_order == place->block;
	return !place->block && !(place->pfn >> PAGE_ORDER_MAX);
}

static int hand_over(struct page_owner *s)
{
	const struct block *b = &s->block;
	const struct page_owner_header *h = &b->header;
	uint64_t bytes = (uint64_t)s->facts.page_size << h->order;
	bool freed = h->has_free_ts && h->free_ts_ns > h->ts_ns;
	const struct kmem_event keys = {
		.time_ns = h->ts_ns,
		.pid = (uint32_t)h->tgid,
		.tid = (uint32_t)h->pid,
		.cpu = -1,
		.node = b->place.node,
		.gfp_flags = h->gfp_flags,
		.kind = KMEM_PAGE_ALLOC,
		.accounted = b->memcg[0] != '\0',
		.tells_accounted = b->memcg[0] != '\0',
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
		.source = s->event,
		.event = &keys,
		.comm = h->has_comm ? b->comm : "unknown",
		.memcg = b->memcg[0] ? b->memcg : NULL,
	};

	if (stack_texts_chain(&s->stacks, &complete.callchain, &complete.nr_callchain))
		return -ENOMEM;
	source_facts_count(&s->facts, s->event, h->ts_ns);
	return s->sink->row ? s->sink->row(s->ctx, &complete, &figures, s->err) : 0;
}

/* Everything about an allocation has been read. */
static int end_block(struct page_owner *s)
{
	struct block *b = &s->block;
	bool good = b->open && !b->bad;

	b->open = false;
	return good ? hand_over(s) : 0;
}

static void copy_comm(struct block *b)
{
	size_t len = b->header.comm_len < COMM_LEN_MAX ? b->header.comm_len : COMM_LEN_MAX;

	if (b->header.has_comm)
		memcpy(b->comm, b->header.comm, len);
	b->comm[b->header.has_comm ? len : 0] = '\0';
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
	b->place = (struct page_owner_place){
		.migratetype = -1, .block_migratetype = -1, .node = -1, .zone = -1};
	stack_texts_begin(&s->stacks);
	s->header_lines = 0;
	strbuf_reset(&s->header);
	strbuf_add(&s->header, line, len);
	ret = page_owner_parse_header(line, len, &b->header);
	if (ret == -EAGAIN) {
		s->header_lines = 1;
		return;
	}
	b->bad = ret || b->header.order > PAGE_ORDER_MAX;
	if (b->bad)
		note_bad(s, pos, s->line, "is not the first one of a page that is understood");
	else
		copy_comm(b);
}

/* Of a first line with newlines in the command. True: it was a part of that. */
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
		copy_comm(b);
		return true;
	}
	note_bad(s, b->pos, b->line, "ends in the middle");
	return false;
}

/* A command may end its line in a way that looks like the end of a first line. */
static void reconsider_header(struct page_owner *s, const struct text_line *line)
{
	struct block *b = &s->block;
	struct page_owner_header h;

	if (b->has_place || !b->header.has_comm)
		return;
	strbuf_addch(&s->header, '\n');
	strbuf_add(&s->header, line->text, line->len);
	if (page_owner_parse_header(s->header.buf, s->header.len, &h) || h.comm_len > COMM_LEN_MAX)
		return;
	b->header = h;
	copy_comm(b);
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
		note_bad(s, line->pos, line->number, "does not tell where the page is");
	b->bad = true;
}

static int take_line(struct page_owner *s, const struct text_line *line)
{
	struct block *b = &s->block;
	enum page_owner_line kind;
	int ret;

	s->line = line->number;
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
		b->bad = true; /* told once, until the next page */
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
	default: /* newer kernels may tell more */
		reconsider_header(s, line);
		return 0;
	}
}

/* The last block may lack the empty line after it, but not the end of its last line. */
static int take_end(struct page_owner *s, const struct text_line *last)
{
	struct block *b = &s->block;

	if (!b->open || b->bad)
		return 0;
	if (!s->facts.damage.truncated && !last->is_open && !s->header_lines)
		return end_block(s);
	note_bad(s, b->pos, b->line, "begins a page of which the rest is missing");
	s->facts.damage.truncated = true;
	return 0;
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct page_owner *s = (struct page_owner *)source;
	struct text_line line = {.is_open = false};
	struct text_lines lines;
	int ret;

	s->sink = sink;
	s->ctx = ctx;
	s->err = err;
	if (text_lines_init(&lines, s->input))
		return error_nomem(err);
	while ((ret = text_lines_next(&lines, &line)) > 0) {
		ret = take_line(s, &line);
		if (ret)
			break;
	}
	if (ret < 0 && !err->code)
		error_set_errno(err, -ret, "cannot read '%s'", s->facts.path);
	if (!ret)
		ret = take_end(s, &line);
	text_lines_deinit(&lines);
	return ret;
}

/* The latest time in the dump, which is in the order of pages: all of it must be read. */
static int find_latest(struct input *input, uint64_t *ret_time)
{
	struct page_owner_header h;
	struct text_lines lines;
	struct text_line line;
	int ret;

	if (text_lines_init(&lines, input))
		return -ENOMEM;
	while ((ret = text_lines_next(&lines, &line)) > 0) {
		if (page_owner_line_of(line.text, line.len) != PAGE_OWNER_FIRST ||
		    page_owner_parse_header(line.text, line.len, &h))
			continue;
		if (h.ts_ns > *ret_time)
			*ret_time = h.ts_ns;
	}
	text_lines_deinit(&lines);
	return ret;
}

static int find_end(struct event_source *source, struct error *err)
{
	struct page_owner *s = (struct page_owner *)source;
	struct source_options options = s->options;
	struct input *again;
	int ret;

	if (!strcmp(s->facts.path, "-") || input_is_stream(s->input))
		return error_set(err, ESPIPE,
				 "'%s': ages refer to the latest page of the dump, for which it is "
				 "read twice, and a pipe can be read only once: save it to a file",
				 s->facts.path);
	options.progress = NULL;
	ret = input_open(s->facts.path, &options, &again, err);
	if (ret)
		return ret;
	ret = find_latest(again, &s->facts.told_stop_ns);
	input_free(again);
	return ret ? error_set_errno(err, -ret, "cannot read '%s'", s->facts.path) : 0;
}

const struct event_source_ops event_source_page_owner = {
	.name = "page_owner dump",
	.limits = "of frees",
	.probe = probe,
	.open_input = open_input,
	.read = read_source,
	.find_end = find_end,
	.free = free_source,
};
