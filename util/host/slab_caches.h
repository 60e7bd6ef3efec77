/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct slab_caches: properties of the running kernel's slab caches that events lack.
 *
 * A kmalloc event does not name its cache, so the existing families of kmalloc caches must be
 * known. Merged caches have a single name in the events; their other names are links to the same
 * directory in /sys/kernel/slab (Documentation/ABI/testing/sysfs-kernel-slab, mm/slub.c:
 * sysfs_slab_add()). Without that directory (CONFIG_SLAB, before 6.8) /proc/slabinfo has the names,
 * for root.
 */
#ifndef HOST_SLAB_CACHES_H
#define HOST_SLAB_CACHES_H

#include <stdbool.h>

#include "util/base/strbuf.h"

#define SLAB_CACHES_DIR	 "/sys/kernel/slab"
#define SLAB_CACHES_INFO "/proc/slabinfo"

struct slab_caches {
	bool known;
	struct strbuf families;	   /* "kmalloc kmalloc-cg"; empty: none */
	struct strbuf aliases;	   /* one line for each group of merged caches, '/' between names */
	bool reclaimable_known;	   /* false: not root, or no directory */
	struct strbuf reclaimable; /* shrinkable caches (reclaim_account), '/' between names */
};

/* dir, slabinfo: SLAB_CACHES_DIR, SLAB_CACHES_INFO, or those of a test. Errors: -ENOMEM. */
int slab_caches_init(struct slab_caches *c, const char *dir, const char *slabinfo);
void slab_caches_deinit(struct slab_caches *c);

#endif
