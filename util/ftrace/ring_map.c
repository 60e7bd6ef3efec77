// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/ring_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/bytes.h"

/* struct trace_buffer_meta, as far as used; it is missing from the headers of Debian 12. */
struct buffer_meta {
	uint32_t meta_page_size;
	uint32_t meta_struct_len;
	uint32_t subbuf_size;
	uint32_t nr_subbufs; /* including the reader's */
};

/* Attempts to copy a page that is being written to; after these its events are lost. */
#define ATTEMPTS 4

void ring_map_deinit(struct ring_map *m)
{
	strbuf_deinit(&m->bytes);
}

static int read_meta(int fd, struct buffer_meta *ret_meta)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -ENOTSUP;
	memcpy(ret_meta, map, sizeof(*ret_meta));
	munmap(map, size);
	if (!ret_meta->nr_subbufs || ret_meta->subbuf_size < 1024 ||
	    ret_meta->subbuf_size > RING_PAGE_MAX || ret_meta->meta_page_size < size)
		return -ENOTSUP;
	return 0;
}

/* Number of bytes used; the kernel updates it after writing the events. */
static uint64_t commit_of(const uint8_t *page, const struct ring_layout *l)
{
	const volatile uint8_t *v = page + 8;
	uint64_t commit =
		l->long_size == 4 ? *(const volatile uint32_t *)v : *(const volatile uint64_t *)v;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return commit;
}

/* Copy a page while the kernel may write to it. Events written before stay, unless the page is
 * reused. */
static void copy_page(uint8_t *to, const uint8_t *page, const struct ring_layout *l)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t commit = commit_of(page, l), time;

		memcpy(to, page, l->page_size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		time = ring_page_time(l, to, l->page_size);
		memcpy(to + 8, &commit, l->long_size);
		if (commit_of(page, l) >= commit && ring_page_time(l, page, l->page_size) == time)
			return;
	}
	memset(to + 8, 0, l->long_size); /* overwritten: its events are lost */
}

struct sort_page {
	uint64_t time_ns;
	uint32_t number;
};

static int by_time(const void *x, const void *y)
{
	const struct sort_page *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Store the pages with events in time order. */
static int sort_pages(struct ring_map *m, uint8_t *pages, uint32_t nr, const struct ring_layout *l)
{
	struct sort_page *order = calloc(nr, sizeof(*order));
	uint32_t nr_used = 0;
	int ret = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < nr; i++) {
		const uint8_t *page = pages + (size_t)i * l->page_size;

		if (commit_of(page, l))
			order[nr_used++] =
				(struct sort_page){ring_page_time(l, page, l->page_size), i};
	}
	if (!ret)
		qsort(order, nr_used, sizeof(*order), by_time);
	for (uint32_t i = 0; !ret && i < nr_used; i++)
		ret = strbuf_add(&m->bytes, pages + (size_t)order[i].number * l->page_size,
				 l->page_size);
	free(order);
	return ret;
}

int ring_map_copy(struct ring_map *m, int fd, struct ring_layout *layout)
{
	struct buffer_meta meta;
	uint8_t *map, *pages;
	size_t size;
	int ret = read_meta(fd, &meta);

	strbuf_init(&m->bytes);
	if (ret)
		return ret;
	layout->page_size = m->page_size = meta.subbuf_size;
	size = meta.meta_page_size + (size_t)meta.nr_subbufs * meta.subbuf_size;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	pages = malloc((size_t)meta.nr_subbufs * meta.subbuf_size);
	for (uint32_t i = 0; pages && i < meta.nr_subbufs; i++)
		copy_page(pages + (size_t)i * meta.subbuf_size,
			  map + meta.meta_page_size + (size_t)i * meta.subbuf_size, layout);
	munmap(map, size);
	ret = pages ? sort_pages(m, pages, meta.nr_subbufs, layout) : -ENOMEM;
	free(pages);
	return ret;
}

int ring_map_consume(struct ring_map *m, int fd, const struct ring_layout *layout)
{
	strbuf_init(&m->bytes);
	m->page_size = layout->page_size;
	for (;;) {
		ssize_t n;

		if (strbuf_grow(&m->bytes, layout->page_size))
			return -ENOMEM;
		n = read(fd, m->bytes.buf + m->bytes.len, layout->page_size);
		if (!n || (n < 0 && errno == EAGAIN))
			return 0;
		if (n < 0)
			return -errno;
		/* keep pages at multiples of their size */
		memset(m->bytes.buf + m->bytes.len + n, 0, layout->page_size - (size_t)n);
		m->bytes.len += layout->page_size;
		m->bytes.buf[m->bytes.len] = 0;
	}
}
