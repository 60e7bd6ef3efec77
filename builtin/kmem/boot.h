/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf kmem record --boot and --from-tracefs: tracing by the kernel itself.
 *
 * --boot prints kernel parameters that start tracing at boot; --from-tracefs saves the kernel's
 * trace buffers as a perf.data. Both functions return an exit status.
 */
#ifndef BUILTIN_KMEM_BOOT_H
#define BUILTIN_KMEM_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/record-options.h"

/* record->options: events to trace; events with callchains need stacks; -m: buffer size for each
 * CPU. */
int kmem_boot_print(const char *command, const struct record_cli *record);

/* dir: NULL for the mounted tracefs. */
int kmem_boot_keep(const char *command, const char *dir, const struct record_cli *record);

#endif
