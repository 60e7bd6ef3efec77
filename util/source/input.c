// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/unlinked_file.h"

#define COPY_SIZE (1u << 17)

/* Bytes of input, and of unpacked data, between two calls of the progress function. */
#define PROGRESS_BYTES		(1u << 20)
#define PROGRESS_UNPACKED_BYTES (8u << 20)

/* Interval of calls of the progress function while a pipe is silent. */
#define PROGRESS_MS 250

/* Number of packed bytes read at a time. */
#define PACKED_SIZE (1u << 17)

struct input {
	char *path;
	int fd;
	bool can_wait; /* a pipe or the like; reading it may block */
	struct source_options options;
	struct source_facts *facts; /* NULL: not set yet */
	uint64_t pos, total;	    /* bytes read from fd; total is 0 if unknown */
	uint64_t reported_pos;
	uint64_t handed_out; /* bytes returned by input_read() */
	bool ended;
	bool stopped; /* stopped by the progress function */
	char damage[128];
	uint64_t damage_pos;

	struct input *outer; /* the input that contains this part; NULL: none */
	uint64_t left;	     /* bytes left of the part */

	enum packing packing;
	struct input *wrapping; /* the packed input that contains this one; NULL: none */
	struct unpacking *unpacking;
	uint8_t *packed; /* bytes in [packed_at, packed_len) are still to be unpacked */
	size_t packed_at, packed_len;
	uint64_t unpacked;	    /* number of unpacked bytes */
	uint64_t reported_unpacked; /* value of `unpacked` at the last call of the progress function
				     */

	struct source_input probed;
	uint8_t head[SOURCE_HEAD_SIZE];
	size_t head_at, head_len; /* bytes of the head that were consumed to examine them */
};

/* ---- progress and damage --------------------------------------------------------------------- */

/* Copy damage and stop into the facts, once there are any. */
static void note(struct input *in)
{
	struct source_facts *f = in->facts;

	if (!f)
		return;
	if (in->damage[0]) {
		source_facts_damage(f, in->damage_pos, "%s", in->damage);
		f->damage.truncated = true;
	}
	if (in->stopped) {
		f->stop = (struct source_stop){true, in->pos, in->total};
		f->damage.truncated = true;
	}
}

void input_serve(struct input *in, struct source_facts *facts)
{
	in->facts = facts;
	note(in);
	if (in->wrapping)
		input_serve(in->wrapping, facts);
}

static void end_by_damage(struct input *in, const char *what)
{
	snprintf(in->damage, sizeof(in->damage), "the %s data %s", packing_name(in->packing), what);
	in->damage_pos = in->wrapping ? in->pos : in->pos - (in->packed_len - in->packed_at);
	in->ended = true;
	note(in);
}

/* Returns true if the caller wants to stop. */
static bool report_progress(struct input *in)
{
	const struct source_options *o = &in->options;

	in->reported_pos = in->pos;
	in->reported_unpacked = in->unpacked;
	if (in->stopped || !o->progress ||
	    !o->progress(o->progress_ctx, in->pos, in->total,
			 in->facts ? in->facts->nr_samples : 0))
		return in->stopped;
	in->stopped = in->ended = true;
	note(in);
	return true;
}

/* ---- bytes in order -------------------------------------------------------------------------- */

/* Wait until read() can return; for trace_pipe, whose poll() waits for half a buffer, wait only for
 * a moment. Returns false if stopped. */
static bool wait_for_bytes(struct input *in)
{
	struct pollfd pollfd = {.fd = in->fd, .events = POLLIN};
	const bool read_sleeps = in->probed.reads_once;
	int ret;

	/* needed even without a progress function: read() reports the end of a FIFO that has no
	 * writer yet */
	do {
		if (report_progress(in))
			return false;
		ret = poll(&pollfd, 1, in->options.progress || read_sleeps ? PROGRESS_MS : -1);
	} while ((!ret && !read_sleeps) || (ret < 0 && errno == EINTR));
	return true;
}

