/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_caches: what is known of the caches that events name by an address.
 *
 * Each address is looked up once, by the function given; a failure is remembered, too.  What is
 * returned stays where it is until bpf_caches_deinit().
 */
#ifndef BPF_CACHES_H
#define BPF_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"

struct bpf_cache {
	const char *name;
	uint32_t object_size, size; /* bytes asked for, and taken, by each object; 0: not known */
	bool accounted;		    /* all its objects are charged to the memory cgroup */
};

#define BPF_CACHE_NAME_MAX 64 /* with the NUL */

/* False: nothing can be read there. The name is copied; what is not printable is no name. */
typedef bool (*bpf_cache_read_fn)(void *ctx, uint64_t address, struct bpf_cache *ret_cache);

struct bpf_caches {
	struct table known;
};

void bpf_caches_init(struct bpf_caches *c);
void bpf_caches_deinit(struct bpf_caches *c);

/* NULL: not known, or no memory. */
const struct bpf_cache *bpf_caches_find(struct bpf_caches *c, uint64_t address,
					bpf_cache_read_fn read, void *ctx);

#endif
