/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct priority: the recorder's priority among the tasks of its machine.
 *
 * On a machine with hundreds of runnable tasks the recorder's fair share is too small to empty the
 * buffers in time. It needs only milliseconds per second, so it runs first: in real time or, for
 * work that may take long, at the highest nice level. If that is not allowed its priority does not
 * change, and these functions do nothing. Processes forked before are not affected.
 */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include <stdbool.h>

struct priority {
	bool raised;
	bool realtime; /* current value */
	int nice;      /* the original value */
};

void priority_raise(struct priority *p);
/* For work that takes long on several threads: only the nice level, also for threads that this one
 * starts later. */
void priority_raise_threads(struct priority *p);
void priority_realtime(struct priority *p, bool on);
void priority_lower(struct priority *p);

#endif
