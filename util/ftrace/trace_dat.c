// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_dat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/ftrace/ring_reader.h"

#define TEXT_MAX 4096

void trace_dat_damage(struct trace_dat *t, uint64_t pos, bool truncated, const char *fmt, ...)
{
	va_list ap;

	t->damage.truncated |= truncated;
	if (t->damage.what[0])
		return;
	va_start(ap, fmt);
	vsnprintf(t->damage.what, sizeof(t->damage.what), fmt, ap);
	va_end(ap);
	t->damage.pos = pos;
}

struct bytes trace_dat_bytes(const struct trace_dat *t, uint64_t pos)
{
	if (pos > t->size)
		pos = t->size;
	return bytes_make(t->data + pos, t->size - pos, t->swap);
}

uint64_t trace_dat_pos(const struct trace_dat *t, const struct bytes *b)
{
	return (uint64_t)(b->pos - t->data);
}

/* u32 number of formats, each u64 size, text */
int trace_dat_read_ftrace(struct trace_dat *t, struct bytes *b)
{
	static const char wanted[] = "name: kernel_stack\n";
	uint32_t nr = bytes_u32(b);

	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		uint64_t size = bytes_u64(b);
		const char *text = bytes_take(b, size);

		if (!text || size < sizeof(wanted) || memcmp(text, wanted, sizeof(wanted) - 1) != 0)
			continue;
		free(t->stack_format);
		t->stack_format = strndup(text, size);
		if (!t->stack_format)
			return -ENOMEM;
	}
	return 0;
}

void trace_dat_read_kallsyms(struct trace_dat *t, struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *text = bytes_take(b, size);

	if (text)
		t->formats.kallsyms = tracing_data_kallsyms(text, size);
}

void trace_dat_read_cmdlines(struct trace_dat *t, struct bytes *b)
{
	t->cmdlines = bytes_sub(b, bytes_u64(b));
}

/* Store the text of an option, which may lack a NUL. */
int trace_dat_set_text(char **text, const char *from, size_t size)
{
	free(*text);
	*text = strndup(from, size < TEXT_MAX ? size : TEXT_MAX);
	return *text ? 0 : -ENOMEM;
}

/* Find the selected clock in "local global [mono] boot". */
static int read_clock(struct trace_dat *t, const char *text, size_t size)
{
	const char *start = memchr(text, '[', size), *end;

	if (!start)
		return 0;
	start++;
	end = memchr(start, ']', size - (size_t)(start - text));
	return end ? trace_dat_set_text(&t->clock, start, (size_t)(end - start)) : 0;
}

/* Text of per_cpu/cpuN/stats after the recording. */
static int read_stats(struct trace_dat *t, const char *text, size_t size)
{
	char *copy = strndup(text, size < TEXT_MAX ? size : TEXT_MAX);

	if (!copy)
		return -ENOMEM;
	t->nr_overrun += ring_stats_lost(copy);
	free(copy);
	return 0;
}

int trace_dat_add_buffer(struct trace_dat *t, const char *name, uint32_t page_size)
{
	struct trace_dat_buffer *v;

	if (t->nr_buffers == TRACE_DAT_BUFFERS_MAX)
		return -E2BIG;
	v = reallocarray(t->buffers, t->nr_buffers + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->buffers = v;
	v[t->nr_buffers] = (struct trace_dat_buffer){strdup(name), page_size};
	return v[t->nr_buffers].name ? (int)t->nr_buffers++ : -ENOMEM;
}

/* Add a CPU's pages to the buffer added last, as far as they are in the file. */
int trace_dat_add_cpu(struct trace_dat *t, uint32_t cpu, uint64_t pos, uint64_t size, bool packed)
{
	size_t nr = t->nr_cpu_buffers;

	if (pos > t->size || size > t->size - pos) {
		trace_dat_damage(t, t->size, true, "the file ends %s the pages of CPU %" PRIu32,
				 pos < t->size ? "inside" : "before", cpu);
		size = pos < t->size ? t->size - pos : 0;
	}
	if (!size || !t->nr_buffers)
		return 0;
	if (nr == TRACE_DAT_CPUS_MAX)
		return 0;
	/* grow at powers of two */
	if (!(nr & (nr - 1))) {
		struct trace_dat_cpu *v = reallocarray(t->cpus, nr ? nr * 2 : 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->cpus = v;
	}
	t->cpus[t->nr_cpu_buffers++] = (struct trace_dat_cpu){
		.buffer = (uint32_t)t->nr_buffers - 1,
		.cpu = cpu <= INT32_MAX ? (int32_t)cpu : -1,
		.pos = pos,
		.size = size,
		.packed = packed,
	};
	return 0;
}

/* At equal positions, the one added first comes first. */
static int by_pos(const void *x, const void *y)
{
	const struct trace_dat_cpu *const *a = x, *const *b = y;

	if ((*a)->pos != (*b)->pos)
		return (*a)->pos < (*b)->pos ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

int trace_dat_drop_overlaps(struct trace_dat *t)
{
	struct trace_dat_cpu **order = calloc(t->nr_cpu_buffers + 1, sizeof(*order));
	uint64_t end = 0;
	size_t nr = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_cpu_buffers; i++)
		order[i] = &t->cpus[i];
	qsort(order, t->nr_cpu_buffers, sizeof(*order), by_pos);
	for (size_t i = 0; i < t->nr_cpu_buffers; i++) {
		struct trace_dat_cpu *c = order[i];

		if (c->pos < end) {
			trace_dat_damage(t, c->pos, false,
					 "the pages of CPU %d overlap those of another CPU",
					 c->cpu);
			c->size = 0;
		} else {
			end = c->pos + c->size;
		}
	}
	free(order);
	for (size_t i = 0; i < t->nr_cpu_buffers; i++)
		if (t->cpus[i].size)
			t->cpus[nr++] = t->cpus[i];
	t->nr_cpu_buffers = nr;
	return 0;
}

/* Read an option that both versions have. */
int trace_dat_take_option(struct trace_dat *t, unsigned int id, const char *text, size_t size)
{
	switch (id) {
	case OPTION_CPUSTAT:
		return read_stats(t, text, size);
	case OPTION_TRACECLOCK:
		return read_clock(t, text, size);
	case OPTION_UNAME:
		return trace_dat_set_text(&t->uname, text, size);
	case OPTION_CPUCOUNT:
		if (size >= 4 && !t->nr_cpus)
			t->nr_cpus = load_u32(text, t->swap);
		return 0;
	default:
		return 0;
	}
}

int trace_dat_error_short(const struct trace_dat *t, struct error *err)
{
	return error_set(err, EIO, "it ends at offset 0x%" PRIx64 ", before its events", t->size);
}

bool trace_dat_is(const uint8_t *head, size_t size)
{
	static const char magic[] = TRACE_DAT_MAGIC;

	return size >= sizeof(magic) && !memcmp(head, magic, sizeof(magic) - 1);
}

void trace_dat_deinit(struct trace_dat *t)
{
	for (size_t i = 0; i < t->nr_buffers; i++)
		free(t->buffers[i].name);
	for (size_t i = 0; i < t->nr_unpacked; i++)
		free(t->unpacked[i]);
	free(t->buffers);
	free(t->cpus);
	free(t->unpacked);
	free(t->stack_format);
	free(t->uname);
	free(t->clock);
	tracing_data_deinit(&t->formats);
	*t = (struct trace_dat){0};
}
