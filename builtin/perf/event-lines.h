/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_lines: the samples of a recording as perf script prints them, a line each, and below
 * it the callchain.
 *
 * It is fed with the formats and with what becomes of address spaces; text is appended to `out`,
 * which the caller writes and empties as it likes.
 */
#ifndef BUILTIN_PERF_EVENT_LINES_H
#define BUILTIN_PERF_EVENT_LINES_H

#include <stdbool.h>

#include "builtin/perf/event-texts.h"
#include "builtin/perf/frame-names.h"
#include "builtin/perf/frame-texts.h"

#define EVENT_LINES_FIELDS "comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso"

struct event_lines_style {
	unsigned int fields; /* bits, which event_lines_parse_fields() knows */
	bool usual_fields;   /* instead: those of events, and of frames if there are callchains */
	bool ns, no_callchain;
};

struct event_lines {
	const struct source_facts *facts;
	struct event_lines_style style;
	bool callchains; /* of at least one event */
	int name_width;	 /* 0: not known yet */
	struct strbuf out;
	struct frame_names names;
	struct event_texts texts;
	struct frame_texts frames;
	struct error *err;
};

/* "comm,tid", "+pid,-dso", "trace:comm": 0, or -EINVAL if one is not known here. */
int event_lines_parse_fields(const char *text, unsigned int *ret_fields);

/* kallsyms_path: NULL: none was given. The facts must outlive it. */
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

/* Append a sample, of a task with this name.  Errors: the symbol file cannot be read; -ENOMEM. */
int event_lines_add(struct event_lines *l, const struct sample *sample, const char *comm,
		    struct error *err);

/* Was there no memory for what has been appended? */
static inline bool event_lines_failed(const struct event_lines *l)
{
	return l->out.failed;
}

#endif
