// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw pages of the kernel's ring buffer: the first byte says how they are laid out, then come pages
 * of two CPUs in turn.
 *
 * Each event must lie inside of its page.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/fuzz/consume.h"
#include "util/base/log.h"
#include "util/ftrace/ring_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CPUS 2

static const char stack_format[] =
	"name: kernel_stack\nID: 4\nformat:\n\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n";
static const char event_format[] = "name: kmalloc\nID: 5\nformat:\n";

struct pages {
	const uint8_t *data;
	size_t size;
	uint32_t page_size;
	uint64_t first;
};

static ssize_t read_page(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size)
{
	const struct pages *p = ctx;
	size_t at = (size_t)(i * CPUS + p->first) * page_size;
	size_t n = at < p->size ? p->size - at : 0;

	n = n < page_size ? n : page_size;
	memcpy(page, p->data + (n ? at : 0), n);
	return (ssize_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_options options = {.jobs = 1};
	struct trace_format format = {"kmem", {event_format, sizeof(event_format) - 1}};
	struct tracing_data formats = {.formats = &format, .nr_formats = 1};
	struct source_facts facts;
	struct ring_reader reader;
	struct pages pages[CPUS];
	struct error err = ERROR_INIT;
	struct ring_layout layout;

	if (!size)
		return 0;
	log_set_level(LOG_QUIET);
	layout = (struct ring_layout){
		.swap = data[0] & 1,
		.big_endian = data[0] & 2,
		.long_size = data[0] & 4 ? 4 : 8,
		.page_size = 64u << (data[0] >> 4 & 7),
	};
	source_facts_init(&facts);
	if (ring_reader_init(&reader, stack_format))
		abort();
	for (uint32_t i = 0; i < CPUS; i++) {
		const struct ring_pages ring = {size / layout.page_size / CPUS + 1, read_page,
						&pages[i]};

		pages[i] = (struct pages){data + 1, size - 1, layout.page_size, i};
		/* as if both had got the same events, now and then */
		if (ring_reader_add_cpu(&reader, &layout, &ring, data[0] & 8 ? i : 0,
					data[0] & 8 ? 0 : (int32_t)i))
			abort();
	}
	if (!ring_reader_scan(&reader, &formats, &facts, &options, &err))
		ring_reader_read(&reader, &formats, bytes_make(data, size, false), 0, &facts,
				 &options, &consume_sink, NULL, &err);
	ring_reader_deinit(&reader);
	source_facts_deinit(&facts);
	return 0;
}
