// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile page_owner dumps: the source reads them to the end, every row is sound, and what it
 * points to can be touched.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/event/kmem_event.h"
#include "util/dump/page_owner.h"
#include "util/source/site_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t touched;

static void touch(const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		touched ^= ((const uint8_t *)data)[i];
}

static int take_row(void *ctx, const struct complete_event *row,
		    const struct source_figures *figures, struct error *err)
{
	const struct source_facts *facts = ctx;

	(void)err;
	if (!kmem_event_is_sound(row->event) || figures->hits != 1 ||
	    figures->live_hits > figures->hits || figures->live_bytes > figures->bytes_alloc)
		abort();
	touch(row->comm, strlen(row->comm));
	if (row->memcg)
		touch(row->memcg, strlen(row->memcg));
	for (size_t i = 1; i < row->nr_callchain; i++) {
		const struct symbol *s = site_names_find(facts->site_names, row->callchain[i]);

		if (s)
			touch(s->name, strlen(s->name));
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_sink sink = {.row = take_row};
	const struct source_options options = {.jobs = 1, .force = true};
	struct error err = ERROR_INIT;
	struct event_source *s;
	struct input *input;
	char path[64];
	int fd = memfd_create("dump", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!input_open(path, &options, &input, &err)) {
		if (!event_source_page_owner.open_input(input, &options, &s, &err)) {
			event_source_page_owner.read(s, &sink, s->facts, &err);
			event_source_page_owner.find_end(s, &err);
			s->ops->free(s);
		}
	}
	close(fd);
	return 0;
}
