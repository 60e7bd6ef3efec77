// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/live_base.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/watch/convert.h"
#include "util/source/host_facts.h"

/* Between two readings of the slab counts: at least 3 s, and 1000 times as long as one took. */
#define SLABS_MIN_NS 3000000000ull
#define SLABS_REST   1000

void live_base_init(struct live_base *b, const struct event_source_ops *ops,
		    const struct live_options *options)
{
	*b = (struct live_base){.source = {ops, &b->facts}, .options = *options};
	source_facts_init(&b->facts);
	b->facts.frees_of_others = options->capture.kernel_frees;
}

void live_base_deinit(struct live_base *b)
{
	module_watch_close(&b->modules);
	source_facts_deinit(&b->facts);
}

/* Prepare for the slab counts, unless no events of slab objects are captured. */
static void prepare_slab_counts(struct live_base *b)
{
	const struct bpf_capture_options *o = &b->options.capture;
	bool any = false;

	for (unsigned int kind = 0; kind < BPF_KINDS; kind++)
		any |= b->events[kind] && kmem_kind_is_slab(live_kind(kind));
	b->slabs_due_ns = any ? 0 : UINT64_MAX;
	b->facts.slab_counts.whole =
		!(o->cpus && o->cpus->nr) && !o->nr_pids && !o->nr_tids && o->cgroup_fd < 0;
}

int live_base_add_facts(struct live_base *b, bool (*wanted)(enum kmem_kind kind))
{
	bpf_kinds_t kinds = bpf_capture_kinds(b->options.capture.kinds);

	b->facts.path = strdup("this machine");
	b->facts.is_live = b->facts.knows_lost_events = true;
	if (!b->facts.path || source_facts_fill_from_host(&b->facts))
		return -ENOMEM;
	for (unsigned int kind = 0; kind < BPF_KINDS; kind++) {
		if (!(kinds >> kind & 1) || !wanted(live_kind(kind)))
			continue;
		b->events[kind] = live_add_event(&b->facts, kind);
		if (!b->events[kind])
			return -ENOMEM;
	}
	prepare_slab_counts(b);
	return 0;
}

void live_base_begin(struct live_base *b, const struct event_sink *sink, void *ctx,
		     struct error *err)
{
	b->sink = sink;
	b->ctx = ctx;
	b->err = err;
}

void live_base_set_lost(struct live_base *b, const struct bpf_counts counts[BPF_KINDS])
{
	b->facts.nr_lost = 0;
	for (unsigned int kind = 0; kind < BPF_KINDS; kind++) {
		if (!b->events[kind])
			continue;
		b->events[kind]->nr_lost = counts[kind].lost_full + counts[kind].lost_missed;
		b->facts.nr_lost += b->events[kind]->nr_lost;
	}
}

int live_base_count_slabs(struct live_base *b)
{
	uint64_t begun_ns = now_ns(), took_ns;

	if (b->slabs_due_ns == UINT64_MAX)
		return 0;
	if (slab_counts_read(&b->facts.slab_counts, SLAB_CACHES_INFO, SLAB_CACHES_DIR, begun_ns))
		return -ENOMEM;
	took_ns = now_ns() - begun_ns;
	b->slabs_due_ns = begun_ns + SLABS_MIN_NS + SLABS_REST * took_ns;
	return 0;
}

int live_base_count_slabs_if_due(struct live_base *b, uint64_t now)
{
	return now >= b->slabs_due_ns ? live_base_count_slabs(b) : 0;
}

int live_base_reached(struct live_base *b, uint64_t ns)
{
	if (ns < b->facts.stated_start_ns)
		ns = b->facts.stated_start_ns;
	b->facts.stated_stop_ns = ns;
	return b->sink->tick ? b->sink->tick(b->ctx, ns, b->err) : 0;
}

/* The event of an offline CPU would wake us up forever. */
static bool any_readable(struct pollfd *fds, nfds_t nr)
{
	bool any = false;

	for (nfds_t i = 0; i < nr; i++) {
		any |= (fds[i].revents & POLLIN) != 0;
		if (fds[i].revents & (POLLHUP | POLLERR))
			fds[i].fd = -1;
	}
	return any;
}

int live_base_follow(struct live_base *b, const struct live_rounds *rounds)
{
	const struct live_options *o = &b->options;
	const nfds_t nr_modules = b->modules.nr_cpus;
	_cleanup_free_ struct pollfd *fds = calloc(nr_modules + 1, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	module_watch_fds(&b->modules, fds);
	fds[nr_modules] = (struct pollfd){.fd = o->wake_fd, .events = POLLIN};
	for (;;) {
		int ret;

		if (poll(fds, nr_modules + 1, rounds->wait_ms(b, now_ns())) < 0 && errno != EINTR)
			return error_set_errno(b->err, errno, "cannot wait for events");
		/* without delay, because a module may soon be gone */
		if (any_readable(fds, nr_modules) &&
		    module_watch_drain(&b->modules, &b->facts.modules))
			return -ENOMEM;
		ret = rounds->round(b, now_ns());
		if (!ret && o->look)
			ret = o->look(o->ctx, now_ns(), b->err);
		if (ret)
			return ret < 0 ? ret : 0;
	}
}
