// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/module_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/host/kallsyms.h"

#define ONLINE_CPUS "/sys/devices/system/cpu/online"

/* Size of each CPU's buffer; a load takes 64 bytes. */
#define RING_PAGES 2

#define NAME_MAX_LEN 64 /* the kernel's MODULE_NAME_LEN is less */

enum { LOAD, FREE };
static const char *const tracepoints[] = {[LOAD] = "module_load", [FREE] = "module_free"};

struct module_event {
	uint64_t time_ns;
	int what;
	char name[NAME_MAX_LEN];
};

struct module_events {
	struct module_event *v;
	size_t nr, cap;
};

/* ---- opening -------------------------------------------------------------------------------- */

static int find_tracepoints(struct module_watch *w, const struct tracefs *t, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf format = STRBUF_INIT;
	int ret = 0;

	for (int i = LOAD; i <= FREE && !ret; i++) {
		uint32_t size;

		strbuf_reset(&format);
		ret = tracefs_event_id(t, "module", tracepoints[i], &w->ids[i], err);
		if (!ret)
			ret = tracefs_event_format(t, "module", tracepoints[i], &format, err);
		if (!ret && !tracefs_format_field(format.buf, "name", &w->name_offsets[i], &size))
			ret = error_set(err, EPROTO, "'module:%s' has no field 'name'",
					tracepoints[i]);
	}
	return ret;
}

static int open_event(uint64_t id, int cpu, int32_t clockid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.wakeup_events = 1,
	};

	if (clockid != MODULE_WATCH_LOCAL_CLOCK) {
		attr.use_clockid = 1;
		attr.clockid = clockid;
	}
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Both events write into the buffer of the first one, which must exist already. */
static int open_cpu(const struct module_watch *w, struct watched_cpu *c, int cpu, int32_t clockid)
{
	uint64_t bytes = RING_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
	int ret;

	for (int i = LOAD; i <= FREE; i++) {
		c->fds[i] = open_event(w->ids[i], cpu, clockid);
		if (c->fds[i] < 0)
			return -errno;
	}
	ret = ring_buffer_init(&c->rb, c->fds[LOAD], bytes, false);
	if (ret)
		return ret;
	return ioctl(c->fds[FREE], PERF_EVENT_IOC_SET_OUTPUT, c->fds[LOAD]) < 0 ? -errno : 0;
}

static int open_cpus(struct module_watch *w, int32_t clockid, struct error *err)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret = strbuf_read_file(&text, ONLINE_CPUS);

	if (!ret)
		ret = cpulist_parse(&online, text.buf, err);
	if (!ret)
		w->cpus = calloc(online.nr ? online.nr : 1, sizeof(*w->cpus));
	if (!ret && !w->cpus)
		return error_nomem(err);
	for (size_t i = 0; i < online.nr && !ret; i++) {
		struct watched_cpu *c = &w->cpus[w->nr_cpus++];

		c->fds[LOAD] = c->fds[FREE] = -1;
		ret = open_cpu(w, c, online.cpus[i], clockid);
	}
	return ret ? error_set_errno(err, -ret, "cannot open the tracepoints of modules") : 0;
}

int module_watch_open(struct module_watch *w, const struct tracefs *t, int32_t clockid,
		      struct error *err)
{
	int ret;

	*w = (struct module_watch){.kallsyms = STRBUF_INIT, .modules_fd = -1};
	ret = find_tracepoints(w, t, err);
	if (!ret)
		ret = open_cpus(w, clockid, err);
	if (ret)
		module_watch_close(w);
	return ret;
}

void module_watch_close(struct module_watch *w)
{
	for (size_t i = 0; i < w->nr_cpus; i++) {
		ring_buffer_deinit(&w->cpus[i].rb);
		for (int j = LOAD; j <= FREE; j++)
			if (w->cpus[i].fds[j] >= 0)
				close(w->cpus[i].fds[j]);
	}
	if (w->nr_cpus && w->modules_fd >= 0)
		close(w->modules_fd);
	free(w->cpus);
	strbuf_deinit(&w->kallsyms);
	*w = (struct module_watch){.kallsyms = STRBUF_INIT, .modules_fd = -1};
}

/* ---- names ---------------------------------------------------------------------------------- */

