// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/perfdata_input.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/map_guard.h"
#include "util/base/unlinked_file.h"
#include "util/perfdata/record.h"

#define SKIP_BUFFER (1u << 16)

/* Interval of calls of the progress function while a pipe is silent. */
#define PROGRESS_MS 250

void perfdata_input_init(struct perfdata_input *in, struct recording *recording,
			 const struct source_options *options)
{
	*in = (struct perfdata_input){
		.recording = recording,
		.options = *options,
		.fd = -1,
		.lost_pages = map_guard_pages(),
	};
}

void perfdata_input_deinit(struct perfdata_input *in)
{
	spans_deinit(&in->spans);
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

int perfdata_input_tell(struct perfdata_input *in)
{
	const struct source_options *o = &in->options;

	if (!o->progress || !o->progress(o->progress_ctx, in->pos, in->bytes_total,
					 in->recording->facts.nr_samples))
		return 0;
	if (in->stopped)
		return 0;
	in->stopped = true;
	return -ECANCELED;
}

bool perfdata_input_note_cut(struct perfdata_input *in)
{
	unsigned int lost_pages = map_guard_pages();
	struct recording *recording = in->recording;
	const struct span *sp;

	if (spans_note_cuts(&in->spans, &sp)) {
		recording->facts.damage.truncated = true;
		recording_damage(recording, sp->start + sp->left,
				 "the file became shorter while it was being read (%" PRIu64
				 " of %" PRIu64 " bytes are left)",
				 sp->left, sp->len);
		in->cut = true;
	} else if (lost_pages != in->lost_pages && !in->cut) {
		recording_damage(recording, in->pos,
				 "%u pages of the file cannot be read (a failing disk?)",
				 lost_pages - in->lost_pages);
	} else {
		return false;
	}
	in->lost_pages = lost_pages;
	return true;
}

/* ---- a pipe ---- */

/* Wait until read() can return; a blocking read() could not be stopped by the progress function. */
static int wait_for_input(struct perfdata_input *in)
{
	struct pollfd fd = {.fd = in->fd, .events = POLLIN};
	int ret;

	/* needed even without a progress function: read() reports the end of a FIFO that has no
	 * writer yet */
	do {
		ret = perfdata_input_tell(in);
		if (ret)
			return ret;
		ret = poll(&fd, 1, in->options.progress ? PROGRESS_MS : -1);
	} while (!ret || (ret < 0 && errno == EINTR));
	return 0;
}

/* Make room for `want` bytes from position pos on in the last span, keeping the bytes that it
 * has. */
static int make_room(struct spans *spans, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp = spans->nr ? &spans->v[spans->nr - 1] : NULL;

	/* or bytes before pos were skipped, not kept */
	if (!sp || sp->mapped || pos + want > sp->start + sp->cap || sp->len == sp->cap ||
	    sp->start + sp->len < pos) {
		uint64_t cap = want + RECORD_HEADER_SIZE;
		int ret = spans_add_heap(
			spans, pos, cap > PERFDATA_INPUT_BUFFER ? cap : PERFDATA_INPUT_BUFFER, &sp);

		if (ret)
			return ret;
	}
	*ret_span = sp;
	return 0;
}

int perfdata_input_fill(struct perfdata_input *in, uint64_t pos, uint64_t want,
			struct span **ret_span)
{
	struct span *sp;
	int ret = make_room(&in->spans, pos, want, &sp);

	if (ret)
		return -ENOMEM;
	*ret_span = sp;
	while (sp->start + sp->len < pos + want) {
		ssize_t n;

		ret = wait_for_input(in);
		if (ret)
			return ret;
		n = read(in->fd, sp->data + sp->len, sp->cap - sp->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		sp->len += (size_t)n;
		in->recording->facts.stored_bytes = sp->start + sp->len;
	}
	return 1;
}

int perfdata_input_skip(struct perfdata_input *in, uint64_t *pos, uint64_t bytes)
{
	const struct span *sp = &in->spans.v[in->spans.nr - 1];
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
		int ret = wait_for_input(in);
		ssize_t n;

		if (ret)
			return ret;
		n = read(in->fd, scratch, bytes < SKIP_BUFFER ? bytes : SKIP_BUFFER);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		*pos += (size_t)n;
		bytes -= (size_t)n;
	}
	return 1;
}

int perfdata_input_spool(struct perfdata_input *in, struct error *err)
{
	_cleanup_close_ int fd = unlinked_file_open();
	const char *dir = unlinked_file_dir();
	uint64_t pos = 0;

	if (fd < 0)
		return error_set_errno(err, -fd,
				       "cannot make a temporary file in '%s' for a recording that "
				       "is not a stream (name it with -i)",
				       dir);
	for (;;) {
		struct span *sp;
		int more = perfdata_input_fill(in, pos, PERFDATA_INPUT_BUFFER / 2, &sp), ret;

		if (more == -ECANCELED)
			more = 0;
		if (more < 0)
			return error_set_errno(err, -more, "cannot read '%s'",
					       in->recording->facts.path);
		ret = unlinked_file_write(fd, sp->data + (pos - sp->start),
					  sp->start + sp->len - pos);
		if (ret)
			return error_set_errno(
				err, -ret,
				"cannot keep a recording that is not a stream in '%s' "
				"(name it with -i)",
				dir);
		pos = sp->start + sp->len;
		in->pos = pos;
		spans_drop_before(&in->spans, pos);
		if (!more)
			break;
	}
	spans_deinit(&in->spans);
	in->pos = 0;
	close(in->fd);
	in->fd = fd;
	fd = -1;
	return 0;
}
