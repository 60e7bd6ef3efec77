// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/perfdata/format.h"
#include "util/perfdata/reader_internal.h"

#define PIPE_BUFFER (1u << 20)
#define SKIP_BUFFER (1u << 16)

/* A payload that is larger than this is not for us: it is read past, not kept. */
#define PIPE_RECORD_MAX (64ull << 20)

/* While a pipe brings nothing, the progress function hears of it so often. */
#define TELL_MS 250

/* Until read() has something to say: it alone would sleep through what the caller wants. */
static int wait_for_input(struct reader *r)
{
	struct pollfd fd = {.fd = r->fd, .events = POLLIN};
	int ret;

	/* also without anybody to tell: read() takes a FIFO that has no writer yet for ended */
	do {
		ret = reader_tell(r);
		if (ret)
			return ret;
		ret = poll(&fd, 1, r->options.progress ? TELL_MS : -1);
	} while (!ret || (ret < 0 && errno == EINTR));
	return 0;
}

/* Room for `want` bytes from position pos on in the last span; what is there of them stays. */
static int make_room(struct spans *spans, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp = spans->nr ? &spans->v[spans->nr - 1] : NULL;

	/* a gap before pos was stepped over without being kept */
	if (!sp || sp->mapped || pos + want > sp->start + sp->cap || sp->len == sp->cap ||
	    sp->start + sp->len < pos) {
		uint64_t cap = want + RECORD_HEADER_SIZE;
		int ret = spans_add_heap(spans, pos, cap > PIPE_BUFFER ? cap : PIPE_BUFFER, &sp);

		if (ret)
			return ret;
	}
	*ret_span = sp;
	return 0;
}

/* Fill the last span until `want` bytes from pos on are there. 1: they are, 0: end. */
static int fill(struct reader *r, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp;
	int ret = make_room(&r->input, pos, want, &sp);

	if (ret)
		return -ENOMEM;
	*ret_span = sp;
	while (sp->start + sp->len < pos + want) {
		ssize_t n;

		ret = wait_for_input(r);
		if (ret)
			return ret;
		n = read(r->fd, sp->data + sp->len, sp->cap - sp->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		sp->len += (size_t)n;
	}
	return 1;
}

int reader_pipe_start(struct reader *r, struct span **ret_span)
{
	return fill(r, 0, PERFDATA_PIPE_HEADER_SIZE, ret_span);
}

/* Step over bytes without keeping them. 1: they are behind us, 0: the pipe ended before. */
static int skip(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	const struct span *sp = &r->input.v[r->input.nr - 1];
	uint64_t have = sp->start + sp->len - *pos;
	_cleanup_free_ uint8_t *scratch = NULL;

	if (have > bytes)
		have = bytes;
	*pos += have;
	bytes -= have;
	scratch = malloc(SKIP_BUFFER);
	if (!scratch)
		return -ENOMEM;
	while (bytes) {
		int ret = wait_for_input(r);
		ssize_t n;

		if (ret)
			return ret;
		n = read(r->fd, scratch, bytes < SKIP_BUFFER ? bytes : SKIP_BUFFER);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		*pos += (size_t)n;
		bytes -= (size_t)n;
	}
	return 1;
}

/* AUX data, of any size: not for us. */
static int skip_auxtrace(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	uint64_t start = *pos;
	int ret = skip(r, pos, bytes);

	if (ret)
		return ret;
	r->recording->facts.damage.truncated = true;
	recording_damage(r->recording, start, "the data ends inside a record");
	return 0;
}

int reader_read_pipe(struct reader *r)
{
	uint64_t pos = PERFDATA_PIPE_HEADER_SIZE;

	for (;;) {
		uint64_t want = RECORD_HEADER_SIZE, left = 0, skip;
		enum record_status status;
		struct record rec;
		struct span *sp;
		const uint8_t *data;
		int ret = reader_bound_held(r);

		if (ret)
			return ret;
		/* the header, then the record, then what follows it */
		do {
			ret = fill(r, pos, want, &sp);
			if (ret < 0)
				return ret;
			data = sp->data + (pos - sp->start);
			left = sp->start + sp->len - pos;
			status = record_peek(data, left, r->recording->swap, &rec);
			want = rec.total;
		} while (ret && status == RECORD_SHORT && want <= PIPE_RECORD_MAX);

		if (!left)
			return 0;
		if (status == RECORD_SHORT && ret && rec.type == PERF_RECORD_AUXTRACE) {
			ret = skip_auxtrace(r, &pos, rec.total);
			if (ret <= 0)
				return ret;
			continue;
		}
		if (status != RECORD_OK || !resync_believable(r, &rec, left)) {
			ret = fill(r, pos, PIPE_BUFFER / 2, &sp);
			if (ret < 0)
				return ret;
			left = sp->start + sp->len - pos;
			ret = resync_step_over(r, sp->data + (pos - sp->start), left, pos, ret == 0,
					       &skip);
			if (ret)
				return ret;
			pos += skip;
			r->input_pos = pos;
			continue;
		}
		rec.pos = pos;
		pos += rec.total;
		r->input_pos = pos;
		ret = reader_take(r, &rec);
		if (ret < 0)
			return ret;
	}
}

static int open_unlinked(const char *dir)
{
	_cleanup_free_ char *path = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* not every file system has O_TMPFILE */
	if (asprintf(&path, "%s/perf-kmem.XXXXXX", dir) < 0) {
		path = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int reader_spool_pipe(struct reader *r, struct error *err)
{
	const char *tmpdir = getenv("TMPDIR"), *dir = tmpdir && *tmpdir ? tmpdir : "/tmp";
	_cleanup_close_ int fd = open_unlinked(dir);
	uint64_t pos = 0;

	if (fd < 0)
		return error_set_errno(err, errno,
				       "cannot make a temporary file in '%s' for a recording that "
				       "is no stream (name it with -i)",
				       dir);
	for (;;) {
		struct span *sp;
		int more = fill(r, pos, PIPE_BUFFER / 2, &sp), ret;

		if (more == -ECANCELED)
			more = 0;
		if (more < 0)
			return error_set_errno(err, -more, "cannot read '%s'",
					       r->recording->facts.path);
		ret = write_all(fd, sp->data + (pos - sp->start), sp->start + sp->len - pos);
		if (ret)
			return error_set_errno(err, -ret,
					       "cannot keep a recording that is no stream in '%s' "
					       "(name it with -i)",
					       dir);
		pos = sp->start + sp->len;
		r->input_pos = pos;
		spans_drop_before(&r->input, pos);
		if (!more)
			break;
	}
	spans_deinit(&r->input);
	r->input_pos = 0;
	close(r->fd);
	r->fd = fd;
	fd = -1;
	return 0;
}
