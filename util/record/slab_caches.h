/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel's slab caches, as lines of HEADER_RECORDING_INFO (perfdata/format.h).
 *
 * A kmalloc event does not name its cache, so the recording says which families of kmalloc caches
 * exist. Caches that the kernel merged have a single name in the events; the others are links to
 * the same directory in /sys/kernel/slab (Documentation/ABI/testing/sysfs-kernel-slab, mm/slub.c:
 * sysfs_slab_add()). Without that directory (CONFIG_SLAB, before 6.8) /proc/slabinfo has the names,
 * for root.
 */
#ifndef RECORD_SLAB_CACHES_H
#define RECORD_SLAB_CACHES_H

#include "util/base/strbuf.h"

/* Append the lines that are known. dir: /sys/kernel/slab. Returns 0 or -ENOMEM. */
int slab_caches_add(struct strbuf *sb, const char *dir, const char *slabinfo);

#endif
