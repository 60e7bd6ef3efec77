/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf kmem record --boot and --from-tracefs: what the kernel traces by itself.
 *
 * --boot prints the parameters with which the kernel traces from its start; --from-tracefs keeps
 * what is in its buffers as a perf.data.  Both return an exit status.
 */
#ifndef BUILTIN_KMEM_BOOT_H
#define BUILTIN_KMEM_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/record-options.h"

/* record->options.events: what to trace; events with callchains need stacks; -m: buffer a CPU. */
int kmem_boot_print(const char *command, const struct record_cli *record);

/* dir: NULL: where tracefs is mounted. */
int kmem_boot_keep(const char *command, const char *dir, const struct record_cli *record);

#endif
