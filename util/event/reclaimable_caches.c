// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/reclaimable_caches.h"

#include <errno.h>
#include <string.h>

#include "util/base/label.h"

int reclaimable_caches_init(struct reclaimable_caches *r, struct intern *strings, const char *names)
{
	*r = (struct reclaimable_caches){.known = names != NULL};
	table_init(&r->names, sizeof(uint64_t), sizeof(uint64_t));
	for (const char *p = names; p && *p;) {
		size_t len = strcspn(p, "/");
		uint64_t name = label_intern(strings, p, len, false);

		if (name == INTERN_NONE || !table_insert(&r->names, &name))
			return -ENOMEM;
		p += len + (p[len] == '/');
	}
	return 0;
}

void reclaimable_caches_deinit(struct reclaimable_caches *r)
{
	if (r->names.row_size)
		table_deinit(&r->names);
	*r = (struct reclaimable_caches){0};
}

/*
 * For recordings of stock perf and old ones of ours, which only have names: caches with a shrinker
 * in fs/dcache.c, fs/inode.c (by file system), fs/buffer.c, mm/workingset.c. Without this list a
 * growing dentry cache would be called a leak there.
 */
static bool is_known_name(const char *cache)
{
	static const char *const names[] = {"dentry",	  "buffer_head",       "radix_tree_node",
					    "xfs_inode",  "btrfs_inode",       "ovl_inode",
					    "fuse_inode", "ext4_extent_status"};
	static const char *const inodes[] = {"ext2",  "ext3",	  "ext4", "nfs",   "proc", "fat",
					     "isofs", "squashfs", "f2fs", "erofs", "cifs", "udf"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(cache, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(inodes) / sizeof(inodes[0]); i++)
		if (!strncmp(cache, inodes[i], strlen(inodes[i])) &&
		    !strcmp(cache + strlen(inodes[i]), "_inode_cache"))
			return true;
	return false;
}

bool reclaimable_caches_has(const struct reclaimable_caches *r, const struct intern *strings,
			    uint64_t cache)
{
	static const char family[] = "kmalloc-rcl-"; /* of allocations with __GFP_RECLAIMABLE */
	const char *name = intern_get(strings, (uint32_t)cache, NULL);

	if (!strncmp(name, family, strlen(family)))
		return true;
	return r->known ? table_find(&r->names, &cache) != NULL : is_known_name(name);
}
