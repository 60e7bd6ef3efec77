// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_dat_v6.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* u64 offset and u64 size, for each CPU */
static int read_cpus_6(struct trace_dat *t, struct bytes *b, uint32_t nr)
{
	for (uint32_t cpu = 0; cpu < nr && !b->failed; cpu++) {
		uint64_t pos = bytes_u64(b), size = bytes_u64(b);

		if (!b->failed && trace_dat_add_cpu(t, cpu, pos, size, false))
			return -ENOMEM;
	}
	return 0;
}

/* Read a buffer described by an option: at its offset are "flyrecord" and the CPUs. */
static int read_buffer_6(struct trace_dat *t, const uint8_t *option, size_t size, uint32_t nr_cpus)
{
	struct bytes b = bytes_make(option, size, t->swap), at = trace_dat_bytes(t, bytes_u64(&b));
	const char *name = bytes_cstr(&b), *kind = bytes_cstr(&at);
	int ret;

	if (!name || !kind || strcmp(kind, "flyrecord") != 0) {
		trace_dat_damage(t, trace_dat_pos(t, &at), !kind,
				 "the buffer of an instance is missing");
		return 0;
	}
	ret = trace_dat_add_buffer(t, name, t->formats.page_size);
	if (ret == -E2BIG)
		return 0;
	return ret < 0 ? ret : read_cpus_6(t, &at, nr_cpus);
}

struct options_6 {
	struct {
		const uint8_t *data;
		uint32_t size;
		uint32_t nr_cpus;
	} buffers[TRACE_DAT_BUFFERS_MAX];
	size_t nr_buffers;
};

static int read_options_6(struct trace_dat *t, struct bytes *b, uint32_t nr_cpus,
			  struct options_6 *o)
{
	unsigned int id;

	while ((id = bytes_u16(b)) != OPTION_DONE && !b->failed) {
		uint32_t size = bytes_u32(b);
		const uint8_t *data = bytes_take(b, size);

		if (!data)
			break;
		if (id == OPTION_BUFFER && o->nr_buffers < TRACE_DAT_BUFFERS_MAX) {
			o->buffers[o->nr_buffers].data = data;
			o->buffers[o->nr_buffers].size = size;
			o->buffers[o->nr_buffers++].nr_cpus = nr_cpus;
		}
		/* CPUs of the buffer before this option */
		if (id == OPTION_CPUCOUNT && o->nr_buffers && size >= 4)
			o->buffers[o->nr_buffers - 1].nr_cpus = load_u32(data, t->swap);
		if (trace_dat_take_option(t, id, (const char *)data, size))
			return -ENOMEM;
	}
	return 0;
}

static int read_buffers_6(struct trace_dat *t, struct bytes *b, uint32_t nr_cpus,
			  struct options_6 *o, struct error *err)
{
	const char *kind = bytes_take(b, 10);

	if (kind && !memcmp(kind, "options  ", 10)) {
		if (read_options_6(t, b, nr_cpus, o))
			return error_nomem(err);
		kind = bytes_take(b, 10);
	}
	if (kind && !memcmp(kind, "latency  ", 10))
		return error_set(err, ENOTSUP,
				 "it contains the text of a latency tracer, not events");
	if (!kind || memcmp(kind, "flyrecord", 10) != 0) {
		trace_dat_damage(t, trace_dat_pos(t, b), b->failed,
				 "the places of its buffers are missing");
		return 0;
	}
	if (trace_dat_add_buffer(t, "", t->formats.page_size) < 0 || read_cpus_6(t, b, nr_cpus))
		return error_nomem(err);
	for (size_t i = 0; i < o->nr_buffers; i++)
		if (read_buffer_6(t, o->buffers[i].data, o->buffers[i].size, o->buffers[i].nr_cpus))
			return error_nomem(err);
	return 0;
}

int trace_dat_parse_6(struct trace_dat *t, struct bytes *b, struct error *err)
{
	struct options_6 *options;
	uint32_t nr_cpus;
	int ret;

	tracing_data_parse_headers(&t->formats, b);
	if (trace_dat_read_ftrace(t, b) || tracing_data_parse_systems(&t->formats, b))
		return error_nomem(err);
	trace_dat_read_kallsyms(t, b);
	bytes_take(b, bytes_u32(b)); /* printk formats */
	trace_dat_read_cmdlines(t, b);
	nr_cpus = t->nr_cpus = bytes_u32(b);
	if (b->failed)
		return trace_dat_error_short(t, err);
	options = calloc(1, sizeof(*options));
	if (!options)
		return error_nomem(err);
	ret = read_buffers_6(t, b, nr_cpus, options, err);
	free(options);
	return ret;
}
