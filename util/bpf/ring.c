// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/ring.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/units.h"

#define GIVE_BACK_BYTES 65536

int bpf_ring_init(struct bpf_ring *r, uint64_t bytes, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *mapped;
	int saved;

	*r = (struct bpf_ring){.fd = -1, .bytes = bytes};
	if (bytes > UINT32_MAX / 2 + 1)
		return error_set(err, EINVAL, "a BPF ring buffer of %llu MiB is too large",
				 (unsigned long long)bytes >> 20);
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "perf_kmem_ring", 0, 0, (uint32_t)bytes, NULL);
	if (r->fd < 0)
		return error_set_errno(err, -r->fd, "cannot create a BPF ring buffer of %llu KiB",
				       (unsigned long long)bytes >> 10);
	mapped = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (mapped == MAP_FAILED)
		goto failed;
	r->consumed = (uint64_t *)(void *)mapped;
	mapped = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, r->fd, (off_t)page);
	if (mapped == MAP_FAILED)
		goto failed;
	r->produced = (const uint64_t *)(const void *)mapped;
	r->data = mapped + page;
	return 0;
failed:
	saved = errno;
	bpf_ring_deinit(r);
	return error_set_errno(err, saved, "cannot map a BPF ring buffer of %llu KiB",
			       (unsigned long long)bytes >> 10);
}

void bpf_ring_deinit(struct bpf_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (r->consumed)
		munmap(r->consumed, page);
	if (r->produced)
		munmap((void *)(uintptr_t)r->produced, page + 2 * r->bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct bpf_ring){.fd = -1};
}

uint64_t bpf_ring_unread(const struct bpf_ring *r)
{
	return __atomic_load_n(r->produced, __ATOMIC_ACQUIRE) - *r->consumed;
}

int bpf_ring_drain(struct bpf_ring *r, bpf_record_fn fn, void *ctx)
{
	uint64_t end = __atomic_load_n(r->produced, __ATOMIC_ACQUIRE);
	uint64_t at = *r->consumed, given_back = at;
	int ret = 0;

	while (at < end && ret >= 0) {
		const uint8_t *record = r->data + (at & (r->bytes - 1));
		uint32_t word =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);
		uint32_t size = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT)
			break;
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			ret = fn(ctx, record + BPF_RINGBUF_HDR_SZ, size);
		if (at - given_back >= GIVE_BACK_BYTES) {
			__atomic_store_n(r->consumed, at, __ATOMIC_RELEASE);
			given_back = at;
		}
	}
	__atomic_store_n(r->consumed, at, __ATOMIC_RELEASE);
	return ret < 0 ? ret : 0;
}

#endif
