// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A copy of a tracefs with anything in its files (entries.h; those of `files`): formats, the layout
 * of pages, saved commands, statistics, pages.
 *
 * Reading must end, and hand over samples whose bytes are there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/consume.h"
#include "tests/fuzz/entries.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"

extern const struct event_source_ops event_source_tracefs;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const folders[] = {
	"",
	"/events",
	"/events/ftrace",
	"/events/ftrace/kernel_stack",
	"/events/kmem",
	"/events/kmem/kmalloc",
	"/events/kmem/mm_page_alloc",
	"/per_cpu",
	"/per_cpu/cpu0",
	"/per_cpu/cpu1",
};

static const char *const files[] = {
	"trace_clock",
	"saved_cmdlines",
	"kallsyms",
	"events/header_page",
	"events/ftrace/kernel_stack/format",
	"events/kmem/kmalloc/format",
	"events/kmem/mm_page_alloc/format",
	"per_cpu/cpu0/stats",
	"per_cpu/cpu0/trace_pipe_raw",
	"per_cpu/cpu1/stats",
	"per_cpu/cpu1/snapshot_raw",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* The copy: one for all inputs, in memory where that is possible. */
static char root[64];

static void remove_files(void)
{
	char path[128];

	for (size_t i = 0; i < NR(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		unlink(path);
	}
}

static void remove_all(void)
{
	char path[128];

	remove_files();
	for (size_t i = NR(folders); i--;) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		rmdir(path);
	}
}

static void make_folders(void)
{
	char path[128];

	snprintf(root, sizeof(root), "%s/fuzz-tracefs.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(root))
		abort();
	atexit(remove_all);
	for (size_t i = 1; i < NR(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		if (mkdir(path, 0700))
			abort();
	}
}

static void write_file(void *ctx, const char *name, const uint8_t *body, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[128];
	size_t i = 0;

	(void)ctx;
	while (i < NR(files) && strcmp(files[i], name) != 0)
		i++;
	if (i == NR(files))
		return;
	snprintf(path, sizeof(path), "%s/%s", root, files[i]);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, body, size) != (ssize_t)size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_options options = {.force = true, .jobs = 1};
	struct event_source *source = NULL;
	struct error err = ERROR_INIT;

	if (!size || data[0] != '@')
		return 0;
	if (!root[0])
		make_folders();
	log_set_level(LOG_QUIET);
	entries_for_each(data, size, write_file, NULL);
	if (!event_source_tracefs.open(root, &options, &source, &err)) {
		event_source_read(source, &consume_sink, NULL, &err);
		event_source_free(source);
	}
	remove_files();
	return 0;
}
