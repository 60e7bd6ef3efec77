// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/capture/event_open.h"

/* The kernel's message in the text of a filter file: the line after the one with the caret. */
static void take_words(char *text, char *ret_words, size_t size)
{
	char *caret = strchr(text, '^'), *words = NULL;

	if (caret && strspn(caret, "^\n ") && strchr(caret, '\n'))
		words = strchr(caret, '\n') + 1;
	if (!words)
		return;
	words[strcspn(words, "\n")] = '\0';
	if (!strncmp(words, "parse_error: ", 13))
		words += 13;
	snprintf(ret_words, size, "%s", words);
}

/* Write the filter where the kernel explains errors; ret_words is empty without an explanation. */
static void ask_kernel(const struct tracefs *t, const struct evsel *e, const char *filter,
		       char *ret_words, size_t size)
{
	_cleanup_(strbuf_deinit) struct strbuf dir = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int fd;

	*ret_words = '\0';
	strbuf_addf(&dir, "%s/instances/perf-filter-%d", t->path, (int)getpid());
	strbuf_addf(&path, "%s/events/%s/%s/filter", dir.buf, e->system, e->name);
	if (dir.failed || path.failed || mkdir(dir.buf, 0700))
		return;
	fd = open(path.buf, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = write(fd, filter, strlen(filter));

		close(fd);
		if (n < 0 && !strbuf_read_file(&text, path.buf))
			take_words(text.buf, ret_words, size);
	}
	rmdir(dir.buf);
}

static int refuse(const struct tracefs *t, const struct evsel *e, const char *filter, int code,
		  struct error *err)
{
	char words[256];

	ask_kernel(t, e, filter, words, sizeof(words));
	return error_set(err, code, "the kernel refuses the filter '%s' for '%s:%s': %s", filter,
			 e->system, e->name, *words ? words : strerror(code));
}

/* A filter for allocations that failed. NULL if the event has no field for it. */
static const char *failure_of(const struct evsel *e)
{
	uint32_t offset, size;

	if (tracefs_format_field(e->format.buf, "ptr", &offset, &size))
		return "ptr == 0";
	if (!tracefs_format_field(e->format.buf, "pfn", &offset, &size))
		return NULL;
	return size == sizeof(uint32_t) ? "pfn == 0xffffffff" : "pfn == 0xffffffffffffffff";
}

static int set_one(const struct evsel *e, const char *own, const struct tracefs *t,
		   struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf joined = STRBUF_INIT;
	const char *parts[] = {own, e->failed_only ? failure_of(e) : NULL, e->filter};
	unsigned int nr = 0;

	for (int i = 0; i < 3; i++)
		nr += parts[i] != NULL;
	for (int i = 0; i < 3; i++)
		if (parts[i])
			strbuf_addf(&joined, nr > 1 ? "%s(%s)" : "%s%s", joined.len ? " && " : "",
				    parts[i]);
	if (joined.failed)
		return error_nomem(err);
	for (size_t i = 0; i < e->nr_fds && joined.len; i++)
		if (ioctl(e->fds[i].fd, PERF_EVENT_IOC_SET_FILTER, joined.buf))
			return refuse(t, e, joined.buf, errno, err);
	return 0;
}

/* Set `common` for the events that have its fields. */
static int spread(const char *common, struct evlist *l, const struct tracefs *t, struct error *err)
{
	struct evsel *refused = NULL;
	size_t nr = 0;
	int code = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];
		int ret;

		if (e->filter)
			continue;
		ret = evsel_try_filter(e, common);
		if (ret) {
			refused = refused ? refused : e;
			code = -ret;
			log_info("%s:%s is not filtered: it lacks a field of '%s'", e->system,
				 e->name, common);
			continue;
		}
		e->filter = strdup(common);
		if (!e->filter)
			return error_nomem(err);
		nr++;
	}
	return refused && !nr ? refuse(t, refused, common, code, err) : 0;
}

int filters_set(const struct filters *f, struct evlist *l, const struct tracefs *t,
		struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < l->nr && !ret; i++)
		if (l->evsels[i].filter) {
			int code = -evsel_try_filter(&l->evsels[i], l->evsels[i].filter);

			if (code)
				ret = refuse(t, &l->evsels[i], l->evsels[i].filter, code, err);
		}
	if (!ret && f->common)
		ret = spread(f->common, l, t, err);
	for (size_t i = 0; i < l->nr && !ret; i++)
		ret = set_one(&l->evsels[i], f->own, t, err);
	return ret;
}
