// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Pages of a map are given back in pieces of this size. */
#define DROP_STEP (8ull << 20)

static void span_release(struct span *sp)
{
	if (sp->mapped)
		munmap(sp->data, sp->cap);
	else
		free(sp->data);
}

void spans_deinit(struct spans *s)
{
	for (size_t i = 0; i < s->nr; i++)
		span_release(&s->v[i]);
	free(s->v);
	*s = (struct spans){0};
}

static struct span *append(struct spans *s, uint8_t *data, uint64_t len, uint64_t cap, int mapped)
{
	struct span *sp;

	if (s->nr == s->cap) {
		size_t want = s->cap ? s->cap * 2 : 8;
		struct span *v = reallocarray(s->v, want, sizeof(*v));

		if (!v)
			return NULL;
		s->v = v;
		s->cap = want;
	}
	if (s->next_start + cap >= 1ull << SPAN_POS_BITS)
		return NULL;
	sp = &s->v[s->nr++];
	*sp = (struct span){
		.start = s->next_start, .len = len, .cap = cap, .data = data, .mapped = mapped};
	/* records are aligned to 8 in the file; keep that across spans */
	s->next_start += (cap + 7) & ~7ull;
	return sp;
}

int spans_add_map(struct spans *s, int fd, uint64_t size, struct span **ret_span)
{
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct span *sp;

	if (data == MAP_FAILED)
		return -errno;
	sp = append(s, data, size, size, 1);
	if (!sp) {
		munmap(data, size);
		return -ENOMEM;
	}
	*ret_span = sp;
	return 0;
}

int spans_add_heap(struct spans *s, size_t cap, struct span **ret_span)
{
	uint8_t *data = malloc(cap);
	struct span *sp = data ? append(s, data, 0, cap, 0) : NULL;

	if (!sp) {
		free(data);
		return -ENOMEM;
	}
	*ret_span = sp;
	return 0;
}

static size_t find(const struct spans *s, uint64_t pos)
{
	size_t low = 0, high = s->nr;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].start <= pos)
			low = mid;
		else
			high = mid;
	}
	return low;
}

const uint8_t *spans_at(struct spans *s, uint64_t pos)
{
	if (s->last >= s->nr || pos - s->v[s->last].start >= s->v[s->last].cap)
		s->last = find(s, pos);
	return s->v[s->last].data + (pos - s->v[s->last].start);
}

void spans_drop_before(struct spans *s, uint64_t pos)
{
	size_t n = 0;

	while (n < s->nr && s->v[n].start + s->v[n].cap <= pos)
		span_release(&s->v[n++]);
	if (n) {
		s->nr -= n;
		memmove(s->v, s->v + n, s->nr * sizeof(*s->v));
		s->last = 0;
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
