// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile texts about a machine (meminfo, vmstat, buddyinfo, pagetypeinfo): the first
 * line names the text that follows it.  Rows have names, and no more values than columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/event/kmem_event.h"
#include "util/dump/machine_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t touched;

struct reading {
	const struct machine_text *text; /* NULL: not named yet */
	struct source_table table;
};

static int take_line(void *ctx, struct text_line *line)
{
	struct reading *r = ctx;

	if (r->text) {
		if (machine_text_pageblock_order(line) > PAGE_ORDER_MAX)
			abort();
		return line->was_cut ? 0 : r->text->take_line(&r->table, line);
	}
	r->text = machine_text_find(line->text);
	if (!r->text)
		return 1;
	source_table_init(&r->table, &r->text->table);
	return 0;
}

static void touch_table(const struct source_table *t)
{
	for (uint32_t i = 0; i < source_table_rows(t); i++) {
		if (source_table_find(t, source_table_name(t, i)) != i)
			abort();
		for (unsigned int c = 0; c < t->kind->nr_columns; c++)
			touched ^= source_table_value(t, i, c);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_options options = {.force = true, .jobs = 1};
	_cleanup_close_ int fd = memfd_create("text", MFD_CLOEXEC);
	struct reading r = {.text = NULL};
	struct error err = ERROR_INIT;
	struct input *input;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (input_open(path, &options, &input, &err))
		return 0;
	text_lines_each(input, take_line, &r);
	input_free(input);
	if (r.text) {
		touch_table(&r.table);
		source_table_deinit(&r.table);
	}
	return 0;
}
