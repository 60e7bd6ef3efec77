/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct priority: how the recorder stands among the tasks of its machine.
 *
 * On a machine with hundreds of runnable tasks the recorder's fair share is too small to
 * empty the buffers in time.  It runs for milliseconds per second, so let it go first: in real
 * time, or, for what may take long, as the first among equals.  Where that is not allowed it
 * stays as it is, and these functions do nothing.  What was forked before is not touched.
 */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include <stdbool.h>

struct priority {
	bool raised;
	bool realtime; /* now */
	int nice;      /* what it was before */
};

void priority_raise(struct priority *p);
void priority_realtime(struct priority *p, bool on);
void priority_lower(struct priority *p);

#endif
