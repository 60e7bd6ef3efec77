// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of trace-cmd as a source of events. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/map_guard.h"
#include "util/base/printable.h"
#include "util/ftrace/dat_pages.h"
#include "util/ftrace/ring_reader.h"
#include "util/ftrace/trace_dat_v6.h"
#include "util/ftrace/trace_dat_v7.h"
#include "util/source/unpacking.h"

extern const struct event_source_ops event_source_trace_dat;

struct dat_source {
	struct event_source source;
	struct source_facts facts;
	struct source_options options;
	uint8_t *map;
	uint64_t size;
	uint64_t stored_size;	 /* size of the file, if packed that of the packed one */
	unsigned int lost_pages; /* map_guard_pages() before the file was mapped */
	struct trace_dat dat;
	struct dat_pages *pages; /* one for each of dat.cpus */
	struct ring_reader reader;
};

/*
 * Parse the beginning of a trace.dat, then the sections of its version. held_max: limit for the
 * unpacked bytes of all its sections; a section that exceeds it is noted as damage. Call
 * trace_dat_deinit() even after an error. Errors: the file ends or makes no sense before the
 * formats of its events, has an unsupported version or compression, or contains the text of a
 * latency tracer.
 */
static int parse(struct trace_dat *t, const uint8_t *data, uint64_t size, uint64_t held_max,
		 struct error *err)
{
	struct bytes b;
	const char *version;
	int ret;

	*t = (struct trace_dat){.data = data, .size = size, .held_max = held_max};
	if (!trace_dat_is(data, size))
		return error_set(err, EINVAL, "it is not a trace.dat");
	b = trace_dat_bytes(t, sizeof(TRACE_DAT_MAGIC) - 1);
	version = bytes_cstr(&b);
	t->formats.big_endian = bytes_u8(&b) != 0;
	t->formats.long_size = bytes_u8(&b);
	b.swap = t->swap = t->formats.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->formats.page_size = bytes_u32(&b);
	if (b.failed || !version)
		return trace_dat_error_short(t, err);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return error_set(err, ENOTSUP,
				 "it has version '%.16s' of the format; 6 and 7 are known",
				 version);
	if (t->formats.long_size != 4 && t->formats.long_size != 8)
		return error_set(err, EINVAL, "its size of a long is %u bytes",
				 t->formats.long_size);
	if (!tracing_page_size_valid(t->formats.page_size))
		return error_set(err, EINVAL, "its size of a page is %" PRIu32 " bytes",
				 t->formats.page_size);
	t->version = (unsigned int)(version[0] - '0');
	ret = t->version == 6 ? trace_dat_parse_6(t, &b, err) : trace_dat_parse_7(t, &b, err);
	if (!ret && trace_dat_drop_overlaps(t))
		ret = error_nomem(err);
	return ret;
}

/* A copy of the n-th word of the text; NULL if there is none, or if out of memory. */
static char *word(const char *text, unsigned int n)
{
	char *copy;

	text += strspn(text, " ");
	while (n--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	copy = *text ? strndup(text, strcspn(text, " ")) : NULL;
	if (copy)
		printable_make(copy);
	return copy;
}

static void add_facts(struct dat_source *s)
{
	const struct trace_dat *t = &s->dat;
	struct source_facts *f = &s->facts;

	f->big_endian = t->formats.big_endian;
	f->nr_cpus_available = t->nr_cpus;
	f->no_formats = "it has none";
	if (t->uname) {
		f->hostname = word(t->uname, 1);
		f->osrelease = word(t->uname, 2);
		f->arch = word(t->uname, 3);
	}
	if (t->damage.what[0]) {
		source_facts_damage(f, t->damage.pos, "%s", t->damage.what);
		f->damage.truncated = t->damage.truncated;
	}
	ring_clock_note(f->path, t->clock);
}

static int add_pages(struct dat_source *s)
{
	const struct trace_dat *t = &s->dat;
	struct dat_limits limits = {unpacked_bytes_max(s->stored_size),
				    t->held_max - t->unpacked_bytes};

	s->pages = calloc(t->nr_cpu_buffers + 1, sizeof(*s->pages));
	if (!s->pages)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_cpu_buffers; i++) {
		const struct trace_dat_cpu *cpu = &t->cpus[i];
		const struct ring_layout layout = {
			.swap = t->swap,
			.big_endian = t->formats.big_endian,
			.long_size = t->formats.long_size,
			.page_size = t->buffers[cpu->buffer].page_size,
		};
		struct ring_pages pages;

		if (layout.page_size < 64 || layout.page_size > RING_PAGE_MAX)
			continue;
		if (dat_pages_init(&s->pages[i], t, cpu, &limits))
			return -ENOMEM;
		if (s->pages[i].cut) {
			source_facts_damage(
				&s->facts, cpu->pos,
				"the compressed pages of CPU %d end early, or exceed the limit",
				cpu->cpu);
			s->facts.damage.truncated = true;
		}
		pages = dat_pages_ring(&s->pages[i]);
		if (ring_reader_add_cpu(&s->reader, &layout, &pages, cpu->buffer, cpu->cpu))
			return -ENOMEM;
	}
	return 0;
}

