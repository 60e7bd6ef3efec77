// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/ring_buffer.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_buffer_init(struct ring_buffer *rb, int fd, uint64_t size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

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
	uint64_t tail = rb->page->data_tail; /* ours: nobody else writes it */
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

void ring_buffer_release(struct ring_buffer *rb)
{
	if (!rb->taken)
		return;
	__atomic_store_n(&rb->page->data_tail, rb->page->data_tail + rb->taken, __ATOMIC_RELEASE);
	rb->taken = 0;
}
