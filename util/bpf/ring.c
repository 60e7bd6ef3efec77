// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/ring.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/host/cpulist.h"

/* A program's clock may be behind ours by this much. */
#define CLOCK_SLACK_NS 10000

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = (uint64_t)sysconf(_SC_PAGESIZE);

	while (p < n && p << 1)
		p <<= 1;
	return p;
}

int bpf_rings_init(struct bpf_rings *r, const struct cpulist *cpus, uint64_t bytes,
		   uint32_t longest, struct error *err)
{
	*r = (struct bpf_rings){.bytes = power_of_two(bytes), .nr = (unsigned int)cpus->nr};
	r->chunk_shift =
		(uint32_t)__builtin_ctzll(r->bytes < BPF_CHUNK_BYTES ? r->bytes : BPF_CHUNK_BYTES);
	/* an event may begin at the last 8 bytes */
	r->stride = (1ULL << r->chunk_shift) + longest;
	if (r->nr > UINT32_MAX / (r->bytes >> r->chunk_shift))
		return error_set(err, EINVAL, "%u buffers of %llu MiB are too large (-m)", r->nr,
				 (unsigned long long)r->bytes >> 20);
	r->cpus = calloc(r->nr, sizeof(*r->cpus));
	r->complete_ns = calloc(r->nr, sizeof(*r->complete_ns));
	if (!r->cpus || !r->complete_ns)
		return error_nomem(err);
	memcpy(r->cpus, cpus->cpus, r->nr * sizeof(*r->cpus));
	return 0;
}

int bpf_rings_size(const struct bpf_rings *r, struct bpf_map *heads, struct bpf_map *chunks)
{
	int last_cpu = 0, ret;

	for (unsigned int i = 0; i < r->nr; i++)
		last_cpu = r->cpus[i] > last_cpu ? r->cpus[i] : last_cpu;
	ret = bpf_map__set_max_entries(heads, (uint32_t)last_cpu + 1);
	if (!ret)
		ret = bpf_map__set_value_size(chunks, (uint32_t)r->stride);
	if (!ret)
		ret = bpf_map__set_max_entries(chunks,
					       r->nr * (uint32_t)(r->bytes >> r->chunk_shift));
	return ret;
}

/* Map a BPF map's whole memory. NULL with errno set. */
static void *map_memory(const struct bpf_map *map, size_t *ret_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = ((size_t)bpf_map__value_size(map) + 7) / 8 * 8 * bpf_map__max_entries(map);
	void *memory;

	bytes = (bytes + page - 1) / page * page;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (memory == MAP_FAILED)
		return NULL;
	*ret_bytes = bytes;
	return memory;
}

int bpf_rings_map(struct bpf_rings *r, const struct bpf_map *heads, const struct bpf_map *chunks,
		  struct error *err)
{
	r->heads = map_memory(heads, &r->heads_bytes);
	if (r->heads)
		r->chunks = map_memory(chunks, &r->chunks_bytes);
	if (!r->chunks)
		return error_set_errno(err, errno, "cannot map %u buffers of %llu KiB", r->nr,
				       (unsigned long long)r->bytes >> 10);
	for (unsigned int i = 0; i < r->nr; i++) {
		struct bpf_ring_head *head = bpf_ring_head(r, i);

		head->first_chunk = i * (r->bytes >> r->chunk_shift);
		head->bytes = r->bytes;
	}
	return 0;
}

void bpf_rings_deinit(struct bpf_rings *r)
{
	if (r->heads)
		munmap(r->heads, r->heads_bytes);
	if (r->chunks)
		munmap(r->chunks, r->chunks_bytes);
	free(r->cpus);
	free(r->complete_ns);
	*r = (struct bpf_rings){0};
}

/*
 * The last program may have been interrupted between reading `reserved` and storing `committed`.
 * Then the interrupt's events are complete nevertheless: nothing is being written. They may have
 * been read before the next program starts, so the position may be behind the consumed one.
 */
uint64_t bpf_ring_end(const struct bpf_rings *r, unsigned int i)
{
	const struct bpf_ring_head *head = bpf_ring_head(r, i);
	uint64_t reserved = __atomic_load_n(&head->reserved, __ATOMIC_ACQUIRE), committed;

	if (!__atomic_load_n(&head->depth, __ATOMIC_ACQUIRE))
		return reserved;
	committed = __atomic_load_n(&head->committed, __ATOMIC_ACQUIRE);
	return committed < head->consumed ? head->consumed : committed;
}

uint64_t bpf_ring_look(struct bpf_rings *r, unsigned int i)
{
	/* in this order: an event reserved later has a later time */
	uint64_t now = now_ns() - CLOCK_SLACK_NS;
	uint64_t reserved = __atomic_load_n(&bpf_ring_head(r, i)->reserved, __ATOMIC_ACQUIRE);
	uint64_t end = bpf_ring_end(r, i);

	if (end >= reserved)
		r->complete_ns[i] = now;
	return end;
}

#endif
