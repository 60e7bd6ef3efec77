// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/capture_backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"

int record_via_parse(const char *name, enum record_via *ret_via)
{
	if (!strcmp(name, bpf_backend.name))
		*ret_via = VIA_BPF;
	else if (!strcmp(name, perf_backend.name))
		*ret_via = VIA_PERF;
	else
		return -EINVAL;
	return 0;
}

/*
 * Excludes the recorder from its own recording, but not interrupts that happen while the recorder
 * runs: the kernel frees for all tasks in softirqs (RCU, block I/O), and without those frees their
 * objects would look like leaks.
 */
void capture_backend_hide_self(struct capture_backend *k)
{
	enum { IN_HARDIRQ = 0x08, IN_SOFTIRQ = 0x10 };

	if (!k->target->nr_tids && !k->options->with_self)
		snprintf(k->filter, sizeof(k->filter), "common_pid != %d || common_flags & %d",
			 (int)getpid(), IN_HARDIRQ | IN_SOFTIRQ);
}

int capture_backend_open(struct capture_backend *k, const struct recorder_options *options,
			 const struct record_target *target, const struct tracefs *t,
			 struct error *err)
{
	const struct capture_backend fresh = {.options = options, .target = target};

	*k = fresh;
	if (options->via != VIA_PERF) {
		struct error why = ERROR_INIT;

		k->ops = &bpf_backend;
		if (!k->ops->open(k, t, &why)) {
			log_info("recording through BPF");
			return 0;
		}
		if (options->via == VIA_BPF) {
			*err = why;
			return error_prefix(err, "--via bpf");
		}
		if (k->refused)
			log_warn("recording through perf_event_open, which costs several times as "
				 "much: %s",
				 why.msg);
		else
			log_info("recording through perf_event_open: %s", why.msg);
		capture_backend_deinit(k);
		*k = fresh;
	}
	k->ops = &perf_backend;
	return k->ops->open(k, t, err);
}

void capture_backend_deinit(struct capture_backend *k)
{
	if (k->ops)
		k->ops->deinit(k);
	evlist_deinit(&k->evlist);
	cpulist_deinit(&k->gone);
	free(k->fds);
	*k = (struct capture_backend){0};
}
