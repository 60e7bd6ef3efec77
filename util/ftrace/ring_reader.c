// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/ring_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/printable.h"
#include "util/ftrace/same_events.h"

/* Bytes of pages between two calls of the progress function. */
#define PROGRESS_BYTES (1u << 20)

#define COMM_MAX 64

/* One CPU of one buffer. */
struct ring_cpu {
	struct cpu_events events;
	struct ring_layout layout;
	struct ring_pages pages;
	uint32_t buffer;
	uint64_t nr_events;
	const struct cpu_event *head; /* the CPU's next event */
	uint16_t before;	      /* while scanning: id of the previous event */
	struct ring_reader *reader;
};

/* ---- setting up ------------------------------------------------------------------------------ */

/* The offset of a field in "field:TYPE NAME[...];\toffset:N;", or -1 if there is no such field. */
static long field_offset(const char *format, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strstr(format, name); at; at = strstr(at + 1, name)) {
		const char *semi = at + len + strcspn(at + len, ";\n");
		unsigned int offset;

		if (at == format || at[-1] != ' ' || (at[len] != ';' && at[len] != '['))
			continue;
		if (sscanf(semi, "; offset:%u;", &offset) == 1 && offset < 4096)
			return (long)offset;
	}
	return -1;
}

static struct stack_format parse_stack_format(const char *text)
{
	const char *id = text ? strstr(text, "\nID: ") : NULL;
	long size_at = id ? field_offset(text, "size") : -1;
	long caller_at = id ? field_offset(text, "caller") : -1;
	unsigned long v = id ? strtoul(id + 5, NULL, 10) : 0;

	if (!v || v > UINT16_MAX || size_at < 0 || caller_at < 0)
		return (struct stack_format){0};
	return (struct stack_format){
		.id = (uint16_t)v,
		.size_at = (uint16_t)size_at,
		.caller_at = (uint16_t)caller_at,
	};
}

int ring_reader_init(struct ring_reader *r, const char *stack_format)
{
	*r = (struct ring_reader){.ids.stack = parse_stack_format(stack_format)};
	r->by_id = calloc(RING_IDS, sizeof(*r->by_id));
	r->has_stack = calloc(RING_IDS, sizeof(*r->has_stack));
	r->ids.has_stack = r->has_stack;
	return r->by_id && r->has_stack ? 0 : -ENOMEM;
}

void ring_reader_deinit(struct ring_reader *r)
{
	for (size_t i = 0; i < r->nr_cpus; i++) {
		cpu_events_deinit(&r->cpus[i]->events);
		free(r->cpus[i]);
	}
	free(r->cpus);
	free(r->heap);
	free(r->by_id);
	free(r->has_stack);
	same_events_free(r->same);
	*r = (struct ring_reader){0};
}

/* Returns true if the caller wants to stop. */
static bool report_progress(struct ring_reader *r)
{
	const struct source_options *o = r->options;

	r->reported = r->bytes;
	if (!o->progress ||
	    !o->progress(o->progress_ctx, r->bytes, r->bytes_total, r->facts->nr_samples))
		return false;
	r->facts->stop.stopped = true;
	r->facts->stop.bytes = r->bytes;
	r->facts->stop.bytes_total = r->bytes_total;
	return true;
}

/* Read a page of a CPU. Returns -ECANCELED if the caller wants to stop. */
static ssize_t read_page(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size)
{
	struct ring_cpu *c = ctx;
	struct ring_reader *r = c->reader;

	r->bytes += page_size;
	if (r->bytes - r->reported >= PROGRESS_BYTES && report_progress(r))
		return -ECANCELED;
	return c->pages.read(c->pages.ctx, i, page, page_size);
}

