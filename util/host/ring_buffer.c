// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/ring_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cleanup.h"

int ring_buffer_init(struct ring_buffer *rb, int fd, uint64_t size, bool overwrite)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	/* A mapping that cannot move the tail makes the kernel overwrite. */
	int prot = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *map = mmap(NULL, page_size + size, prot, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*rb = (struct ring_buffer){
		.page = map,
		.data = (uint8_t *)map + page_size,
		.size = size,
	};
	return 0;
}

void ring_buffer_deinit(struct ring_buffer *rb)
{
	if (rb->page)
		munmap(rb->page, (size_t)(rb->data - (uint8_t *)rb->page) + rb->size);
	*rb = (struct ring_buffer){0};
}

uint64_t ring_buffer_take(struct ring_buffer *rb, struct iovec pieces[2], int *ret_nr)
{
	uint64_t head = __atomic_load_n(&rb->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = rb->page->data_tail; /* only we write the tail */
	uint64_t start = tail & (rb->size - 1), len = head - tail;

	rb->taken = len;
	*ret_nr = 0;
	if (!len)
		return 0;
	pieces[0] = (struct iovec){rb->data + start, len};
	*ret_nr = 1;
	if (start + len > rb->size) {
		pieces[0].iov_len = rb->size - start;
		pieces[1] = (struct iovec){rb->data, len - pieces[0].iov_len};
		*ret_nr = 2;
	}
	return len;
}

void ring_buffer_release(struct ring_buffer *rb, uint64_t bytes)
{
	if (!bytes)
		return;
	__atomic_store_n(&rb->page->data_tail, rb->page->data_tail + bytes, __ATOMIC_RELEASE);
	rb->taken -= bytes;
}

int ring_buffer_for_each(struct ring_buffer *rb, ring_record_fn fn, void *ctx)
{
	_cleanup_free_ uint8_t *copy = NULL;
	struct iovec pieces[2];
	uint64_t len, at = 0;
	int nr, ret = 0;

	len = ring_buffer_take(rb, pieces, &nr);
	if (!len)
		return 0;
	copy = malloc(len);
	if (!copy) {
		ring_buffer_release(rb, len);
		return -ENOMEM;
	}
	memcpy(copy, pieces[0].iov_base, pieces[0].iov_len);
	if (nr > 1)
		memcpy(copy + pieces[0].iov_len, pieces[1].iov_base, pieces[1].iov_len);
	while (!ret && len - at >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)(copy + at);

		if (h->size < sizeof(*h) || h->size > len - at)
			break;
		ret = fn(ctx, h);
		at += h->size;
	}
	ring_buffer_release(rb, len);
	return ret;
}

uint64_t ring_buffer_unread(const struct ring_buffer *rb)
{
	return __atomic_load_n(&rb->page->data_head, __ATOMIC_ACQUIRE) - rb->page->data_tail;
}

/* Copy len bytes from this place of the ring, which may wrap. */
static void copy_out(const struct ring_buffer *rb, uint64_t at, uint8_t *dst, size_t len)
{
	uint64_t start = at & (rb->size - 1);
	size_t first = len;

	if (start + len > rb->size)
		first = rb->size - start;
	memcpy(dst, rb->data + start, first);
	memcpy(dst + first, rb->data, len - first);
}

uint64_t ring_buffer_copy_newest(const struct ring_buffer *rb, uint8_t *dst)
{
	uint64_t head = __atomic_load_n(&rb->page->data_head, __ATOMIC_ACQUIRE), at = 0;

	while (rb->size - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		copy_out(rb, head + at, (uint8_t *)&h, sizeof(h));
		/* 0: never written; larger than the rest: its end has been overwritten */
		if (h.size < sizeof(h) || h.size > rb->size - at)
			break;
		copy_out(rb, head + at, dst + rb->size - at - h.size, h.size);
		at += h.size;
	}
	return at;
}

bool ring_buffer_overwritten(const struct ring_buffer *rb)
{
	/* the head starts at 0 and falls */
	return -__atomic_load_n(&rb->page->data_head, __ATOMIC_ACQUIRE) > rb->size;
}
