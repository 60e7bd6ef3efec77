// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/kernel_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

int kernel_end_open(struct kernel_end *k, const struct kernel_end_ops *ops,
		    const struct recorder_options *options, const struct record_target *target,
		    const struct tracefs *t, struct error *err)
{
	*k = (struct kernel_end){.ops = ops, .options = options, .target = target};
	return ops->open(k, t, err);
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