/* The kernel's own lines end with a name. */
static bool is_of_module(const struct kallsyms_line *line)
{
	return line->text[line->len - 1] == ']';
}

/* Keep the functions of modules. Returns the offset of the kernel's last line. */
static size_t take_modules(const struct strbuf *text, struct strbuf *out)
{
	const char *pos = text->buf;
	struct kallsyms_line line;
	size_t last = 0;

	while (kallsyms_next_start(&pos, text->buf + text->len, &line)) {
		if (!is_of_module(&line)) {
			last = (size_t)(line.text - text->buf);
			continue;
		}
		if (!line.address || !kallsyms_is_text(line.type))
			continue;
		strbuf_add(out, line.text, line.len);
		strbuf_addch(out, '\n');
	}
	return last;
}

/*
 * Open kallsyms and read the kernel's own lines except the last one. These lines take most of the
 * time and do not change. After the last line, the file would remember that there are no modules
 * (kernel/kallsyms.c: pos_mod_end). The next read returns the modules of its moment.
 */
static int open_ahead(size_t kernel_bytes)
{
	char buf[8192];
	int fd = open(KALLSYMS_PATH, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && kernel_bytes) {
		ssize_t n = read(fd, buf, kernel_bytes < sizeof(buf) ? kernel_bytes : sizeof(buf));

		if (n <= 0) {
			close(fd);
			return -1;
		}
		kernel_bytes -= (size_t)n;
	}
	return fd;
}

static int read_all(struct module_watch *w, struct strbuf *out)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;

	if (!strbuf_read_file(&text, KALLSYMS_PATH))
		w->kernel_bytes = take_modules(&text, out);
	return text.failed || out->failed ? -ENOMEM : 0;
}

/* Append the functions of all modules. */
static int read_kallsyms(struct module_watch *w, struct strbuf *out)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	bool ahead = w->modules_fd >= 0 && !strbuf_read(&text, w->modules_fd) && text.len;

	if (w->modules_fd >= 0)
		close(w->modules_fd);
	w->modules_fd = -1;
	if (!ahead || take_modules(&text, out))
		return read_all(w, out);
	return out->failed ? -ENOMEM : 0;
}

/* Prepare for the next load. */
static void read_ahead(struct module_watch *w)
{
	if (w->modules_fd < 0 && w->kernel_bytes)
		w->modules_fd = open_ahead(w->kernel_bytes);
}

int module_watch_read_names(struct module_watch *w)
{
	return w->nr_cpus ? read_all(w, &w->kallsyms) : 0;
}

static bool is_of(const struct kallsyms_line *line, const char *module)
{
	return line->module && line->module_len == strlen(module) &&
	       !memcmp(line->module, module, line->module_len);
}

/* Append the functions of one module, or of all others. */
static void add_functions(struct strbuf *lines, const struct strbuf *kallsyms, const char *module,
			  bool others)
{
	const char *pos = kallsyms->buf;
	struct kallsyms_line line;

	while (kallsyms_next(&pos, kallsyms->buf + kallsyms->len, &line)) {
		if (is_of(&line, module) == others)
			continue;
		strbuf_add(lines, line.text, line.len);
		strbuf_addch(lines, '\n');
	}
}

/* The module was loaded or unloaded since the start: drop the functions read then. */
static void forget(struct module_watch *w, const char *module)
{
	struct strbuf rest = STRBUF_INIT;

	add_functions(&rest, &w->kallsyms, module, true);
	if (!rest.failed) {
		strbuf_deinit(&w->kallsyms);
		w->kallsyms = rest;
	} else {
		strbuf_deinit(&rest);
	}
}

/* kallsyms has the functions of this section only while the module initialises. */
static void add_init_section(struct strbuf *lines, const char *module)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	uint64_t address;

	strbuf_addf(&path, "/sys/module/%s/sections/.init.text", module);
	if (!path.failed && !strbuf_read_file(&text, path.buf) &&
	    sscanf(text.buf, "%" SCNx64, &address) == 1 && address)
		strbuf_addf(lines, "%016" PRIx64 " t .init.text\t[%s]\n", address, module);
}

/* ---- draining ------------------------------------------------------------------------------- */

/* Layout of a sample; raw begins with the tracepoint's id. */
struct module_sample {
	struct perf_event_header header;
	uint64_t time_ns;
	uint32_t raw_size;
	uint8_t raw[];
};

