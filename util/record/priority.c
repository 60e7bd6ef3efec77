// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/priority.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "util/base/log.h"

#define NICE_FIRST (-20)

void priority_realtime(struct priority *p, bool on)
{
	struct sched_param param = {.sched_priority = on};

	if (!p->raised || p->realtime == on)
		return;
	sched_setscheduler(0, (on ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK, &param);
	p->realtime = on;
}

void priority_raise(struct priority *p)
{
	struct sched_param param = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)) {
		log_info("no permission to raise the recorder's priority: %s", strerror(errno));
		return;
	}
	*p = (struct priority){true, true, getpriority(PRIO_PROCESS, 0)};
	setpriority(PRIO_PROCESS, 0, NICE_FIRST);
}

void priority_raise_threads(struct priority *p)
{
	int nice = getpriority(PRIO_PROCESS, 0);

	if (setpriority(PRIO_PROCESS, 0, NICE_FIRST))
		log_info("no permission to raise the priority: %s", strerror(errno));
	else
		*p = (struct priority){.raised = true, .nice = nice};
}

void priority_lower(struct priority *p)
{
	priority_realtime(p, false);
	if (p->raised)
		setpriority(PRIO_PROCESS, 0, p->nice);
	p->raised = false;
}
