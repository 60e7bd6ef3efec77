/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of the kernel's own lines of /proc/kallsyms, kept for later runs.
 *
 * The kernel takes 50 to 100 ms to print its 100,000 to 200,000 symbols. Its own do not change
 * until the next boot; those of modules and BPF programs do, and are not in the copy.
 *
 * The copy is $XDG_CACHE_HOME/perf-kmem/kallsyms (or ~/.cache/perf-kmem/kallsyms), with mode 0600:
 * the kernel hides its addresses from most users. It is used only if nobody else can write to it,
 * it is of this boot, and the kernel still shows the same first lines. Without such a folder (no
 * HOME, another user's, XDG_CACHE_HOME=/dev/null) there is no copy.
 */
#ifndef HOST_KALLSYMS_COPY_H
#define HOST_KALLSYMS_COPY_H

#include <stdbool.h>

#include "util/base/strbuf.h"

/* Read the copy into an empty text. Returns false, and leaves it empty, if there is none that can
 * be used. kallsyms: KALLSYMS_PATH; boot_id: BOOT_ID_PATH (util/host/machine_id.h). */
bool kallsyms_copy_read(struct strbuf *text, const char *kallsyms, const char *boot_id);

/* Keep a copy of the kernel's own lines of this text, all of /proc/kallsyms. Does nothing if their
 * addresses are hidden. */
void kallsyms_copy_keep(const struct strbuf *text, const char *boot_id);

#endif
