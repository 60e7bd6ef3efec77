/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of sample times, read from user space.
 *
 * It is the kernel's local clock (perf_clock() in kernel/events/core.c), which clock_gettime() does
 * not provide. So an event of our own, which counts nothing, reports renames of this thread; the
 * thread is renamed to its present name, and the COMM record has the time.
 */
#ifndef CAPTURE_SAMPLE_CLOCK_H
#define CAPTURE_SAMPLE_CLOCK_H

#include <stdint.h>

/* Returns 0, or -errno. */
int sample_clock_read(uint64_t *ret_ns);

#endif
