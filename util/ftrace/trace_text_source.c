// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of a tracefs' `trace` as a source of events.
 *
 * It has names of functions instead of addresses, and hashed pointers, which identify an object
 * nevertheless. Before the kernel can hash pointers (early during boot), and if it hides them, they
 * are all the same: such an allocation counts, but its free cannot be matched.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/path.h"
#include "util/base/strbuf.h"
#include "util/ftrace/trace_line.h"
#include "util/event/gfp_bits.h"
#include "util/event/known_events.h"
#include "util/source/event_source.h"
#include "util/source/site_names.h"
#include "util/source/text_lines.h"
#include "util/tracepoint/print_flags.h"

extern const struct event_source_ops event_source_trace_text;

/* Number of later events for which an event waits for its stack. */
#define WAITING_MAX 64
#define FRAMES_MAX  128
#define COMM_MAX    64

struct waiting_text {
	struct kmem_event event;
	struct source_event *source; /* NULL: kept only to match its stack */
	char comm[COMM_MAX];
	char cache[COMM_MAX];
	char flags[16];
	uint64_t stack[FRAMES_MAX];
	size_t nr_frames; /* including the marker; 0: no stack so far */
};

struct text_source {
	struct event_source source;
	struct source_facts facts;
	struct source_options options;
	struct input *input;
	struct site_names names;
	struct flag_names flags;
	struct source_event *events[KNOWN_EVENTS];
	bool has_stacks;
	struct waiting_text *waiting; /* a ring of WAITING_MAX */
	size_t first, nr_waiting;
	struct waiting_text *stack_of; /* event that receives the frames; NULL: none */
	uint64_t nr_hidden;	       /* number of unknown pointers */
	/* while it is read */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

/* ---- fields ---------------------------------------------------------------------------------- */

static uint64_t number(const struct trace_line *l, const char *name, uint64_t otherwise)
{
	struct text_part v;
	char copy[32], *end;
	uint64_t n;

	if (!trace_line_field(l, name, &v) || !v.len || v.len >= sizeof(copy))
		return otherwise;
	memcpy(copy, v.at, v.len);
	copy[v.len] = 0;
	n = copy[0] == '-' ? (uint64_t)strtoll(copy, &end, 0) : strtoull(copy, &end, 0);
	return end == copy ? otherwise : n;
}

/* Hex without "0x"; "(null)" is 0, and each hidden pointer gets its own number. */
static uint64_t pointer(struct text_source *s, const struct trace_line *l, const char *name)
{
	struct text_part v;
	char copy[32], *end;
	uint64_t n;

	if (!trace_line_field(l, name, &v) || v.len >= sizeof(copy))
		return 0;
	memcpy(copy, v.at, v.len);
	copy[v.len] = 0;
	if (strstr(copy, "null") || strstr(copy, "nil"))
		return 0;
	n = strtoull(copy, &end, 16);
	if (end != copy && !*end)
		return n;
	return 1ULL << 63 | ++s->nr_hidden;
}

static uint32_t gfp_flags(const struct text_source *s, const struct trace_line *l)
{
	struct text_part v;
	uint64_t mask = 0;

	if (!trace_line_field(l, "gfp_flags", &v))
		return 0;
	while (v.len) {
		const char *bar = memchr(v.at, '|', v.len);
		size_t len = bar ? (size_t)(bar - v.at) : v.len;

		for (size_t i = 0; i < s->flags.nr; i++)
			if (strlen(s->flags.v[i].name) == len &&
			    !memcmp(s->flags.v[i].name, v.at, len))
				mask |= s->flags.v[i].mask;
		if (len > 2 && v.at[0] == '0' && v.at[1] == 'x')
			mask |= strtoull(v.at, NULL, 16); /* the line ends in NUL */
		v.at += bar ? len + 1 : len;
		v.len -= bar ? len + 1 : len;
	}
	return (uint32_t)mask;
}

static int call_site(struct text_source *s, const struct trace_line *l, uint64_t *ret)
{
	struct text_part v;

	*ret = 0;
	if (!trace_line_field(l, "call_site", &v))
		return 0;
	return site_names_parse(&s->names, v.at, v.len, ret) == -ENOMEM ? -ENOMEM : 0;
}

static void copy_part(char *to, size_t size, const struct text_part *part)
{
	size_t len = part->len < size - 1 ? part->len : size - 1;

	if (len)
		memcpy(to, part->at, len);
	to[len] = 0;
}

static uint64_t pfn(const struct trace_line *l)
{
	uint64_t v = number(l, "pfn", PFN_NONE);

	return v == UINT32_MAX ? PFN_NONE : v;
}

static int fill_event(struct text_source *s, const struct trace_line *l, struct waiting_text *w)
{
	struct kmem_event *ev = &w->event;
	struct text_part v;

	switch (ev->kind) {
	case KMEM_SLAB_ALLOC:
		ev->bytes_req = number(l, "bytes_req", 0);
		ev->bytes_alloc = number(l, "bytes_alloc", 0);
		ev->gfp_flags = gfp_flags(s, l);
		ev->node = (int32_t)number(l, "node", (uint64_t)NUMA_NO_NODE);
		if (trace_line_field(l, "accounted", &v)) {
			ev->has_accounted = true;
			ev->accounted = v.len && *v.at == 't';
		}
		__attribute__((fallthrough));
	case KMEM_SLAB_FREE:
		ev->ptr = pointer(s, l, "ptr");
		if (trace_line_field(l, "name", &v))
			copy_part(w->cache, sizeof(w->cache), &v);
		if (w->cache[0])
			ev->cache_id = cache_id_of(w->cache, strlen(w->cache));
		return call_site(s, l, &ev->call_site);
	case KMEM_PAGE_EXTFRAG:
		ev->page = pfn(l);
		ev->order = (uint32_t)number(l, "alloc_order", 0);
		ev->fallback_order = (uint32_t)number(l, "fallback_order", 0);
		ev->migratetype = (int32_t)number(l, "alloc_migratetype", 0);
		ev->fallback_migratetype = (int32_t)number(l, "fallback_migratetype", 0);
		ev->change_ownership = number(l, "change_ownership", 0) != 0;
		return 0;
	default:
		ev->page = pfn(l);
		ev->order = (uint32_t)number(l, "order", 0);
		ev->migratetype = (int32_t)number(l, "migratetype", 0);
		ev->gfp_flags = gfp_flags(s, l);
		ev->percpu_refill = number(l, "percpu_refill", 0) != 0;
		return 0;
	}
}

/* ---- events waiting for their stacks --------------------------------------------------------- */

static struct waiting_text *waiting_at(struct text_source *s, size_t i)
{
	return &s->waiting[(s->first + i) % WAITING_MAX];
}

static int hand_over(struct text_source *s, const struct waiting_text *w)
{
	const struct complete_event complete = {
		.source = w->source,
		.event = &w->event,
		.comm = w->comm[0] ? w->comm : NULL,
		.cache = w->cache[0] ? w->cache : NULL,
		.callchain = w->nr_frames ? w->stack : NULL,
		.nr_callchain = w->nr_frames,
	};

	if (!w->source)
		return 0;
	source_facts_count(&s->facts, w->source, w->event.time_ns);
	return s->sink->event ? s->sink->event(s->ctx, &complete, s->err) : 0;
}

static int hand_over_first(struct text_source *s)
{
	struct waiting_text *w = waiting_at(s, 0);

	if (s->stack_of == w)
		s->stack_of = NULL;
	s->first = (s->first + 1) % WAITING_MAX;
	s->nr_waiting--;
	return hand_over(s, w);
}

static struct source_event *event_of(struct text_source *s, const struct known_event *known)
{
	struct source_event **made = &s->events[known - known_events], *ev = *made;

