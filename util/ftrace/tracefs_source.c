// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/tracefs_source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/ftrace/ring_map.h"
#include "util/ftrace/ring_reader.h"
#include "util/host/tasks.h"
#include "util/source/host_facts.h"
#include "util/source/unpacking.h"
#include "util/tracepoint/tracefs_formats.h"

extern const struct event_source_ops event_source_trace_text;

/* linux/magic.h */
#define MAGIC_TRACEFS 0x74726163
#define MAGIC_DEBUGFS 0x64626720

/* The pages of one CPU. */
struct tracefs_cpu {
	struct ring_map map;
	struct ring_layout layout;
};

struct tracefs_source {
	struct event_source source;
	struct source_facts facts;
	struct source_options options;
	struct tracefs tracefs;
	bool is_live; /* the running kernel's, not a copy */
	bool may_empty, emptied;
	struct tracing_data formats;
	struct strbuf stack_format, kallsyms, cmdlines;
	struct tracefs_cpu **cpus;
	size_t nr_cpus;
	uint64_t nr_lost;
	uint64_t stored, held; /* bytes of a copy's pages: on disk, in memory */
	struct ring_reader reader;
};

static struct tracefs_source *of(const struct event_source *source)
{
	return (struct tracefs_source *)source;
}

static void free_source(struct event_source *source)
{
	struct tracefs_source *s = of(source);

	ring_reader_deinit(&s->reader);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		ring_map_deinit(&s->cpus[i]->map);
		free(s->cpus[i]);
	}
	free(s->cpus);
	tracing_data_deinit(&s->formats);
	strbuf_deinit(&s->stack_format);
	strbuf_deinit(&s->kallsyms);
	strbuf_deinit(&s->cmdlines);
	source_facts_deinit(&s->facts);
	free(s);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Append the text of a file below the tracefs, if it exists. */
static int read_optional(const struct tracefs_source *s, struct strbuf *text, const char *file)
{
	_cleanup_free_ char *path = NULL;
	int ret;

	if (asprintf(&path, "%s/%s", s->tracefs.path, file) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	ret = tracefs_read_file(path, text);
	return ret == -ENOMEM ? ret : 0;
}

static bool is_of_running_kernel(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (fs.f_type == MAGIC_TRACEFS || fs.f_type == MAGIC_DEBUGFS);
}

/* Find the selected clock in "local global [mono] boot". With "mono", times are on
 * CLOCK_MONOTONIC. */
static int note_clock(struct tracefs_source *s)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	char *start, *end;

	if (read_optional(s, &text, "trace_clock"))
		return -ENOMEM;
	start = strchr(text.buf, '[');
	end = start ? strchr(start, ']') : NULL;
	if (end) {
		*end = 0;
		ring_clock_note(s->facts.path, start + 1);
	}
	if (!end || strcmp(start + 1, "mono") != 0)
		s->facts.clock.wall_ns = s->facts.clock.event_ns = 0;
	s->facts.wall_clock_ns = 0;
	return 0;
}

static int add_facts(struct tracefs_source *s)
{
	if (s->is_live && source_facts_fill_from_host(&s->facts))
		return -ENOMEM;
	free(s->facts.cmdline);
	s->facts.cmdline = NULL;
	s->facts.page_size = 0; /* the formats contain it */
	s->facts.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	s->facts.no_formats = "it has none";
	return note_clock(s);
}

static int read_formats(struct tracefs_source *s, struct error *err)
{
	long page_size = sysconf(_SC_PAGESIZE);
	int ret;

	s->formats = (struct tracing_data){
		.big_endian = s->facts.big_endian,
		.long_size = sizeof(long),
		.page_size = page_size > 0 ? (uint32_t)page_size : 4096,
	};
	ret = tracefs_formats_read(&s->formats, &s->tracefs, "kmem", err);
	if (ret)
		return ret;
	tracefs_event_format(&s->tracefs, "ftrace", "kernel_stack", &s->stack_format, NULL);
	if (read_optional(s, &s->kallsyms, "kallsyms") ||
	    read_optional(s, &s->cmdlines, "saved_cmdlines") ||
	    /* an instance has no such file; nothing outside of a copy is read */
	    (!s->cmdlines.len && s->is_live &&
	     read_optional(s, &s->cmdlines, "../../saved_cmdlines")))
		return error_nomem(err);
	s->formats.kallsyms = (struct trace_text){s->kallsyms.buf, s->kallsyms.len};
	return 0;
}

