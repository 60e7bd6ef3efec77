// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/event-lines.h"

#include <errno.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/machine/callchain.h"

enum {
	FIELD_COMM = 1 << 0,
	FIELD_TID = 1 << 1,
	FIELD_PID = 1 << 2,
	FIELD_TIME = 1 << 3,
	FIELD_CPU = 1 << 4,
	FIELD_EVENT = 1 << 5,
	FIELD_TRACE = 1 << 6,
	FIELD_IP = 1 << 7,
	FIELD_SYM = 1 << 8,
	FIELD_DSO = 1 << 9,
	FIELD_SYMOFF = 1 << 10,
};
#define FIELDS_OF_EVENTS                                                                           \
	(FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_CPU | FIELD_EVENT | FIELD_TRACE)
#define FIELDS_OF_FRAMES (FIELD_IP | FIELD_SYM | FIELD_DSO | FIELD_SYMOFF)

static const struct {
	const char *name;
	unsigned int field;
} field_names[] = {
	{"comm", FIELD_COMM},	{"tid", FIELD_TID},	  {"pid", FIELD_PID},
	{"time", FIELD_TIME},	{"cpu", FIELD_CPU},	  {"event", FIELD_EVENT},
	{"trace", FIELD_TRACE}, {"ip", FIELD_IP},	  {"sym", FIELD_SYM},
	{"dso", FIELD_DSO},	{"symoff", FIELD_SYMOFF},
};

int event_lines_parse_fields(const char *text, unsigned int *ret_fields)
{
	unsigned int fields = 0;
	const char *colon = strchr(text, ':');
	bool changes = *text == '+' || *text == '-';

	if (colon && strncmp(text, "trace:", 6) != 0)
		return -EINVAL;
	text = colon ? colon + 1 : text;
	if (!*text)
		return -EINVAL;
	if (changes)
		fields = FIELDS_OF_EVENTS | FIELDS_OF_FRAMES;
	while (*text) {
		char sign = *text == '+' || *text == '-' ? *text++ : '+';
		size_t len = strcspn(text, ","), i = 0;

		while (i < sizeof(field_names) / sizeof(field_names[0]) &&
		       (strlen(field_names[i].name) != len ||
			strncmp(field_names[i].name, text, len) != 0))
			i++;
		if (i == sizeof(field_names) / sizeof(field_names[0]))
			return -EINVAL;
		fields = sign == '+' ? fields | field_names[i].field
				     : fields & ~field_names[i].field;
		text += len + (text[len] == ',');
	}
	*ret_fields = fields;
	return 0;
}

void event_lines_init(struct event_lines *l, struct source_facts *facts,
		      const struct event_lines_style *style, const char *kallsyms_path,
		      const struct dso_search *search)
{
	*l = (struct event_lines){.facts = facts, .style = *style, .out = STRBUF_INIT};
	if (style->usual_fields)
		l->style.fields = FIELDS_OF_EVENTS;
	event_texts_init(&l->texts, facts);
	frame_names_init(&l->names, facts, kallsyms_path, search);
	frame_texts_init(&l->frames);
}

void event_lines_deinit(struct event_lines *l)
{
	event_texts_deinit(&l->texts);
	frame_texts_deinit(&l->frames);
	frame_names_deinit(&l->names);
	strbuf_deinit(&l->out);
}

int event_lines_take_formats(struct event_lines *l, const struct tracing_data *formats,
			     struct error *err)
{
	int ret = event_texts_take_formats(&l->texts, formats, err);

	return ret ? ret : kernel_names_take_formats(&l->names.kernel, formats, err);
}

int event_lines_map(struct event_lines *l, const struct source_map *map)
{
	frame_texts_forget(&l->frames, map->pid);
	return frame_names_map(&l->names, map);
}

int event_lines_process(struct event_lines *l, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	frame_texts_forget(&l->frames, pid);
	return frame_names_process(&l->names, change, pid, parent_pid);
}

/* Determine the longest name, and whether there are callchains, before the first sample. */
static void look_at_events(struct event_lines *l)
{
	const struct source_facts *f = l->facts;

	l->name_width = 1;
	for (size_t i = 0; i < f->nr_events; i++) {
		int len = f->events[i]->name ? (int)strlen(f->events[i]->name) : 0;

		l->name_width = len > l->name_width ? len : l->name_width;
		l->callchains |= f->events[i]->has_callchain;
	}
	if (l->style.usual_fields && l->callchains)
		l->style.fields |= FIELDS_OF_FRAMES;
	l->callchains &= !l->style.no_callchain;
}

/* Append a number, padded with `fill` to at least `width` characters. */
static void add_number(struct strbuf *sb, uint64_t v, int width, char fill)
{
	char digits[24];
	int n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	while ((int)sizeof(digits) - n < width && n)
		digits[--n] = fill;
	strbuf_add(sb, digits + n, sizeof(digits) - (size_t)n);
}

/* Pad on the left to at least `width` columns. */
static void add_name(struct strbuf *sb, const char *name, int width)
{
	int len = (int)strlen(name);
	size_t start;

	for (; len < width; len++)
		strbuf_addch(sb, ' ');
	start = sb->len;
	strbuf_addstr(sb, name);
	for (; *name; name++)
		if (*name < ' ' || *name > '~') {
			printable_strbuf(sb, start);
			break;
		}
}

static void add_time(struct strbuf *sb, uint64_t ns, bool all)
{
	add_number(sb, ns / 1000000000, 5, ' ');
	strbuf_addch(sb, '.');
	if (all)
		add_number(sb, ns % 1000000000, 9, '0');
	else
		add_number(sb, ns % 1000000000 / 1000, 6, '0');
	strbuf_addstr(sb, ": ");
}

