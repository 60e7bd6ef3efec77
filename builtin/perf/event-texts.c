// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/event-texts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/decode/formats.h"

struct event_text {
	struct print_fmt *text; /* NULL: not a tracepoint, or without a format */
	bool known;
};

void event_texts_init(struct event_texts *t, struct source_facts *facts)
{
	*t = (struct event_texts){.facts = facts};
}

void event_texts_deinit(struct event_texts *t)
{
	for (size_t i = 0; i < t->nr_events; i++)
		print_fmt_free(t->events[i].text);
	free(t->events);
	for (size_t i = 0; i < t->nr_formats; i++)
		free((char *)(uintptr_t)t->formats[i].text);
	free(t->formats);
	free(t->format_ids);
	if (t->has_trace)
		trace_deinit(&t->trace);
}

static int keep_formats(struct event_texts *t, const struct tracing_data *formats)
{
	t->formats = calloc(formats->nr_formats + 1, sizeof(*t->formats));
	t->format_ids = calloc(formats->nr_formats + 1, sizeof(*t->format_ids));
	if (!t->formats || !t->format_ids)
		return -ENOMEM;
	for (size_t i = 0; i < formats->nr_formats; i++) {
		const struct trace_text *text = &formats->formats[i].text;
		char *copy;

		if (print_fmt_id(text, &t->format_ids[t->nr_formats]))
			continue;
		copy = strndup(text->text, text->len);
		if (!copy)
			return -ENOMEM;
		t->formats[t->nr_formats++] = (struct trace_text){copy, strlen(copy)};
	}
	return 0;
}

int event_texts_take_formats(struct event_texts *t, const struct tracing_data *formats,
			     struct error *err)
{
	int ret = trace_init(&t->trace, formats, err);

	if (ret)
		return ret;
	t->has_trace = true;
	if (keep_formats(t, formats) || event_names_from_formats(t->facts, &t->trace))
		return error_nomem(err);
	return 0;
}

static int know_event(struct event_texts *t, const struct source_event *ev)
{
	struct event_text *e;

	if (ev->index >= t->nr_events) {
		size_t nr = t->facts->nr_events;

		e = reallocarray(t->events, nr, sizeof(*e));
		if (!e)
			return -ENOMEM;
		memset(e + t->nr_events, 0, (nr - t->nr_events) * sizeof(*e));
		t->events = e;
		t->nr_events = nr;
	}
	e = &t->events[ev->index];
	if (e->known)
		return 0;
	e->known = true;
	for (size_t i = 0; i < t->nr_formats && ev->type == PERF_TYPE_TRACEPOINT && !e->text; i++)
		if (t->format_ids[i] == ev->config) {
			e->text = print_fmt_new(&t->formats[i], t->trace.long_size);
			return e->text ? 0 : -ENOMEM;
		}
	return 0;
}

int event_texts_add(struct event_texts *t, struct strbuf *out, const struct sample *sample,
		    print_fmt_symbol_fn symbol, void *ctx)
{
	const struct print_fmt_raw raw = {.data = sample->raw,
					  .size = sample->raw_size,
					  .swap = sample->swap,
					  .long_size = t->trace.long_size,
					  .symbol = symbol,
					  .ctx = ctx};
	const struct event_text *e;

	if (know_event(t, sample->event))
		return -ENOMEM;
	e = &t->events[sample->event->index];
	if (e->text && sample->raw_size)
		print_fmt_add(e->text, out, &raw);
	return 0;
}
