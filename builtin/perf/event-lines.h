/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_lines: the lines that perf script prints: one for each sample, followed by its
 * callchain.
 *
 * Fed with formats and changes of address spaces. Text is appended to `out`, which the caller
 * writes and empties.
 */
#ifndef BUILTIN_PERF_EVENT_LINES_H
#define BUILTIN_PERF_EVENT_LINES_H

#include <stdbool.h>

#include "builtin/perf/event-texts.h"
#include "builtin/perf/frame-names.h"
#include "builtin/perf/frame-texts.h"

#define EVENT_LINES_FIELDS "comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso"

struct event_lines_style {
	unsigned int fields; /* bits, from event_lines_parse_fields() */
	bool usual_fields;   /* use the default fields: those of events, and of frames if there are
				callchains */
	bool ns, no_callchain;
};

struct event_lines {
	const struct source_facts *facts;
	struct event_lines_style style;
	bool callchains; /* at least one event has callchains */
	int name_width;	 /* 0 until it is known */
	struct strbuf out;
	struct frame_names names;
	struct event_texts texts;
	struct frame_texts frames;
	struct error *err;
};

/* Parse "comm,tid", "+pid,-dso", "trace:comm". Returns 0, or -EINVAL if a field is not
 * supported. */
int event_lines_parse_fields(const char *text, unsigned int *ret_fields);

/* kallsyms_path may be NULL. The facts must outlive it. */
void event_lines_init(struct event_lines *l, struct source_facts *facts,
		      const struct event_lines_style *style, const char *kallsyms_path,
		      const struct dso_search *search);
void event_lines_deinit(struct event_lines *l);

int event_lines_take_formats(struct event_lines *l, const struct tracing_data *formats,
			     struct error *err);

/* As in struct event_sink. Errors: -ENOMEM. */
int event_lines_map(struct event_lines *l, const struct source_map *map);
int event_lines_process(struct event_lines *l, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/* Append a sample of a task with this name. Errors: the symbol file cannot be read; -ENOMEM. */
int event_lines_add(struct event_lines *l, const struct sample *sample, const char *comm,
		    struct error *err);

/* Whether memory ran out while text was appended. */
static inline bool event_lines_failed(const struct event_lines *l)
{
	return l->out.failed;
}

#endif