int ring_reader_add_cpu(struct ring_reader *r, const struct ring_layout *layout,
			const struct ring_pages *pages, uint32_t buffer, int32_t cpu)
{
	struct ring_cpu **v = reallocarray(r->cpus, r->nr_cpus + 1, sizeof(*v));
	struct ring_cpu *c;

	if (!v)
		return -ENOMEM;
	r->cpus = v;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	v[r->nr_cpus++] = c;
	c->layout = *layout;
	c->pages = *pages;
	c->buffer = buffer;
	c->reader = r;
	r->bytes_total += pages->nr * layout->page_size;
	return cpu_events_init(&c->events, &c->layout, &r->ids,
			       &(struct ring_pages){pages->nr, read_page, c}, cpu);
}

/* ---- existing events ------------------------------------------------------------------------- */

static int scan_event(void *ctx, const struct cpu_event *e)
{
	struct ring_cpu *c = ctx;
	struct ring_reader *r = c->reader;
	struct ring_id *id = &r->by_id[e->id];

	if (r->ids.stack.id && e->id == r->ids.stack.id) {
		if (c->before)
			r->has_stack[c->before] = 1;
		return 0;
	}
	c->before = e->id;
	if (!r->last_ns || e->time_ns < r->first_ns)
		r->first_ns = e->time_ns;
	if (e->time_ns > r->last_ns)
		r->last_ns = e->time_ns;
	r->several |= id->buffer && id->buffer != c->buffer + 1;
	id->buffer = c->buffer + 1;
	return 0;
}

/* Parse "name: NAME\nID: N\n" at the start of a format. Returns false for other texts. */
static bool parse_head(const struct trace_format *f, char *name, size_t size, unsigned long *ret_id)
{
	char head[TRACE_NAME_MAX + 64];
	size_t len = f->text.len < sizeof(head) - 1 ? f->text.len : sizeof(head) - 1;
	char *end, *id;

	memcpy(head, f->text.text, len);
	head[len] = 0;
	end = strchr(head, '\n');
	if (strncmp(head, "name: ", 6) != 0 || !end || strncmp(end, "\nID: ", 5) != 0)
		return false;
	*end = 0;
	if ((size_t)snprintf(name, size, "%s:%s", f->system, head + 6) >= size)
		return false;
	errno = 0;
	*ret_id = strtoul(end + 5, &id, 10);
	return id != end + 5 && !errno && *ret_id <= UINT16_MAX;
}

static int add_event(struct ring_reader *r, const struct trace_format *f,
		     struct source_facts *facts)
{
	char name[2 * TRACE_NAME_MAX + 2];
	struct source_event *ev;
	unsigned long id;

	if (!parse_head(f, name, sizeof(name), &id) || !r->by_id[id].buffer || r->by_id[id].event)
		return 0;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return -ENOMEM;
	*ev = (struct source_event){
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
		.period = 1,
		.has_callchain = r->has_stack[id],
		.name = strdup(name),
	};
	if (!ev->name || source_facts_add_event(facts, ev)) {
		free(ev->name);
		free(ev);
		return -ENOMEM;
	}
	printable_make(ev->name);
	r->by_id[id].event = ev;
	return 0;
}

int ring_reader_scan(struct ring_reader *r, const struct tracing_data *formats,
		     struct source_facts *facts, const struct source_options *options,
		     struct error *err)
{
	r->facts = facts;
	r->options = options;
	for (size_t i = 0; i < r->nr_cpus; i++) {
		int ret = cpu_events_scan(&r->cpus[i]->events, scan_event, r->cpus[i]);

		if (ret == -ECANCELED)
			return error_set(err, ECANCELED,
					 "'%s': stopped before its events were read", facts->path);
		if (ret < 0)
			return error_nomem(err);
		cpu_events_rewind(&r->cpus[i]->events);
	}
	r->bytes = r->reported = 0;
	facts->only_seen_events = true;
	facts->stated_start_ns = r->first_ns;
	facts->stated_stop_ns = r->last_ns;
	for (size_t i = 0; i < formats->nr_formats; i++)
		if (add_event(r, &formats->formats[i], facts))
			return error_nomem(err);
	return 0;
}

/* ---- in time order --------------------------------------------------------------------------- */

static bool is_before(const struct ring_cpu *a, const struct ring_cpu *b)
{
	return a->head->time_ns < b->head->time_ns;
}

