// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/read_progress.h"

#include <errno.h>

/* Number of records between two calls of the caller's function. */
#define PROGRESS_RECORDS (1u << 16)

static uint64_t bytes_done(const struct read_progress *p, uint64_t bytes_read)
{
	uint64_t waiting = p->order->nr + p->in_hand;

	if (!waiting)
		return bytes_read;
	return (uint64_t)((double)bytes_read * (double)p->handed / (double)(p->handed + waiting));
}

static int report_progress(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	const struct read_progress *p = ctx;

	return p->fn(p->ctx, bytes_done(p, bytes), bytes_total, nr_samples);
}

void read_progress_init(struct read_progress *p, const struct order *order,
			struct source_options *options)
{
	*p = (struct read_progress){
		.fn = options->progress, .ctx = options->progress_ctx, .order = order};
	if (!p->fn)
		return;
	options->progress = report_progress;
	options->progress_ctx = p;
}

int read_progress_handed(struct read_progress *p, struct reader *r, size_t nr, size_t rest)
{
	p->handed += nr;
	p->in_hand = rest;
	if (p->handed - p->reported < PROGRESS_RECORDS)
		return 0;
	p->reported = p->handed;
	return perfdata_input_tell(&r->input);
}

int read_progress_finish(const struct read_progress *p, const struct reader *r, int ret)
{
	if (!r->input.stopped)
		return ret;
	r->recording->facts.damage.truncated = true;
	r->recording->facts.stop = (struct source_stop){.stopped = true,
							.bytes = bytes_done(p, r->input.pos),
							.bytes_total = r->input.bytes_total};
	return ret == -ECANCELED ? 0 : ret;
}