/* Returns the number of bytes, 0 at the end or when stopped, or -errno. */
static ssize_t read_raw(struct input *in, void *buf, size_t size)
{
	bool wait = in->can_wait && !in->probed.reads_once;
	ssize_t n;

	if (in->pos - in->reported_pos >= PROGRESS_BYTES && report_progress(in))
		return 0;
	do {
		if (wait && !wait_for_bytes(in))
			return 0;
		n = read(in->fd, buf, size);
		wait = in->can_wait;
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n > 0)
		in->pos += (size_t)n;
	if (in->facts && in->pos > in->facts->stored_bytes)
		in->facts->stored_bytes = in->pos;
	return n < 0 ? -errno : n;
}

/* Read bytes that must be unpacked: those of the file, or of a packed input within it. */
static ssize_t read_packed(struct input *in)
{
	ssize_t n;

	if (!in->wrapping)
		return read_raw(in, in->packed, PACKED_SIZE);
	n = input_read(in->wrapping, in->packed, PACKED_SIZE);
	in->pos = in->wrapping->pos;
	in->stopped = in->wrapping->stopped;
	return n;
}

/* Count unpacked bytes; too many end the input. */
static void take_unpacked(struct input *in, size_t bytes)
{
	in->unpacked += bytes;
	if (in->unpacked > unpacked_bytes_max(in->pos))
		end_by_damage(in, "unpack to far more than their size");
}

static ssize_t read_unpacked(struct input *in, void *buf, size_t size)
{
	/* even a few packed bytes may take long to unpack */
	if (in->unpacked - in->reported_unpacked >= PROGRESS_UNPACKED_BYTES && report_progress(in))
		return 0;
	for (;;) {
		const uint8_t *from = in->packed + in->packed_at;
		size_t left = in->packed_len - in->packed_at, written;
		int ret = unpacking_feed(in->unpacking, &from, &left, buf, size, &written);
		ssize_t n;

		in->packed_at = in->packed_len - left;
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			end_by_damage(in, "cannot be unpacked any further");
		else
			take_unpacked(in, written);
		if (written || ret)
			return (ssize_t)written;
		n = read_packed(in);
		if (n < 0)
			return n;
		if (!n) {
			if (!in->stopped && !unpacking_is_whole(in->unpacking))
				end_by_damage(in, "end too early");
			return 0;
		}
		in->packed_at = 0;
		in->packed_len = (size_t)n;
	}
}

static ssize_t read_part(struct input *in, void *buf, size_t size)
{
	ssize_t n = input_read(in->outer, buf, size < in->left ? size : in->left);

	in->left -= n > 0 ? (uint64_t)n : 0;
	in->pos += n > 0 ? (uint64_t)n : 0;
	if (!n && in->left) {
		snprintf(in->damage, sizeof(in->damage), "it ends too early");
		in->damage_pos = in->pos;
		note(in);
	}
	return n;
}

static ssize_t read_next(struct input *in, void *buf, size_t size)
{
	size_t ready = in->head_len - in->head_at;
	ssize_t n;

	if (ready) {
		n = (ssize_t)(ready < size ? ready : size);
		memcpy(buf, in->head + in->head_at, (size_t)n);
		in->head_at += (size_t)n;
		return n;
	}
	if (in->ended || (in->outer && !in->left))
		return 0;
	n = in->outer	    ? read_part(in, buf, size)
	    : in->unpacking ? read_unpacked(in, buf, size)
			    : read_raw(in, buf, size);
	in->ended |= n <= 0;
	return n;
}

ssize_t input_read(struct input *in, void *buf, size_t size)
{
	ssize_t n = read_next(in, buf, size);

	in->handed_out += n > 0 ? (uint64_t)n : 0;
	return n;
}

uint64_t input_pos(const struct input *in)
{
	return in->handed_out;
}

uint64_t input_raw_pos(const struct input *in)
{
	return in->pos;
}

