/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_caches: the caches that events refer to by address.
 *
 * Each address is looked up once, by a given function; failures are remembered, too. Results stay
 * valid until bpf_caches_deinit().
 */
#ifndef BPF_CACHES_H
#define BPF_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"

struct bpf_cache {
	const char *name;
	uint32_t object_size,
		size;	/* bytes requested and allocated for each object; 0 if unknown */
	bool accounted; /* all its objects are charged to the memory cgroup */
};

#define BPF_CACHE_NAME_MAX 64 /* with the NUL */

/* Returns false if the address cannot be read. The name is copied; an unprintable name is none. */
typedef bool (*bpf_cache_read_fn)(void *ctx, uint64_t address, struct bpf_cache *ret_cache);

struct bpf_caches {
	struct table known;
};

void bpf_caches_init(struct bpf_caches *c);
void bpf_caches_deinit(struct bpf_caches *c);

/* NULL if unknown, or out of memory. */
const struct bpf_cache *bpf_caches_find(struct bpf_caches *c, uint64_t address,
					bpf_cache_read_fn read, void *ctx);

#endif
