// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/recorder_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/record/sample_clock.h"

/* Does the recording make several files, each with a name of its own? */
static bool switches_files(const struct recorder_options *o)
{
	return !o->overwrite &&
	       (o->switch_bytes || o->switch_ns || o->triggers & TRIGGER_SIGNAL || o->trigger_file);
}

static int name_file(struct recorder *r, struct error *err)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	free(r->output_path);
	r->output_path = files_name(r->options->output, &now);
	return r->output_path ? 0 : error_nomem(err);
}

int recorder_open_file(struct recorder *r, struct error *err)
{
	const struct recorder_options *o = r->options;
	struct stat st;
	int ret = 0;

	if ((o->overwrite || switches_files(o)) && !stat(o->output, &st) && !S_ISREG(st.st_mode))
		return error_set(err, EINVAL,
				 "several files or snapshots need a name for files, not '%s'",
				 o->output);
	if (switches_files(o))
		ret = name_file(r, err);
	if (!ret)
		ret = output_open(&r->output, &r->config,
				  r->output_path ? r->output_path : o->output, err);
	if (o->overwrite)
		output_deinit(&r->output);
	return ret;
}

static bool whole_system(const struct recorder *r)
{
	return !r->nr_tids || r->options->nr_pids;
}

int recorder_begin_file(struct recorder *r, struct error *err)
{
	if (r->options->overwrite)
		return 0;
	r->nr_files++;
	output_begin(&r->output);
	/* After enabling: a task that begins now is told by the kernel, no task is missed. */
	if (whole_system(r) &&
	    output_add_tasks(&r->output, r->options->pids, r->options->nr_pids, &r->write_error) &&
	    r->write_error.code == ENOMEM)
		return error_nomem(err);
	return 0;
}

bool recorder_wants_file(struct recorder *r, uint64_t now_ns)
{
	const struct recorder_options *o = r->options;
	bool wants = r->triggered && o->triggers & TRIGGER_SIGNAL;

	r->triggered = false;
	/* A file that cannot be removed would be a trigger for ever. */
	if (o->trigger_file && !access(o->trigger_file, F_OK))
		wants |= !unlink(o->trigger_file);
	if (o->switch_ns && now_ns - r->switched_ns >= o->switch_ns)
		wants = true;
	if (o->switch_bytes && !o->overwrite && output_bytes(&r->output) >= o->switch_bytes)
		wants = true;
	return wants && r->enabled;
}

/* Add up a file that is done. */
static int account(struct recorder *r, bool tell)
{
	const char *path = r->output_path ? r->output_path : r->options->output;
	struct recorder_news news = {
		.path = path,
		.bytes = output_bytes(&r->output),
		.events = r->output.scan.nr_samples,
	};

	for (size_t i = 0; i < r->evlist.nr; i++) {
		r->samples[i] += r->output.scan.samples[i];
		news.lost += r->evlist.evsels[i].lost;
	}
	r->nr_samples += news.events;
	r->symbols_hidden |= r->output.symbols_hidden;
	if (files_add(&r->files, path, news.bytes))
		return -ENOMEM;
	if (tell && r->options->tell)
		r->options->tell(r->options->tell_ctx, &news);
	return 0;
}

/*
 * End the file.  The last one takes all that the kernel counted; before, events between buffer
 * and file make that count run ahead, so a file counts its samples and what was lost meanwhile.
 */