/* Restore the order of the heap after its first CPU has changed. */
static void sift_down(struct ring_reader *r)
{
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;
		struct ring_cpu *c = r->heap[i];

		if (child >= r->nr_heap)
			return;
		if (child + 1 < r->nr_heap && is_before(r->heap[child + 1], r->heap[child]))
			child++;
		if (!is_before(r->heap[child], c))
			return;
		r->heap[i] = r->heap[child];
		r->heap[child] = c;
		i = child;
	}
}

static void sift_up(struct ring_reader *r, size_t i)
{
	while (i && is_before(r->heap[i], r->heap[(i - 1) / 2])) {
		struct ring_cpu *c = r->heap[i];

		r->heap[i] = r->heap[(i - 1) / 2];
		r->heap[(i - 1) / 2] = c;
		i = (i - 1) / 2;
	}
}

static int fill_heap(struct ring_reader *r)
{
	r->heap = calloc(r->nr_cpus + 1, sizeof(struct ring_cpu *));
	if (!r->heap)
		return -ENOMEM;
	r->nr_heap = 0;
	for (size_t i = 0; i < r->nr_cpus; i++) {
		struct ring_cpu *c = r->cpus[i];
		int ret = cpu_events_peek(&c->events, &c->head);

		if (ret)
			return ret;
		if (!c->head)
			continue;
		r->heap[r->nr_heap++] = c;
		sift_up(r, r->nr_heap - 1);
	}
	return 0;
}

/* Replace the delivered event by the next one of the same CPU. */
static int advance(struct ring_reader *r)
{
	struct ring_cpu *c = r->heap[0];
	int ret;

	cpu_events_pop(&c->events);
	ret = cpu_events_peek(&c->events, &c->head);
	if (ret)
		return ret;
	if (!c->head)
		r->heap[0] = r->heap[--r->nr_heap];
	sift_down(r);
	return 0;
}

/* ---- to the sink ----------------------------------------------------------------------------- */

/* A same_events_fn. */
static int hand_over(void *ctx, const struct cpu_event *e)
{
	struct ring_reader *r = ctx;
	const struct ring_cpu *c = r->cpus[0]; /* all CPUs have the same byte order */
	struct sample sample = {
		.event = r->by_id[e->id].event,
		.time_ns = e->time_ns,
		.cpu = e->cpu,
		.swap = c->layout.swap,
		.callchain = (const uint8_t *)e->callchain,
		.nr_callchain = e->nr_callchain,
		.raw = e->data,
		.raw_size = e->size,
	};

	if (!sample.event) {
		r->facts->nr_unknown_ids += !r->only_known;
		return 0;
	}
	sample.pid = sample.tid = load_u32(e->data + 4, c->layout.swap);
	source_facts_count(r->facts, sample.event, e->time_ns);
	return r->sink->sample ? r->sink->sample(r->ctx, &sample, r->err) : 0;
}

static int take_first(struct ring_reader *r)
{
	struct ring_cpu *c = r->heap[0];

	c->nr_events++;
	if (c->head->missed)
		r->nr_missed += c->head->missed == UINT64_MAX ? 1 : c->head->missed;
	return r->same ? same_events_add(r->same, c->head, c->buffer) : hand_over(r, c->head);
}

static int read_all(struct ring_reader *r)
{
	int ret = fill_heap(r);

	while (!ret && r->nr_heap) {
		ret = take_first(r);
		if (ret < 0)
			break;
		ret = advance(r);
	}
	/* stopped: deliver what was read so far */
	if (ret == -ECANCELED && r->facts->stop.stopped)
		ret = 0;
	if (!ret && r->same)
		ret = same_events_flush(r->same);
	return ret;
}