uint64_t input_raw_size(const struct input *in)
{
	return in->total;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int check_owner(const char *path, const struct stat *st, struct error *err)
{
	if (st->st_uid == 0 || st->st_uid == geteuid())
		return 0;
	return error_set(err, EACCES,
			 "file '%s' is neither yours nor root's (use -f to read it anyway)", path);
}

int input_open_path(const char *path, bool force, struct stat *ret_stat, int *ret_fd,
		    struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT)
		return error_set(err, ENOENT, "no recording '%s'", path);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	if (fstat(fd, ret_stat))
		return error_set_errno(err, errno, "cannot stat '%s'", path);
	if (!force && check_owner(path, ret_stat, err))
		return -EACCES;
	if (!S_ISREG(ret_stat->st_mode) && !S_ISDIR(ret_stat->st_mode))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* The first line of a pipe may come in pieces: wait up to half a second for this many bytes. */
#define HEAD_MIN 64
#define NAPS	 50
#define NAP_NS	 10000000

static bool has_hung_up(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, 0) > 0 && pollfd.revents & POLLHUP;
}

/* Copy the first bytes of a pipe without consuming them. */
static ssize_t tee_head(int fd, void *head, size_t size)
{
	_cleanup_close_ int from = -1, to = -1;
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	from = copy[0];
	to = copy[1];
	n = tee(fd, to, size, SPLICE_F_NONBLOCK);
	return n > 0 ? read(from, head, (size_t)n) : 0;
}

static ssize_t peek_once(int fd, mode_t mode, void *head, size_t size)
{
	return S_ISFIFO(mode) ? tee_head(fd, head, size)
			      : recv(fd, head, size, MSG_PEEK | MSG_DONTWAIT);
}

/* Copy the first bytes of a pipe or a socket (mode: from fstat()), which the reader still gets.
 * Returns 0 or less if there are none. */
static ssize_t peek_stream(int fd, mode_t mode, void *head, size_t size)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	ssize_t n = 0;

	for (int i = 0; i < NAPS; i++) {
		n = peek_once(fd, mode, head, size);
		if (n >= HEAD_MIN || has_hung_up(fd))
			break;
		nanosleep(&nap, NULL);
	}
	return n;
}

/* Examine the first bytes, without consuming them. */
static int look(struct input *in, mode_t mode, struct error *err)
{
	ssize_t n = 0;

	if (S_ISREG(mode) && !in->probed.reads_once) {
		n = pread(in->fd, in->head, SOURCE_HEAD_SIZE, lseek(in->fd, 0, SEEK_CUR));
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", in->path);
	} else if (S_ISFIFO(mode) || S_ISSOCK(mode)) {
		n = wait_for_bytes(in) ? peek_stream(in->fd, mode, in->head, SOURCE_HEAD_SIZE) : 0;
	}
	in->probed.head_size = n > 0 ? (size_t)n : 0;
	return 0;
}

