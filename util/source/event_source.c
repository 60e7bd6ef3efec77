// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/event_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

#define DECLARE(source) extern const struct event_source_ops event_source_##source;
EVENT_SOURCES(DECLARE)
#undef DECLARE

#define ADDRESS(source) &event_source_##source,
static const struct event_source_ops *const sources[] = {EVENT_SOURCES(ADDRESS)};
#undef ADDRESS

/* While a pipe is silent, the progress function is called this often. */
#define TELL_MS 250

/* Until something comes through the pipe, or it ends. False: the caller wants to stop. */
static bool wait_for_pipe(int fd, const struct source_options *o)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	int ret;

	do {
		if (o->progress && o->progress(o->progress_ctx, 0, 0, 0))
			return false;
		ret = poll(&pollfd, 1, o->progress ? TELL_MS : -1);
	} while (!ret || (ret < 0 && errno == EINTR));
	return true;
}

/* Look at the content of a pipe without taking it from the reader. */
static ssize_t peek_pipe(int fd, const struct source_options *o, uint8_t *head)
{
	_cleanup_close_ int from = -1, to = -1;
	int copy[2];
	ssize_t n;

	if (!wait_for_pipe(fd, o) || pipe2(copy, O_CLOEXEC))
		return 0;
	from = copy[0];
	to = copy[1];
	n = tee(fd, to, SOURCE_HEAD_SIZE, SPLICE_F_NONBLOCK);
	return n > 0 ? read(from, head, (size_t)n) : 0;
}

static void peek(int fd, struct source_options *o, uint8_t *head, struct source_input *input)
{
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st))
		return;
	o->opened_fifo = S_ISFIFO(st.st_mode) ? fd : 0;
	input->is_directory = S_ISDIR(st.st_mode);
	if (S_ISREG(st.st_mode))
		n = pread(fd, head, SOURCE_HEAD_SIZE, lseek(fd, 0, SEEK_CUR));
	else if (S_ISFIFO(st.st_mode))
		n = peek_pipe(fd, o, head);
	input->head_size = n > 0 ? (size_t)n : 0;
}

const struct event_source_ops *event_source_probe(const struct event_source_ops *const *v,
						  size_t nr, const struct source_input *input)
{
	for (size_t i = 0; i < nr; i++) {
		const struct event_source_ops *ops = v[i];

		if (ops->probe(input))
			return ops;
	}
	return NULL;
}

int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	uint8_t head[SOURCE_HEAD_SIZE];
	struct source_input input = {.path = path, .head = head};
	struct source_options o = *options;
	const struct event_source_ops *ops;
	_cleanup_close_ int fd = strcmp(path, "-") != 0
					 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
					 : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		peek(fd, &o, head, &input);
	ops = event_source_probe(sources, sizeof(sources) / sizeof(sources[0]), &input);
	return (ops ? ops : sources[0])->open(path, &o, ret_source, err);
}

int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err)
{
	int ret = s->ops->read(s, sink, ctx, err);

	return ret == -ENOMEM ? error_nomem(err) : ret;
}

void event_source_free(struct event_source *s)
{
	if (s)
		s->ops->free(s);
}