static bool is_name(const char *name)
{
	return *name && !strpbrk(name, "/ \t\n");
}

static int add_event(struct module_events *events, const struct module_watch *w,
		     const struct perf_event_header *record)
{
	const struct module_sample *s = (const struct module_sample *)record;
	const size_t size = record->size;
	struct module_event ev = {.what = LOAD};
	uint32_t location;
	uint16_t id, offset, len;
	void *v;

	if (size < sizeof(*s) || s->raw_size > size - offsetof(struct module_sample, raw))
		return 0;
	memcpy(&id, s->raw, sizeof(id));
	ev.time_ns = s->time_ns;
	ev.what = id == w->ids[FREE] ? FREE : LOAD;
	if (s->raw_size < sizeof(location) ||
	    w->name_offsets[ev.what] > s->raw_size - sizeof(location))
		return 0;
	memcpy(&location, s->raw + w->name_offsets[ev.what], sizeof(location));
	offset = (uint16_t)location;
	len = (uint16_t)(location >> 16);
	if (!len || len > sizeof(ev.name) || len > s->raw_size || offset > s->raw_size - len)
		return 0;
	memcpy(ev.name, s->raw + offset, len);
	ev.name[len - 1] = '\0';
	if (!is_name(ev.name))
		return 0;
	v = array_room(events->v, events->nr, &events->cap, sizeof(*events->v));
	if (!v)
		return -ENOMEM;
	events->v = v;
	events->v[events->nr++] = ev;
	return 0;
}

struct drain {
	struct module_watch *watch;
	struct module_events events;
};

/* A ring_record_fn. */
static int take_record(void *ctx, const struct perf_event_header *h)
{
	struct drain *d = ctx;

	if (h->type == PERF_RECORD_LOST && !d->watch->warned_lost) {
		d->watch->warned_lost = true;
		log_warn("not all loads and unloads of modules were seen: functions of these may "
			 "have wrong names");
	}
	return h->type == PERF_RECORD_SAMPLE ? add_event(&d->events, d->watch, h) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct module_event *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Whether the module was unloaded later. */
static bool is_gone(const struct module_events *events, size_t i)
{
	for (size_t j = i + 1; j < events->nr; j++)
		if (events->v[j].what == FREE && !strcmp(events->v[j].name, events->v[i].name))
			return true;
	return false;
}

/* now: the modules' present functions, if one was loaded. */
static void add_lines(struct module_watch *w, const struct module_events *events, size_t i,
		      const struct strbuf *now, struct strbuf *lines)
{
	const struct module_event *ev = &events->v[i];

	strbuf_addf(lines, "%c %" PRIu64 " %s\n", ev->what == LOAD ? '+' : '-', ev->time_ns,
		    ev->name);
	if (ev->what == FREE) {
		add_functions(lines, &w->kallsyms, ev->name, false);
	} else if (!is_gone(events, i)) {
		/* added first, because the last line with an address wins */
		add_init_section(lines, ev->name);
		add_functions(lines, now, ev->name, false);
	}
	forget(w, ev->name);
}

int module_watch_drain(struct module_watch *w, struct strbuf *lines)
{
	_cleanup_(strbuf_deinit) struct strbuf now = STRBUF_INIT;
	struct drain d = {.watch = w};
	struct module_events *events = &d.events;
	bool any_load = false;
	int ret = 0;

	for (size_t i = 0; i < w->nr_cpus && !ret; i++)
		ret = ring_buffer_for_each(&w->cpus[i].rb, take_record, &d);
	if (events->nr)
		qsort(events->v, events->nr, sizeof(*events->v), by_time);
	for (size_t i = 0; i < events->nr; i++)
		any_load |= events->v[i].what == LOAD;
	if (!ret && any_load)
		ret = read_kallsyms(w, &now);
	for (size_t i = 0; i < events->nr && !ret; i++)
		add_lines(w, events, i, &now, lines);
	free(events->v);
	read_ahead(w);
	return ret ? ret : lines->failed ? -ENOMEM : 0;
}

void module_watch_fds(const struct module_watch *w, struct pollfd *fds)
{
	for (size_t i = 0; i < w->nr_cpus; i++)
		fds[i] = (struct pollfd){.fd = w->cpus[i].fds[LOAD], .events = POLLIN};
}
