/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock that samples are stamped with, read from user space.
 *
 * It is the kernel's local clock (perf_clock() in kernel/events/core.c), which no clock_gettime()
 * gives.  So an event of our own that counts nothing is asked to tell of a new name of this
 * thread, the thread is given the name that it has, and the COMM record bears the time.
 */
#ifndef RECORD_SAMPLE_CLOCK_H
#define RECORD_SAMPLE_CLOCK_H

#include <stdint.h>

/* Returns 0 or -errno. */
int sample_clock_read(uint64_t *ret_ns);

#endif