static void add_frame_name(struct event_lines *l, const struct frame_name *name)
{
	struct strbuf *sb = &l->out;

	strbuf_add_hex(sb, name->address, 16);
	if (l->style.fields & FIELD_SYM) {
		strbuf_addch(sb, ' ');
		strbuf_addstr(sb, name->symbol ? name->symbol : "[unknown]");
		if (name->symbol && l->style.fields & FIELD_SYMOFF) {
			strbuf_addstr(sb, "+0x");
			strbuf_add_hex(sb, name->offset, 1);
		}
	}
	if (l->style.fields & FIELD_DSO) {
		strbuf_addstr(sb, " (");
		strbuf_addstr(sb, name->dso ? name->dso : "[unknown]");
		strbuf_addch(sb, ')');
	}
}

static int add_frame(struct event_lines *l, uint32_t pid, uint64_t address,
		     enum callchain_context context)
{
	bool in_kernel = context == CONTEXT_KERNEL || context == CONTEXT_NONE;
	uint64_t space = in_kernel ? FRAME_TEXTS_OF_KERNEL : pid;
	struct frame_name name;
	size_t start, len;
	const char *text;
	int ret;

	if (in_kernel)
		address = kernel_names_identity(&l->names.kernel, address);
	text = frame_texts_find(&l->frames, space, address, &len);
	if (text) {
		strbuf_add(&l->out, text, len);
		return 0;
	}
	ret = in_kernel ? frame_names_kernel(&l->names, address, &name, l->err)
			: frame_names_user(&l->names, pid, address, &name, l->err);
	if (ret)
		return ret;
	start = l->out.len;
	add_frame_name(l, &name);
	frame_texts_keep(&l->frames, space, address, l->out.buf + start, l->out.len - start);
	return 0;
}

static int add_callchain_frame(struct event_lines *l, uint32_t pid, uint64_t address,
			       enum callchain_context context)
{
	int ret;

	strbuf_addch(&l->out, '\t');
	ret = add_frame(l, pid, address, context);
	strbuf_addch(&l->out, '\n');
	return ret;
}

static int add_callchain(struct event_lines *l, const struct sample *sample)
{
	struct callchain chain =
		callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
	uint64_t address, frames[FRAME_NAMES_MAX];
	bool has_user = false;
	size_t nr = 0;
	int ret = 0;

	strbuf_addch(&l->out, '\n');
	while (!ret && callchain_next(&chain, &address)) {
		has_user |= chain.context == CONTEXT_USER;
		ret = add_callchain_frame(l, sample->pid, address, chain.context);
	}
	if (!ret && !has_user)
		ret = frame_names_unwind(&l->names, sample, frames, &nr, l->err);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = add_callchain_frame(l, sample->pid, frames[i], CONTEXT_USER);
	return ret;
}

static void add_task(struct event_lines *l, const struct sample *sample, const char *comm)
{
	struct strbuf *sb = &l->out;

	if (l->style.fields & FIELD_COMM) {
		bool above =
			l->style.fields & FIELD_IP && l->callchains && sample->event->has_callchain;

		add_name(sb, comm, above ? 0 : 16);
		strbuf_addch(sb, ' ');
	}
	if (l->style.fields & FIELD_PID)
		strbuf_addf(sb, "%5d", (int)sample->pid);
	if (l->style.fields & FIELD_PID && l->style.fields & FIELD_TID)
		strbuf_addf(sb, "/%-5d", (int)sample->tid);
	else if (l->style.fields & FIELD_TID && (int32_t)sample->tid >= 0)
		add_number(sb, sample->tid, 5, ' ');
	else if (l->style.fields & FIELD_TID)
		strbuf_addf(sb, "%5d", (int)sample->tid);
	if (l->style.fields & (FIELD_PID | FIELD_TID))
		strbuf_addch(sb, ' ');
}

int event_lines_add(struct event_lines *l, const struct sample *sample, const char *comm,
		    struct error *err)
{
	struct strbuf *sb = &l->out;
	int ret = 0;

	l->err = err;
	if (!l->name_width)
		look_at_events(l);
	ret = kernel_names_at(&l->names.kernel, sample->time_ns, err);
	if (ret)
		return ret;
	add_task(l, sample, comm);
	if (l->style.fields & FIELD_CPU) {
		strbuf_addch(sb, '[');
		add_number(sb, sample->cpu < 0 ? 0 : (uint64_t)sample->cpu, 3, '0');
		strbuf_addstr(sb, "] ");
	}
	if (l->style.fields & FIELD_TIME)
		add_time(sb, sample->time_ns, l->style.ns);
	if (l->style.fields & FIELD_EVENT) {
		add_name(sb, sample->event->name ? sample->event->name : "[unknown]",
			 l->name_width);
		strbuf_addstr(sb, ": ");
	}
	if (l->style.fields & FIELD_TRACE &&
	    event_texts_add(&l->texts, &l->out, sample, kernel_names_add, &l->names.kernel))
		return error_nomem(err);
	if (l->names.kernel.err.code) {
		*err = l->names.kernel.err;
		return -err->code;
	}
	if (l->style.fields & FIELD_IP && l->callchains && sample->event->has_callchain) {
		ret = add_callchain(l, sample);
	} else if (l->style.fields & FIELD_IP) {
		strbuf_addch(sb, ' ');
		ret = add_frame(l, sample->pid, sample->ip,
				sample->in_user ? CONTEXT_USER : CONTEXT_KERNEL);
	}
	strbuf_addch(sb, '\n');
	return ret;
}
