// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/array.h"
#include "util/base/map_guard.h"

/* Pages of a map are released in pieces of this size. */
#define DROP_STEP (1ull << 20)

static void span_release(struct spans *s, struct span *sp)
{
	if (sp->mapped) {
		munmap(sp->data, sp->cap);
		if (sp->fd >= 0)
			close(sp->fd);
		return;
	}
	s->heap_bytes -= sp->heap;
	if (sp->block && sp->heap == s->block_size && s->nr_spares < SPAN_SPARES)
		s->spares[s->nr_spares++] = sp->memory;
	else
		free(sp->memory);
}

void spans_deinit(struct spans *s)
{
	for (size_t i = 0; i < s->nr; i++)
		span_release(s, &s->v[i]);
	while (s->nr_spares)
		free(s->spares[--s->nr_spares]);
	free(s->v);
	*s = (struct spans){0};
}

static struct span *append(struct spans *s, struct span span)
{
	struct span *v = array_room(s->v, s->nr, &s->cap, sizeof(*v));

	if (!v)
		return NULL;
	s->v = v;
	if (span.start + span.cap >= 1ull << SPAN_POS_BITS)
		return NULL;
	s->v[s->nr] = span;
	/* records are aligned to 8 bytes in the file; keep that across spans */
	s->next_start = span.start + ((span.cap + 7) & ~7ull);
	return &s->v[s->nr++];
}

int spans_add_map(struct spans *s, int fd, uint64_t size, struct span **ret_span)
{
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	int own_fd;
	struct span *sp;

	if (data == MAP_FAILED)
		return -errno;
	map_guard_install();
	own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	sp = append(s, (struct span){.start = s->next_start,
				     .len = size,
				     .cap = size,
				     .left = size,
				     .fd = own_fd,
				     .data = data,
				     .mapped = true});
	if (!sp) {
		munmap(data, size);
		if (own_fd >= 0)
			close(own_fd);
		return -ENOMEM;
	}
	*ret_span = sp;
	return 0;
}

bool spans_note_cuts(struct spans *s, const struct span **ret_span)
{
	bool cut = false;

	for (size_t i = 0; i < s->nr; i++) {
		struct span *sp = &s->v[i];
		struct stat st;

		if (!sp->mapped || sp->fd < 0 || fstat(sp->fd, &st) ||
		    (uint64_t)st.st_size >= sp->left)
			continue;
		sp->left = (uint64_t)st.st_size;
		if (!cut)
			*ret_span = sp;
		cut = true;
	}
	return cut;
}

/* Number of bytes of the last span from `start` on. */
static size_t tail_from(const struct spans *s, uint64_t start)
{
	const struct span *last = s->nr ? &s->v[s->nr - 1] : NULL;

	return last && last->start + last->len > start ? last->start + last->len - start : 0;
}

/* Append a span and copy the last span's tail, as far as it fits, to its start. */
static int take_over(struct spans *s, const struct span *span, size_t tail, struct span **ret_span)
{
	struct span *old, *sp = append(s, *span);

	if (!sp)
		return -ENOMEM;
	s->heap_bytes += sp->heap;
	if (tail) {
		old = sp - 1;
		sp->len = tail < sp->cap ? tail : sp->cap;
		memcpy(sp->data, old->data + (sp->start - old->start), sp->len);
		old->len = old->cap = sp->start - old->start;
	}
	*ret_span = sp;
	return 0;
}

int spans_add_heap(struct spans *s, uint64_t start, size_t cap, struct span **ret_span)
{
	uint8_t *data = malloc(cap);
	const struct span sp = {
		.start = start, .cap = cap, .heap = cap, .data = data, .memory = data};
	int ret = data ? take_over(s, &sp, tail_from(s, start), ret_span) : -ENOMEM;

	if (ret)
		free(data);
	return ret;
}

uint8_t *spans_block(struct spans *s, size_t size)
{
	while (s->nr_spares && s->block_size != size)
		free(s->spares[--s->nr_spares]);
	s->block_size = size;
	return s->nr_spares ? s->spares[--s->nr_spares] : malloc(size);
}

int spans_add_block(struct spans *s, uint64_t start, uint8_t *memory, size_t head, size_t room,
		    struct span **ret_span)
{
	size_t tail = tail_from(s, start);
	const struct span sp = {.start = start,
				.cap = tail + room,
				.heap = head + room,
				.data = memory + head - tail,
				.memory = memory,
				.block = true};

	return tail > head ? -EINVAL : take_over(s, &sp, tail, ret_span);
}

const struct span *spans_find(struct spans *s, uint64_t pos)
{
	size_t low = 0, high = s->nr;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].start <= pos)
			low = mid;
		else
			high = mid;
	}
	s->recent[(pos >> SPAN_RECENT_SHIFT) % SPAN_RECENT] = (uint32_t)low;
	return &s->v[low];
}

void spans_forget(struct spans *s, const uint8_t *data, uint64_t size)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct span *sp = &s->v[i];
		uintptr_t start = (uintptr_t)sp->data, from = (uintptr_t)data;

		if (!sp->mapped || from < start || from - start >= sp->cap)
			continue;
		/* round down to whole steps, so that it starts at a page boundary */
		from = (from - start) & ~(DROP_STEP - 1);
		if (size > sp->cap - from)
			size = sp->cap - from;
		madvise(sp->data + from, size, MADV_DONTNEED);
		return;
	}
}

void spans_drop_before(struct spans *s, uint64_t pos)
{
	size_t n = 0;

	/* the last one may still grow */
	while (n + 1 < s->nr && s->v[n].start + s->v[n].cap <= pos)
		span_release(s, &s->v[n++]);
	if (n) {
		s->nr -= n;
		memmove(s->v, s->v + n, s->nr * sizeof(*s->v));
	}
	if (s->nr && s->v[0].mapped && pos > s->v[0].start) {
		struct span *sp = &s->v[0];
		uint64_t behind = (pos - sp->start) & ~(DROP_STEP - 1);

		if (behind > sp->dropped) {
			madvise(sp->data + sp->dropped, behind - sp->dropped, MADV_DONTNEED);
			sp->dropped = behind;
		}
	}
}