/* ---- the pages ------------------------------------------------------------------------------- */

static ssize_t read_page(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size)
{
	const struct tracefs_cpu *c = ctx;
	uint64_t at = i * page_size, left = at < c->map.bytes.len ? c->map.bytes.len - at : 0;

	if (left > page_size)
		left = page_size;
	memcpy(page, c->map.bytes.buf + (left ? at : 0), left);
	return (ssize_t)left;
}

/* Read a file of pages. A sparse file may be larger than memory. */
static int read_copy(struct tracefs_source *s, struct tracefs_cpu *c, int fd, const char *path,
		     const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size, max;
	int ret;

	s->stored += (uint64_t)st->st_blocks * 512;
	s->facts.stored_bytes = s->stored;
	max = unpacked_held_max(s->stored) - s->held;
	if (size > max) {
		source_facts_damage(&s->facts, max, "'%s' is mostly holes", path);
		s->facts.damage.truncated = true;
		size = max;
	}
	ret = strbuf_read_max(&c->map.bytes, fd, size);
	s->held += c->map.bytes.len;
	return ret;
}

/* Read the pages from a file, or from the buffer itself. */
static int read_pages(struct tracefs_source *s, struct tracefs_cpu *c, int fd, const char *path,
		      struct error *err)
{
	struct stat st;
	int ret = fstat(fd, &st) ? -errno : 0;

	if (!ret && !s->is_live) {
		if (!S_ISREG(st.st_mode))
			return error_set(err, EINVAL, "'%s' is not a file: a copy has the pages",
					 path);
		ret = read_copy(s, c, fd, path, &st);
	} else if (!ret) {
		ret = ring_map_copy(&c->map, fd, &c->layout);
		if (ret == -ENOTSUP && s->may_empty) {
			s->emptied = true;
			ret = ring_map_consume(&c->map, fd, &c->layout);
		}
	}
	if (ret == -ENOTSUP)
		return error_set(err, ENOTSUP, "this kernel cannot map '%s' (6.10 and later can)",
				 path);
	if (ret == -ENOMEM)
		return error_nomem(err);
	return ret ? error_set_errno(err, -ret, "cannot read '%s'", path) : 0;
}

static int new_cpu(struct tracefs_source *s, struct tracefs_cpu **ret_cpu)
{
	struct tracefs_cpu **v = reallocarray(s->cpus, s->nr_cpus + 1, sizeof(*v));
	struct tracefs_cpu *c;

	if (!v)
		return -ENOMEM;
	s->cpus = v;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	strbuf_init(&c->map.bytes);
	c->layout = (struct ring_layout){
		.big_endian = s->formats.big_endian,
		.long_size = s->formats.long_size,
		.page_size = s->formats.page_size,
	};
	v[s->nr_cpus++] = *ret_cpu = c;
	return 0;
}

static int read_stats(const char *dir, struct strbuf *text)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/stats", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return tracefs_read_file(path, text) == -ENOMEM ? -ENOMEM : 0;
}

/* Called for each CPU of a tracefs; dir is its per_cpu/cpuN. A negative return stops it. */
typedef int (*cpu_fn)(void *ctx, const char *dir, int cpu, struct error *err);

