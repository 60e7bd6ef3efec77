/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the kernel that runs now the one that was recorded? Then its symbols and event formats are
 * the recording's.
 *
 * By build-id where the recording has one and the running kernel shows its own
 * (/sys/kernel/notes), else by release and machine.
 */
#ifndef SOURCE_RUNNING_KERNEL_H
#define SOURCE_RUNNING_KERNEL_H

#include <stdbool.h>

struct source_facts;

bool source_facts_are_of_running_kernel(const struct source_facts *f);

#endif
