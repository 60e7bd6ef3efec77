// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/label.h"
#include "util/base/log.h"

static struct dump *dump_of(struct event_source *source)
{
	return (struct dump *)source;
}

void dump_free(struct event_source *source)
{
	struct dump *d = dump_of(source);

	input_free(d->input);
	if (d->kind->deinit)
		d->kind->deinit(d);
	site_names_deinit(&d->own_names);
	source_facts_deinit(&d->facts);
	free(d);
}

static uint32_t page_size_of(const struct dump *d)
{
	long here = sysconf(_SC_PAGESIZE);

	if (d->options.page_size)
		return d->options.page_size;
	if (d->kind->page_size)
		return d->kind->page_size;
	return here > 0 ? (uint32_t)here : 4096;
}

static int add_facts(struct dump *d)
{
	struct source_event *event = calloc(1, sizeof(*event));

	if (!event)
		return -ENOMEM;
	*event = (struct source_event){
		.type = PERF_TYPE_TRACEPOINT,
		.config = UINT64_MAX, /* not the number of any event format */
		.period = 1,
		.kind = (uint8_t)d->kind->kind,
		.has_callchain = d->kind->has_callchain,
	};
	if (source_facts_add_event(&d->facts, event)) {
		free(event);
		return -ENOMEM;
	}
	d->event = event;
	event->name = strdup(d->kind->what);
	d->facts.path = strdup(input_path(d->input));
	d->facts.page_size = page_size_of(d);
	d->facts.is_snapshot = true;
	d->facts.frees_unknown = true;
	d->facts.requests_unknown = d->kind->requests_unknown;
	d->facts.keys = d->kind->keys;
	d->facts.slab_by = d->kind->slab_by;
	d->facts.site_names = d->names;
	return event->name && d->facts.path ? 0 : -ENOMEM;
}

int dump_open(const struct dump_kind *kind, struct input *input,
	      const struct source_options *options, struct event_source **ret_source,
	      struct error *err)
{
	struct dump *d = calloc(1, kind->size);

	if (!d) {
		input_free(input);
		return error_nomem(err);
	}
	d->source = (struct event_source){kind->ops, &d->facts};
	d->kind = kind;
	d->input = input;
	d->options = *options;
	source_facts_init(&d->facts);
	site_names_init(&d->own_names);
	d->names = options->names ? options->names : &d->own_names;
	if (add_facts(d) || (kind->init && kind->init(d))) {
		dump_free(&d->source);
		return error_nomem(err);
	}
	input_serve(input, &d->facts);
	*ret_source = &d->source;
	return 0;
}

static int take_line(void *ctx, struct text_line *line)
{
	struct dump *d = ctx;

	if (line->is_open && d->facts.damage.truncated && !d->kind->takes_torn)
		return 0;
	if (line->is_open && !d->kind->takes_torn) {
		source_facts_damage(&d->facts, line->pos, TEXT_LINE_OPEN, line->number);
		d->facts.damage.truncated = true;
	}
	return d->kind->take_line(d, line);
}

int dump_read(struct event_source *source, const struct event_sink *sink, void *ctx,
	      struct error *err)
{
	struct dump *d = dump_of(source);
	int ret;

	d->sink = sink;
	d->ctx = ctx;
	d->err = err;
	ret = text_lines_each(d->input, take_line, d);
	if (!ret && d->kind->finish)
		ret = d->kind->finish(d);
	return ret;
}

bool dump_take_header(struct dump *d, const struct text_line *line, const char *magic,
		      unsigned int major_known)
{
	const char *version = line->text + strlen(magic);
	char *end;

	if (strncmp(line->text, magic, strlen(magic)) != 0)
		return false;
	if (strtoul(version, &end, 10) > major_known || end == version)
		log_warn("'%s': %s has version '%.16s', and this perf knows %u.x: its columns may "
			 "mean something else",
			 d->facts.path, d->kind->what, version, major_known);
	if (++d->nr_headers == 2)
		log_warn("'%s': line %" PRIu64 " begins a second %s: what is in both counts twice",
			 d->facts.path, line->number, d->kind->what);
	return true;
}

int dump_bad_line(struct dump *d, const struct text_line *line, const char *why)
{
	source_facts_damage(&d->facts, line->pos, "line %" PRIu64 " %s", line->number, why);
	d->facts.damage.nr_skipped_records++;
	d->facts.damage.nr_skipped_bytes += line->len;
	return 0;
}

int dump_add_row(struct dump *d, struct complete_event *row, const struct source_figures *figures)
{
	row->source = d->event;
	source_facts_count(&d->facts, d->event, row->event->time_ns);
	return d->sink->row ? d->sink->row(d->ctx, row, figures, d->err) : 0;
}

int dump_add_figures(struct dump *d, struct kmem_event *keys, struct complete_event *row,
		     const struct source_figures *figures)
{
	keys->kind = (uint8_t)d->kind->kind;
	keys->time_ns = d->facts.stated_stop_ns;
	keys->in_window = true;
	if (!row->comm)
		row->comm = label_unknown;
	row->event = keys;
	return dump_add_row(d, row, figures);
}

int dump_add(struct dump *d, struct kmem_event *keys, struct complete_event *row, uint64_t hits,
	     uint64_t bytes_req, uint64_t bytes)
{
	const struct source_figures figures = {
		.hits = hits,
		.bytes_req = bytes_req,
		.bytes_alloc = bytes,
		.live_hits = hits,
		.live_bytes_req = bytes_req,
		.live_bytes = bytes,
	};

	return dump_add_figures(d, keys, row, &figures);
}