	if (ev)
		return ev;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	*ev = (struct source_event){
		.type = PERF_TYPE_MAX,
		.period = 1,
		.kind = known->neutral.kind,
		.has_callchain = s->has_stacks,
	};
	ev->name = strdup(known->name);
	if (!ev->name || source_facts_add_event(&s->facts, ev)) {
		free(ev->name);
		free(ev);
		return NULL;
	}
	return *made = ev;
}

/* -EINVAL: the order or size is impossible; its stack is still expected. */
static int take_event(struct text_source *s, const struct trace_line *l)
{
	const struct known_event *known = known_event_find("kmem", l->name.at, l->name.len);
	struct waiting_text *w;
	int ret = s->nr_waiting == WAITING_MAX ? hand_over_first(s) : 0;

	if (ret < 0)
		return ret;
	s->stack_of = NULL;
	w = waiting_at(s, s->nr_waiting++);
	memset(w, 0, offsetof(struct waiting_text, stack));
	w->nr_frames = 0;
	if (known)
		w->event = known->neutral;
	w->event.time_ns = l->time_ns;
	w->event.pid = w->event.tid = l->pid;
	w->event.cpu = l->cpu;
	copy_part(w->flags, sizeof(w->flags), &l->flags);
	if (l->comm.len && *l->comm.at != '<')
		copy_part(w->comm, sizeof(w->comm), &l->comm);
	if (!known)
		return 0;
	w->source = event_of(s, known);
	if (!w->source || fill_event(s, l, w))
		return -ENOMEM;
	if (kmem_event_is_sound(&w->event))
		return 0;
	w->source = NULL;
	return -EINVAL;
}

/* Find the latest event without a stack from the same thread, CPU and context (cpu_events.h). */
static void take_stack(struct text_source *s, const struct trace_line *l)
{
	char flags[sizeof(s->waiting->flags)];

	copy_part(flags, sizeof(flags), &l->flags);
	s->stack_of = NULL;
	for (size_t i = s->nr_waiting; i--;) {
		struct waiting_text *w = waiting_at(s, i);

		if (w->nr_frames || w->event.cpu != l->cpu || w->event.tid != l->pid ||
		    strcmp(w->flags, flags) != 0)
			continue;
		w->stack[0] = (uint64_t)PERF_CONTEXT_KERNEL;
		w->nr_frames = 1;
		s->stack_of = w;
		s->has_stacks = true;
		if (w->source)
			w->source->has_callchain = true;
		return;
	}
}

static int take_frame(struct text_source *s, const struct trace_line *l)
{
	struct waiting_text *w = s->stack_of;
	uint64_t address;
	int ret;

	if (!w || w->nr_frames == FRAMES_MAX)
		return 0;
	ret = site_names_parse(&s->names, l->fields.at, l->fields.len, &address);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (address && address < (uint64_t)PERF_CONTEXT_MAX)
		w->stack[w->nr_frames++] = address;
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void note_bad_line(struct text_source *s, const struct text_line *line)
{
	source_facts_damage(&s->facts, line->pos, "line %llu is not in the kernel's format",
			    (unsigned long long)line->number);
	s->facts.damage.nr_skipped_records++;
	s->facts.damage.nr_skipped_bytes += line->len;
}

static int take_line(void *ctx, struct text_line *line)
{
	struct text_source *s = ctx;
	struct trace_line l;
	int ret;

	if (line->is_open) {
		source_facts_damage(&s->facts, line->pos, TEXT_LINE_OPEN, line->number);
		s->facts.damage.truncated = true;
	}
	if (!line->len)
		return 0;
	trace_line_parse(&l, line->text, line->len);
	switch (l.kind) {
	case TRACE_LINE_EVENT:
		ret = take_event(s, &l);
		if (ret == -EINVAL)
			note_bad_line(s, line);
		return ret == -EINVAL ? 0 : ret;
	case TRACE_LINE_STACK:
		take_stack(s, &l);
		return 0;
	case TRACE_LINE_FRAME:
		return take_frame(s, &l);
	case TRACE_LINE_WRITTEN:
	case TRACE_LINE_LOST:
		s->facts.nr_lost += l.nr;
		return 0;
	default:
		/* comments, and "##### CPU 1 buffer started ####" */
		if (line->text[0] != '#')
			note_bad_line(s, line);
		return 0;
	}
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct text_source *s = (struct text_source *)source;
	int ret;

	s->sink = sink;
	s->ctx = ctx;
	s->err = err;
	/* as for names in reports */
	if (gfp_era_names(gfp_era_of(s->facts.osrelease), &s->flags))
		return -ENOMEM;
	ret = text_lines_each(s->input, take_line, s);
	while (ret >= 0 && s->nr_waiting)
		ret = hand_over_first(s);
	if (s->nr_hidden)
		log_warn("'%s': the kernel hides %llu pointers: their allocations count as "
			 "never freed",
			 s->facts.path, (unsigned long long)s->nr_hidden);
	return ret < 0 ? ret : 0;
}

static void free_source(struct event_source *source)
{
	struct text_source *s = (struct text_source *)source;

	input_free(s->input);
	site_names_deinit(&s->names);
	flag_names_deinit(&s->flags);
	free(s->waiting);
	source_facts_deinit(&s->facts);
	free(s);
}

static int prepare(struct text_source *s)
{
	const struct source_input *probed = input_probed(s->input);

	s->facts.path = strdup(input_path(s->input));
	s->facts.page_size = 4096;
	s->facts.only_seen_events = true;
	s->facts.site_names = &s->names;
	s->has_stacks = probed->head_size && memmem(probed->head, probed->head_size,
						    "<stack trace>", strlen("<stack trace>"));
	s->waiting = calloc(WAITING_MAX, sizeof(*s->waiting));
	if (!s->facts.path || !s->waiting)
		return -ENOMEM;
	input_serve(s->input, &s->facts);
	return 0;
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	struct text_source *s = calloc(1, sizeof(*s));

	if (!s) {
		input_free(input);
		return error_nomem(err);
	}
	s->source = (struct event_source){&event_source_trace_text, &s->facts};
	s->options = *options;
	s->input = input;
	source_facts_init(&s->facts);
	site_names_init(&s->names);
	if (prepare(s)) {
		free_source(&s->source);
		return error_nomem(err);
	}
	*ret_source = &s->source;
	return 0;
}

/* The text is recognized by its first comment or, for trace_pipe, which has none, by its first
 * line. If a read would consume it, the file's name must do. */
static bool probe(const struct source_input *input)
{
	const char *head = (const char *)input->head, *end;
	struct trace_line l;

	if (!input->head_size)
		return input->reads_once && !strcmp(path_base(input->path), "trace_pipe");
	if (source_input_begins(input, "# tracer: "))
		return true;
	end = memchr(head, '\n', input->head_size);
	if (!end)
		return false;
	trace_line_parse(&l, head, (size_t)(end - head));
	return l.kind == TRACE_LINE_EVENT || l.kind == TRACE_LINE_LOST;
}

const struct event_source_ops event_source_trace_text = {
	.name = "trace text",
	.limits = "addresses",
	.probe = probe,
	.open_input = open_input,
	.read = read_source,
	.free = free_source,
};