/* Lines "PID NAME", as in the kernel. */
static int name_threads(struct ring_reader *r, struct bytes b)
{
	const char *at = (const char *)b.pos, *end = (const char *)b.end;

	while (r->sink->comm && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		char comm[COMM_MAX];
		uint64_t pid = 0;
		size_t len;

		for (; at < stop && *at >= '0' && *at <= '9' && pid <= INT32_MAX; at++)
			pid = pid * 10 + (uint64_t)(*at - '0');
		if (at < stop && *at == ' ' && pid && pid <= INT32_MAX) {
			at++;
			len = (size_t)(stop - at) < sizeof(comm) - 1 ? (size_t)(stop - at)
								     : sizeof(comm) - 1;
			memcpy(comm, at, len);
			comm[len] = 0;
			if (r->sink->comm(r->ctx, (uint32_t)pid, comm))
				return -ENOMEM;
		}
		at = stop + 1;
	}
	return 0;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void note_cpu(struct ring_reader *r, const struct ring_cpu *c)
{
	struct source_damage *d = &r->facts->damage;
	uint64_t nr = c->events.nr_broken_pages;

	if (c->events.nr_stray_stacks)
		log_info("CPU %d: %" PRIu64 " stacks without their events", c->events.cpu,
			 c->events.nr_stray_stacks);
	if (!nr)
		return;
	d->nr_skipped_records += nr;
	d->nr_skipped_bytes += nr * c->layout.page_size;
	source_facts_damage(r->facts, c->events.first_broken * c->layout.page_size,
			    "CPU %d: a page ends inside an event", c->events.cpu);
}

static void note_lost(struct ring_reader *r, uint64_t overrun)
{
	struct source_facts *facts = r->facts;

	facts->nr_lost = overrun > r->nr_missed ? overrun : r->nr_missed;
	if (r->nr_missed || overrun)
		log_info("lost events: %" PRIu64 " according to the pages, %" PRIu64
			 " according to the kernel's statistics",
			 r->nr_missed, overrun);
	if (r->same && same_events_joined(r->same))
		log_info("%" PRIu64 " events are in several buffers, and counted once",
			 same_events_joined(r->same));
}

int ring_reader_read(struct ring_reader *r, const struct tracing_data *formats,
		     struct bytes cmdlines, uint64_t overrun, struct source_facts *facts,
		     const struct source_options *options, const struct event_sink *sink, void *ctx,
		     struct error *err)
{
	int ret = 0;

	r->facts = facts;
	r->options = options;
	r->sink = sink;
	r->ctx = ctx;
	r->err = err;
	/* known before the first event, so that accounts can use the lost share */
	facts->nr_lost = overrun;
	if (r->several) {
		r->same = same_events_new(hand_over, r);
		if (!r->same)
			return -ENOMEM;
	}
	if (sink->formats)
		ret = sink->formats(ctx, formats, err);
	if (!ret)
		ret = name_threads(r, cmdlines);
	if (!ret)
		ret = read_all(r);
	for (size_t i = 0; i < r->nr_cpus; i++)
		note_cpu(r, r->cpus[i]);
	note_lost(r, overrun);
	return ret < 0 ? ret : 0;
}

/* ---- the files stats and trace_clock --------------------------------------------------------- */

/* The number in the line with this name; 0 if there is no such line. */
static uint64_t number_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len))
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

uint64_t ring_stats_dropped(const char *text)
{
	return number_of(text, "commit overrun: ") + number_of(text, "dropped events: ");
}

uint64_t ring_stats_lost(const char *text)
{
	return number_of(text, "overrun: ") + ring_stats_dropped(text);
}

void ring_clock_note(const char *path, const char *clock)
{
	if (!clock)
		return;
	log_info("'%s': trace clock '%.32s'", path, clock);
	if (!strcmp(clock, "counter") || !strcmp(clock, "x86-tsc") || !strcmp(clock, "ppc-tb"))
		log_warn("'%s': its trace clock '%s' does not count nanoseconds: times, rates and "
			 "ages are in its ticks",
			 path, clock);
	else if (!strcmp(clock, "uptime"))
		log_warn("'%s': its trace clock 'uptime' is coarse: events of different CPUs may "
			 "be out of order",
			 path);
}
