/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of the fuzz targets for texts of the kernel: read it to its end as this format, and
 * touch every byte of the rows, names and tables that come of it.
 */
#ifndef TESTS_FUZZ_CONSUME_ROWS_H
#define TESTS_FUZZ_CONSUME_ROWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/source/event_source.h"
#include "util/source/site_names.h"
#include "util/source/source_table.h"

static volatile uint8_t touched;

static void touch_text(const char *text)
{
	for (; text && *text; text++)
		touched ^= (uint8_t)*text;
}

static void touch_site(const struct source_facts *facts, uint64_t address)
{
	const struct symbol *symbol =
		facts->site_names ? site_names_find(facts->site_names, address) : NULL;

	if (!symbol)
		return;
	touch_text(symbol->name);
	touch_text(symbol->module);
}

static int on_row(void *ctx, const struct complete_event *keys,
		  const struct source_figures *figures, struct error *err)
{
	(void)err;
	touch_text(keys->comm);
	touch_text(keys->cache);
	for (size_t i = 0; i < keys->nr_callchain; i++)
		touch_site(ctx, keys->callchain[i]);
	touched ^= (uint8_t)figures->bytes_alloc ^ keys->source->kind;
	return 0;
}

static void touch_tables(const struct source_facts *facts)
{
	for (size_t t = 0; t < facts->nr_tables; t++)
		for (uint32_t i = 0; i < source_table_rows(&facts->tables[t]); i++)
			touch_text(source_table_name(&facts->tables[t], i));
}

static void consume_rows(const char *format, const uint8_t *data, size_t size)
{
	static const struct event_sink sink = {.row = on_row};
	const struct source_options options = {.format = format, .force = true, .jobs = 1};
	struct event_source *source = NULL;
	struct error err = ERROR_INIT;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	log_set_level(LOG_QUIET);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!event_source_open(path, &options, &source, &err)) {
		event_source_read(source, &sink, (void *)(uintptr_t)source->facts, &err);
		touch_tables(source->facts);
	}
	event_source_free(source);
	close(fd);
}

#endif