/* A cpu_fn. */
static int add_cpu(void *ctx, const char *dir, int cpu, struct error *err)
{
	static const char *const files[] = {"trace_pipe_raw", "snapshot_raw"};
	struct tracefs_source *s = ctx;
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT, stats = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	struct tracefs_cpu *c;
	struct ring_pages pages;
	int ret;

	for (size_t i = 0; fd < 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		strbuf_reset(&path);
		if (strbuf_addf(&path, "%s/%s", dir, files[i]))
			return error_nomem(err);
		fd = open(path.buf, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && errno != ENOENT)
			return error_set_errno(err, errno, "cannot read '%s'", path.buf);
	}
	if (fd < 0)
		return 0;
	if (new_cpu(s, &c))
		return error_nomem(err);
	ret = read_pages(s, c, fd, path.buf, err);
	if (ret)
		return ret;
	if (read_stats(dir, &stats))
		return error_nomem(err);
	s->nr_lost += ring_stats_lost(stats.buf);
	pages = (struct ring_pages){
		(c->map.bytes.len + c->layout.page_size - 1) / c->layout.page_size, read_page, c};
	return ring_reader_add_cpu(&s->reader, &c->layout, &pages, 0, cpu) ? error_nomem(err) : 0;
}

static int only_cpus(const struct dirent *e)
{
	return !strncmp(e->d_name, "cpu", 3) && e->d_name[3] >= '0' && e->d_name[3] <= '9';
}

static int for_each_cpu(const char *tracefs, cpu_fn fn, void *ctx, struct error *err)
{
	_cleanup_free_ char *dir = NULL;
	struct dirent **names;
	int nr, ret = 0;

	if (asprintf(&dir, "%s/per_cpu", tracefs) < 0) {
		dir = NULL;
		return error_nomem(err);
	}
	nr = scandir(dir, &names, only_cpus, versionsort);
	if (nr < 0)
		return error_set_errno(err, errno, "cannot read '%s'", dir);
	for (int i = 0; i < nr; i++) {
		_cleanup_free_ char *of_cpu = NULL;

		if (!ret && asprintf(&of_cpu, "%s/%s", dir, names[i]->d_name) < 0) {
			of_cpu = NULL;
			ret = error_nomem(err);
		}
		if (!ret)
			ret = fn(ctx, of_cpu, (int)strtol(names[i]->d_name + 3, NULL, 10), err);
		free(names[i]);
	}
	free(names);
	return ret;
}

static int add_cpus(struct tracefs_source *s, struct error *err)
{
	int ret = for_each_cpu(s->tracefs.path, add_cpu, s, err);

	if (!ret && !s->nr_cpus)
		ret = error_set(err, ENOENT, "'%s/per_cpu' has no cpuN/trace_pipe_raw",
				s->tracefs.path);
	return ret;
}

/* ---- the source ------------------------------------------------------------------------------ */

static int prepare(struct tracefs_source *s, const char *path, struct error *err)
{
	int ret;

	s->facts.path = strdup(path);
	if (!s->facts.path)
		return error_nomem(err);
	s->is_live = is_of_running_kernel(path);
	if (add_facts(s))
		return error_nomem(err);
	ret = read_formats(s, err);
	if (ret)
		return ret;
	if (ring_reader_init(&s->reader, s->stack_format.buf))
		return error_nomem(err);
	s->reader.only_known = true;
	ret = add_cpus(s, err);
	if (ret)
		return ret;
	return ring_reader_scan(&s->reader, &s->formats, &s->facts, &s->options, err);
}

static int open_raw(const char *path, const struct source_options *options, bool may_empty,
		    struct tracefs_source **ret_source, struct error *err)
{
	struct tracefs_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	s->source = (struct event_source){&event_source_tracefs, &s->facts};
	s->options = *options;
	s->may_empty = may_empty;
	source_facts_init(&s->facts);
	strbuf_init(&s->stack_format);
	strbuf_init(&s->kallsyms);
	strbuf_init(&s->cmdlines);
	ret = tracefs_at(&s->tracefs, path, err);
	if (!ret)
		ret = prepare(s, path, err);
	if (ret)
		free_source(&s->source);
	else
		*ret_source = s;
	return ret;
}