static int finish_file(struct recorder *r, bool last, struct error *err)
{
	_cleanup_free_ struct event_counts *counts = calloc(r->evlist.nr, sizeof(*counts));
	int ret;

	if (!counts)
		return error_nomem(err);
	ret = evlist_read_counts(&r->evlist, err);
	if (ret)
		return ret;
	/* What an overwritten buffer no longer has was not lost, but let go. */
	if (r->options->overwrite)
		evlist_told(&r->evlist);
	for (size_t i = 0; i < r->evlist.nr; i++) {
		struct evsel *e = &r->evlist.evsels[i];

		counts[i].lost = e->lost - e->lost_told;
		counts[i].count = last && !r->options->overwrite
					  ? e->count - e->count_told
					  : r->output.scan.samples[i] + counts[i].lost;
		if (r->write_error.code &&
		    counts[i].count > r->output.scan.samples[i] + counts[i].lost)
			counts[i].unwritten =
				counts[i].count - r->output.scan.samples[i] - counts[i].lost;
		e->count_told += counts[i].count;
	}
	ret = output_finish(&r->output, counts, &r->span, r->write_error.code, err);
	if (!ret && !r->place_error.code)
		output_check(&r->output, &r->place_error);
	evlist_told(&r->evlist);
	return ret;
}

static int switch_file(struct recorder *r, struct error *err)
{
	int ret;

	sample_clock_read(&r->span.stop_ns);
	ret = finish_file(r, false, err);
	/* what the buffers hold at this moment is the next file's */
	r->span.start_ns = r->span.stop_ns;
	if (!ret && account(r, true))
		ret = error_nomem(err);
	if (ret)
		return ret;
	output_deinit(&r->output);
	ret = name_file(r, err);
	if (!ret)
		ret = output_open(&r->output, &r->config, r->output_path, err);
	if (!ret)
		ret = output_publish(&r->output, err);
	return ret ? ret : recorder_begin_file(r, err);
}

/* Write what the paused buffers hold. */
static int write_rings(struct recorder *r, struct error *err)
{
	uint64_t size = r->rings.bytes;
	uint8_t *copy =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = 0;

	if (copy == MAP_FAILED)
		return error_nomem(err);
	for (size_t i = 0; i < r->rings.nr && !ret; i++) {
		uint64_t len = ring_buffer_copy_newest(&r->rings.v[i].rb, copy);
		struct iovec piece = {copy + size - len, len};

		if (ring_buffer_overwritten(&r->rings.v[i].rb))
			r->span.start_ns = 0; /* it begins with the oldest event that is left */
		for (uint64_t at = 0; at < len && !ret;)
			ret = output_add(&r->output, &piece, 1, &at, err);
	}
	munmap(copy, size);
	return ret;
}

static int snapshot(struct recorder *r, bool last, struct error *err)
{
	int ret = last ? 0 : name_file(r, err);

	if (last) {
		free(r->output_path);
		r->output_path = NULL;
	}
	if (!ret)
		ret = output_open(&r->output, &r->config,
				  r->output_path ? r->output_path : r->options->output, err);
	if (!ret)
		ret = output_publish(&r->output, err);
	if (!ret && whole_system(r))
		ret = output_add_tasks(&r->output, r->options->pids, r->options->nr_pids, err);
	if (!ret) {
		rings_pause(&r->rings, true);
		if (!last)
			sample_clock_read(&r->span.stop_ns);
		ret = write_rings(r, err);
		if (!last)
			rings_pause(&r->rings, false);
	}
	if (ret) {
		/* A full disk: what is there becomes a whole file. */
		r->write_error = *err;
		if (!r->output.config)
			return ret;
	}
	r->nr_files++;
	ret = finish_file(r, last, err);
	if (!ret && account(r, !last))
		ret = error_nomem(err);
	output_deinit(&r->output);
	return ret;
}

int recorder_next_file(struct recorder *r, uint64_t now_ns, struct error *err)
{
	r->switched_ns = now_ns;
	return r->options->overwrite ? snapshot(r, false, err) : switch_file(r, err);
}

int recorder_end_files(struct recorder *r, struct error *err)
{
	int ret = 0;

	if (!r->options->overwrite) {
		ret = finish_file(r, true, err);
		if (!ret && account(r, false))
			ret = error_nomem(err);
	} else if (r->options->triggers & TRIGGER_EXIT && !r->write_error.code) {
		ret = snapshot(r, true, err);
	}
	r->bytes = r->files.bytes;
	return ret;
}
