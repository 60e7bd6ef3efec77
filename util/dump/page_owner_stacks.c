// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source that reads page_owner_stacks (mm/page_owner.c, since 6.8): the number of live pages
 * for each stack. Blocks end with an empty line:
 *
 *	show_stacks          lines " symbol+0xX/0xX [module]", then "nr_base_pages: N"
 *	show_handles         "handle: N", "nr_base_pages: N" (since 6.17)
 *	show_stacks_handles  lines of a stack, then "handle: N" (since 6.17): nothing to count
 *
 * Before 6.11 the figure is called stack_count. Where there is only a handle, which names a stack
 * until the next boot, it is used as the call site's name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/units.h"
#include "util/dump/page_owner_stacks.h"
#include "util/dump/dump.h"
#include "util/dump/stack_text.h"

/* Names of the figure. */
static const char *const pages_keys[] = {"nr_base_pages: ", "stack_count: "};

#define STACK_COUNT 1 /* index in pages_keys */

struct stacks {
	struct dump dump;
	struct stack_texts texts;
	bool has_frames; /* the current block has frames */
	bool has_handle;
	uint64_t handle;
	bool counted; /* the block has its figure */
	uint64_t nr_uncounted;
	uint64_t line, pos;			/* first line of the current block */
	uint64_t uncounted_line, uncounted_pos; /* first block without a figure */
	bool has_stack_count;
};

static bool begins(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* The number after the key: digits only. */
static bool parse_number(const struct text_line *line, const char *key, uint64_t *ret_value)
{
	return begins(line->text, line->len, key) && strlen(line->text) == line->len &&
	       !units_parse_u64(line->text + strlen(key), ret_value);
}

/* Whether it begins with a stack or a handle, and has a figure among its first lines. */
static bool probe(const struct source_input *input)
{
	const char *text = (const char *)input->head, *end = text + input->head_size;

	if (!input->head_size ||
	    (text[0] != ' ' && !begins(text, input->head_size, STACK_TEXT_HANDLE)))
		return false;
	while (text && text < end) {
		size_t left = (size_t)(end - text);

		if (begins(text, left, STACK_TEXT_HANDLE) || begins(text, left, pages_keys[0]) ||
		    begins(text, left, pages_keys[1]))
			return true;
		if (text[0] != ' ')
			return false;
		text = memchr(text, '\n', left);
		if (text)
			text++;
	}
	return false;
}

static void begin_block(struct stacks *s)
{
	stack_texts_begin(&s->texts);
	s->has_frames = s->has_handle = s->counted = false;
	s->line = 0;
}

static int take_pages(struct stacks *s, uint64_t pages)
{
	const uint64_t page_size = s->dump.facts.page_size;
	struct kmem_event keys = {.cpu = -1, .node = NUMA_NO_NODE, .page = 1, .migratetype = -1};
	struct complete_event row = {.comm = NULL};
	int ret;

	s->counted = true;
	if (s->has_frames)
		ret = stack_texts_chain(&s->texts, &row.callchain, &row.nr_callchain);
	else
		ret = s->has_handle ? stack_texts_handle_site(&s->texts, s->handle, &keys.call_site)
				    : 0;
	return ret ? ret
		   : dump_add(&s->dump, &keys, &row, pages, pages * page_size, pages * page_size);
}

static void end_block(struct stacks *s)
{
	if ((s->has_frames || s->has_handle) && !s->counted && !s->nr_uncounted++) {
		s->uncounted_line = s->line;
		s->uncounted_pos = s->pos;
	}
	begin_block(s);
}

static int take_line(struct dump *d, const struct text_line *line)
{
	struct stacks *s = (struct stacks *)d;
	uint64_t number;

	if (!line->len) {
		end_block(s);
		return 0;
	}
	if (!s->line) {
		s->line = line->number;
		s->pos = line->pos;
	}
	if (line->text[0] == ' ' && !line->was_cut) {
		stack_texts_add(&s->texts, line->text, line->len);
		s->has_frames = true;
		return 0;
	}
	if (stack_text_parse_handle(line->text, line->len, &s->handle)) {
		s->has_handle = true;
		return 0;
	}
	for (size_t i = 0; i < sizeof(pages_keys) / sizeof(pages_keys[0]); i++)
		if (parse_number(line, pages_keys[i], &number) && !s->counted &&
		    number <= UINT64_MAX / 2 / d->facts.page_size) {
			s->has_stack_count |= i == STACK_COUNT;
			return take_pages(s, number);
		}
	return dump_bad_line(d, line, "is neither of a stack nor its number of pages");
}

static int finish(struct dump *d)
{
	struct stacks *s = (struct stacks *)d;

	end_block(s);
	if (s->nr_uncounted && !d->facts.nr_samples && !d->facts.damage.what[0])
		return error_set(
			d->err, ENODATA,
			"'%s' has stacks and handles, but no numbers of pages (those are in "
			"show_stacks and show_handles)",
			d->facts.path);
	if (s->nr_uncounted) {
		source_facts_damage(&d->facts, s->uncounted_pos,
				    "line %" PRIu64 " begins a stack without a number of pages",
				    s->uncounted_line);
		d->facts.damage.nr_skipped_records += s->nr_uncounted;
	}
	if (s->has_stack_count)
		log_warn("'%s': stack_count counts pages since Linux 6.9, but blocks of any order "
			 "in "
			 "6.8: each is shown as one page",
			 d->facts.path);
	return 0;
}

static int init(struct dump *d)
{
	struct stacks *s = (struct stacks *)d;

	stack_texts_init(&s->texts, d->names);
	begin_block(s);
	return 0;
}

static void deinit(struct dump *d)
{
	stack_texts_deinit(&((struct stacks *)d)->texts);
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	static const struct dump_kind kind = {
		.ops = &event_source_page_owner_stacks,
		.size = sizeof(struct stacks),
		.what = "page_owner_stacks",
		.keys = PAGE_OWNER_STACKS_KEYS,
		.kind = KMEM_PAGE_ALLOC,
		.has_callchain = true,
		.init = init,
		.deinit = deinit,
		.take_line = take_line,
		.finish = finish,
	};

	return dump_open(&kind, input, options, ret_source, err);
}

const struct event_source_ops event_source_page_owner_stacks = {
	.name = "page_owner_stacks",
	.limits = "frees, orders, migrate types or processes; each page counts as one",
	.probe = probe,
	.open_input = open_input,
	.read = dump_read,
	.free = dump_free,
};