int tracefs_source_open_raw(const char *path, const struct source_options *options,
			    struct event_source **ret_source, bool *ret_emptied, struct error *err)
{
	struct tracefs_source *s;
	int ret = open_raw(path, options, true, &s, err);

	if (ret)
		return ret;
	*ret_source = &s->source;
	*ret_emptied = s->emptied;
	return 0;
}

/* A cpu_fn: events dropped from a full buffer are not in the text. */
static int add_dropped(void *ctx, const char *dir, int cpu, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf stats = STRBUF_INIT;
	struct source_facts *facts = ctx;

	(void)cpu;
	if (read_stats(dir, &stats))
		return error_nomem(err);
	facts->nr_lost += ring_stats_dropped(stats.buf);
	return 0;
}

/* Open the form that this kernel can provide without emptying the buffers. */
static int open_text(const char *path, const struct source_options *options,
		     struct event_source **ret_source, struct error *err)
{
	_cleanup_free_ char *trace = NULL;
	struct event_source *source = NULL;
	struct input *input;
	int ret;

	if (asprintf(&trace, "%s/trace", path) < 0) {
		trace = NULL;
		return error_nomem(err);
	}
	ret = input_open(trace, options, &input, err);
	if (!ret)
		ret = event_source_trace_text.open_input(input, options, &source, err);
	if (ret)
		return ret;
	if (source_facts_fill_from_host(source->facts))
		ret = error_nomem(err);
	else
		ret = for_each_cpu(path, add_dropped, source->facts, err);
	if (ret) {
		event_source_free(source);
		return ret;
	}
	free(source->facts->cmdline);
	source->facts->cmdline = NULL;
	source->facts->wall_clock_ns = source->facts->clock.wall_ns = 0;
	source->facts->clock.event_ns = 0;
	log_info("'%s': this kernel cannot map its buffers (6.10 and later can): their text is "
		 "read",
		 path);
	*ret_source = source;
	return 0;
}

static int open_source(const char *path, const struct source_options *options,
		       struct event_source **ret_source, struct error *err)
{
	struct tracefs_source *s;
	int ret = open_raw(path, options, false, &s, err);

	if (!ret)
		*ret_source = &s->source;
	return ret == -ENOTSUP ? open_text(path, options, ret_source, err) : ret;
}

/* A task_fn. */
static int take_name(void *ctx, uint32_t pid, uint32_t tid, const char *comm)
{
	const struct ring_reader *r = ctx;

	(void)pid;
	return r->sink->comm(r->ctx, tid, comm);
}

/* The kernel saves the names of few threads; running threads still have theirs. */
static int name_running(struct tracefs_source *s, const struct event_sink *sink, void *ctx)
{
	struct ring_reader names = {.sink = sink, .ctx = ctx};

	return s->is_live && sink->comm ? tasks_for_each(take_name, &names) : 0;
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct tracefs_source *s = of(source);
	int ret = name_running(s, sink, ctx);

	if (ret)
		return ret;
	return ring_reader_read(&s->reader, &s->formats,
				bytes_make(s->cmdlines.buf, s->cmdlines.len, false), s->nr_lost,
				&s->facts, &s->options, sink, ctx, err);
}

/* Whether there is a tracefs, or a copy of one, at the path. */
static bool is_tracefs(const char *path)
{
	_cleanup_free_ char *dir = NULL;
	struct stat st;

	if (asprintf(&dir, "%s/per_cpu", path) < 0) {
		dir = NULL;
		return false;
	}
	return !stat(dir, &st) && S_ISDIR(st.st_mode);
}

static bool probe(const struct source_input *input)
{
	return input->is_directory && is_tracefs(input->path);
}

const struct event_source_ops event_source_tracefs = {
	.name = "tracefs",
	.probe = probe,
	.open = open_source,
	.read = read_source,
	.free = free_source,
};
