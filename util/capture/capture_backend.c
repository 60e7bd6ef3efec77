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
	if (!strcmp(name, bpf_end.name))
		*ret_via = VIA_BPF;
	else if (!strcmp(name, perf_end.name))
		*ret_via = VIA_PERF;
	else
		return -EINVAL;
	return 0;
}

/*
 * Hides the recorder from its own recording, but not what an interrupt does while the recorder
 * happens to run: the kernel frees for all tasks in softirqs (RCU, block I/O), and without those
 * frees their objects would look like leaks.
 */
void kernel_end_hide_self(struct kernel_end *k)
{
	enum { IN_HARDIRQ = 0x08, IN_SOFTIRQ = 0x10 };

	if (!k->target->nr_tids && !k->options->with_self)
		snprintf(k->filter, sizeof(k->filter), "common_pid != %d || common_flags & %d",
			 (int)getpid(), IN_HARDIRQ | IN_SOFTIRQ);
}

int kernel_end_open(struct kernel_end *k, const struct recorder_options *options,
		    const struct record_target *target, const struct tracefs *t, struct error *err)
{
	const struct kernel_end fresh = {.options = options, .target = target};

	*k = fresh;
	if (options->via != VIA_PERF) {
		struct error why = ERROR_INIT;

		k->ops = &bpf_end;
		if (!k->ops->open(k, t, &why)) {
			log_info("recording through BPF");
			return 0;
		}
		if (options->via == VIA_BPF) {
			*err = why;
			return error_prefix(err, "--via bpf");
		}
		log_info("recording through perf_event_open: %s", why.msg);
		kernel_end_deinit(k);
		*k = fresh;
	}
	k->ops = &perf_end;
	return k->ops->open(k, t, err);
}

void kernel_end_deinit(struct kernel_end *k)
{
	if (k->ops)
		k->ops->deinit(k);
	evlist_deinit(&k->evlist);
	cpulist_deinit(&k->gone);
	free(k->fds);
	*k = (struct kernel_end){0};
}
