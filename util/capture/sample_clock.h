/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock that samples are stamped with, read from user space.
 *
 * It is the kernel's local clock (perf_clock() in kernel/events/core.c), which clock_gettime() does
 * not offer.  So an event of our own, which counts nothing, is set up to report renames of this
 * thread; the thread is then renamed to its present name, and the COMM record has the time.
 */
#ifndef CAPTURE_SAMPLE_CLOCK_H
#define CAPTURE_SAMPLE_CLOCK_H

#include <stdint.h>

/* Returns 0 or -errno. */
int sample_clock_read(uint64_t *ret_ns);

#endif
