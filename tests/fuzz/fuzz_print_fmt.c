// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of an event's format, then "\n---\n" and the raw data of a sample. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/tracepoint/print_fmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n---\n";
	const uint8_t *end = size ? memmem(data, size, mark, sizeof(mark) - 1) : NULL;
	const struct trace_text format = {(const char *)data, end ? (size_t)(end - data) : size};
	struct print_fmt_raw raw = {.long_size = 8};
	struct strbuf out = STRBUF_INIT;
	struct print_fmt *f;

	if (end) {
		raw.data = end + sizeof(mark) - 1;
		raw.size = (uint32_t)(size - (size_t)(raw.data - data));
	}
	f = print_fmt_new(&format, raw.long_size);
	if (f && raw.data)
		print_fmt_add(f, &out, &raw);
	print_fmt_free(f);
	strbuf_deinit(&out);
	return 0;
}