/* Examine the first bytes again, unpacked: they are kept for the reader. */
static int look_inside(struct input *in, struct error *err)
{
	int ret = unpacking_new(in->packing, &in->unpacking, err);
	ssize_t n = 1;

	if (ret)
		return ret == -ENOMEM ? ret : error_prefix(err, "cannot read '%s'", in->path);
	in->packed = malloc(PACKED_SIZE);
	if (!in->packed)
		return error_nomem(err);
	while (n > 0 && in->head_len < SOURCE_HEAD_SIZE && !in->ended) {
		n = read_unpacked(in, in->head + in->head_len, SOURCE_HEAD_SIZE - in->head_len);
		in->head_len += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		return error_set_errno(err, (int)-n, "cannot read '%s'", in->path);
	if (!in->head_len && in->damage[0])
		return error_set(err, EINVAL, "'%s': %s", in->path, in->damage);
	in->probed.head_size = in->head_len;
	return 0;
}

static struct input *new_input(const char *path)
{
	struct input *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->fd = -1;
	in->path = strdup(path);
	in->probed = (struct source_input){.path = in->path, .head = in->head};
	if (in->path)
		return in;
	free(in);
	return NULL;
}

/* A snapshot is packed when it is written, and somebody may have packed it again. */
static int look_further_inside(struct input **in, struct error *err)
{
	struct input *wrapping = *in, *inner;
	enum packing packing = packing_of(wrapping->head, wrapping->head_len);

	if (!packing)
		return 0;
	inner = new_input(wrapping->path);
	if (!inner)
		return error_nomem(err);
	inner->options = wrapping->options;
	inner->probed.reads_once = wrapping->probed.reads_once;
	inner->can_wait = wrapping->can_wait;
	inner->total = wrapping->total;
	inner->packing = packing;
	inner->wrapping = wrapping;
	*in = inner;
	return look_inside(inner, err);
}

static int open_named(struct input *in, struct stat *st, struct error *err)
{
	const struct source_options *o = &in->options;
	int ret = input_open_path(in->path, o->force, st, &in->fd, err);

	return ret == -ENOENT && o->if_missing
		       ? error_set(err, ENOENT, "no recording '%s' (%s)", in->path, o->if_missing)
		       : ret;
}

static int open_fd(struct input *in, struct stat *st, struct error *err)
{
	if (strcmp(in->path, "-") != 0)
		return open_named(in, st, err);
	in->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (in->fd < 0 || fstat(in->fd, st))
		return error_set_errno(err, errno, "cannot read standard input");
	return 0;
}

int input_open(const char *path, const struct source_options *options, struct input **ret_input,
	       struct error *err)
{
	struct input *in = new_input(path);
	struct stat st;
	int ret;

	if (!in)
		return error_nomem(err);
	in->options = *options;
	ret = open_fd(in, &st, err);
	if (!ret) {
		in->probed.is_directory = S_ISDIR(st.st_mode);
		in->probed.reads_once = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) < 0;
		in->can_wait =
			in->probed.reads_once || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
		in->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		ret = look(in, st.st_mode, err);
		in->packing = packing_of(in->head, in->probed.head_size);
		if (in->stopped)
			ret = error_set(err, ECANCELED, "'%s': stopped before any data came", path);
		else if (!ret && in->packing)
			ret = look_inside(in, err);
		if (!ret && in->packing)
			ret = look_further_inside(&in, err);
	}
	if (ret)
		input_free(in);
	else
		*ret_input = in;
	return ret;
}

int input_open_part(struct input *outer, const char *path, uint64_t size, struct input **ret_part)
{
	struct input *in = new_input(path);

	if (!in)
		return -ENOMEM;
	in->outer = outer;
	in->left = in->total = size;
	*ret_part = in;
	return 0;
}

static void skip_rest(struct input *in)
{
	uint8_t buf[4096];

	while (input_read(in, buf, sizeof(buf)) > 0)
		;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->outer)
		skip_rest(in);
	input_free(in->wrapping);
	if (in->fd >= 0)
		close(in->fd);
	unpacking_free(in->unpacking);
	free(in->packed);
	free(in->path);
	free(in);
}

const struct source_input *input_probed(const struct input *in)
{
	return &in->probed;
}

const char *input_path(const struct input *in)
{
	return in->path;
}

enum packing input_packing(const struct input *in)
{
	return in->packing;
}

bool input_is_stream(const struct input *in)
{
	return in->can_wait;
}

int input_fd(const struct input *in)
{
	return in->fd;
}

static int copy_to(struct input *in, int fd, struct error *err)
{
	_cleanup_free_ uint8_t *buf = malloc(COPY_SIZE);
	ssize_t n = 0;
	int ret = 0;

	if (!buf)
		return error_nomem(err);
	while (!ret && (n = input_read(in, buf, COPY_SIZE)) > 0) {
		ret = unlinked_file_write(fd, buf, (size_t)n);
		if (ret)
			return error_set_errno(err, -ret, "cannot store the data of '%s' in '%s'",
					       input_path(in), unlinked_file_dir());
	}
	if (n < 0)
		return error_set_errno(err, (int)-n, "cannot read '%s'", input_path(in));
	return ret;
}

int input_to_file(struct input *in, int *ret_fd, struct error *err)
{
	int fd = unlinked_file_open(), ret;

	if (fd < 0)
		return error_set_errno(err, -fd,
				       "cannot make a temporary file in '%s' for the data of '%s'",
				       unlinked_file_dir(), input_path(in));
	ret = copy_to(in, fd, err);
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = error_set_errno(err, errno, "cannot read '%s'", input_path(in));
	if (ret)
		close(fd);
	else
		*ret_fd = fd;
	return ret;
}