static int map_file(struct dat_source *s, const char *path, struct error *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	void *map;
	int ret = 0;

	if (s->options.opened_fd > 0)
		fd = fcntl(s->options.opened_fd, F_DUPFD_CLOEXEC, 0);
	else
		ret = input_open_path(path, s->options.force, &st, &fd, err);
	if (ret)
		return ret;
	if (fd < 0 || fstat(fd, &st))
		return error_set_errno(err, errno, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return error_set(err, EINVAL, "'%s' is %s", path,
				 S_ISREG(st.st_mode) ? "empty" : "not a file");
	s->size = (uint64_t)st.st_size;
	s->stored_size = s->options.packed_size ? s->options.packed_size : s->size;
	s->lost_pages = map_guard_pages();
	map = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_set_errno(err, errno, "cannot read '%s'", path);
	map_guard_install();
	s->map = map;
	return 0;
}

static void free_source(struct event_source *source)
{
	struct dat_source *s = (struct dat_source *)source;

	ring_reader_deinit(&s->reader);
	for (size_t i = 0; s->pages && i < s->dat.nr_cpu_buffers; i++)
		dat_pages_deinit(&s->pages[i]);
	free(s->pages);
	trace_dat_deinit(&s->dat);
	if (s->map)
		munmap(s->map, s->size);
	source_facts_deinit(&s->facts);
	free(s);
}

static int prepare(struct dat_source *s, const char *path, struct error *err)
{
	int ret;

	s->facts.path = strdup(path);
	if (!s->facts.path)
		return error_nomem(err);
	ret = map_file(s, path, err);
	if (ret)
		return ret;
	if (parse(&s->dat, s->map, s->size, unpacked_held_max(s->stored_size), err))
		return error_prefix(err, "'%s'", path);
	add_facts(s);
	if (ring_reader_init(&s->reader, s->dat.stack_format) || add_pages(s))
		return error_nomem(err);
	return ring_reader_scan(&s->reader, &s->dat.formats, &s->facts, &s->options, err);
}

static int open_source(const char *path, const struct source_options *options,
		       struct event_source **ret_source, struct error *err)
{
	struct dat_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	s->source = (struct event_source){&event_source_trace_dat, &s->facts};
	s->options = *options;
	source_facts_init(&s->facts);
	ret = prepare(s, path, err);
	if (ret)
		free_source(&s->source);
	else
		*ret_source = &s->source;
	return ret;
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct dat_source *s = (struct dat_source *)source;
	int ret = ring_reader_read(&s->reader, &s->dat.formats, s->dat.cmdlines, s->dat.nr_overrun,
				   &s->facts, &s->options, sink, ctx, err);

	if (map_guard_pages() != s->lost_pages) {
		source_facts_damage(&s->facts, 0, "the file became shorter while it was read");
		s->facts.damage.truncated = true;
	}
	return ret;
}

static bool probe(const struct source_input *input)
{
	return trace_dat_is(input->head, input->head_size);
}

const struct event_source_ops event_source_trace_dat = {
	.name = "trace.dat",
	.probe = probe,
	.open = open_source,
	.seeks = true,
	.read = read_source,
	.free = free_source,
};
