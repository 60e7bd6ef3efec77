// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/page_internals.h"

#include <errno.h>

#include "util/perfdata/format.h"

int page_internals_init(struct page_internals *in, const struct symbols *symbols,
			const char *const *skip_callsites, size_t nr_skip_callsites,
			struct error *err)
{
	int ret;

	*in = (struct page_internals){0};
	percpu_init(&in->percpu);
	extfrag_init(&in->extfrag);
	ret = callsite_finder_init(&in->callers, symbols, err);
	if (!ret)
		ret = callsite_finder_skip_inside(&in->callers, err);
	for (size_t i = 0; !ret && i < nr_skip_callsites; i++)
		ret = callsite_finder_skip(&in->callers, skip_callsites[i], err);
	return ret;
}

void page_internals_deinit(struct page_internals *in)
{
	percpu_deinit(&in->percpu);
	extfrag_deinit(&in->extfrag);
	callsite_finder_deinit(&in->callers);
}

static bool has_field(const struct tep_event *event, const char *name)
{
	return trace_field(event, name).kind == FIELD_NUMBER;
}

void page_internals_bind(struct page_internals *in, const struct trace *trace,
			 const struct recorded_event *recorded, const struct tep_event *event,
			 enum kmem_kind kind)
{
	bool has_chain = (recorded->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;

	switch (kind) {
	case KMEM_PAGE_ZONE_LOCKED:
		in->percpu.has_lists = true;
		/* 5.19, "mm, page_alloc: fix tracepoint mm_page_alloc_zone_locked()" */
		in->percpu.has_refill_field = has_field(event, "percpu_refill");
		break;
	case KMEM_PAGE_PCPU_DRAIN:
		in->percpu.has_lists = true;
		break;
	case KMEM_PAGE_FREE:
		in->percpu.has_frees = true;
		in->frees_have_chain |= has_chain;
		break;
	case KMEM_PAGE_FREE_BATCHED:
		in->percpu.has_batched = true;
		/*
		 * 4.15 dropped `cold` ("mm: remove cold parameter from free_hot_cold_page*") and
		 * freed in two passes from then on ("mm, page_alloc: enable/disable IRQs once
		 * when freeing a list of pages").
		 */
		in->percpu.batched_first = has_field(event, "cold");
		break;
	case KMEM_PAGE_EXTFRAG:
		in->extfrag.has_events = true;
		in->extfrag.has_ownership = has_field(event, "change_ownership");
		in->extfrag.pageblock_order = trace->pageblock_order;
		in->extfrag_has_chain |= has_chain;
		break;
	default:
		break;
	}
}

uint64_t page_internals_callsite(struct page_internals *in, enum kmem_kind kind,
				 const struct sample *sample)
{
	if ((in->do_percpu && kind == KMEM_PAGE_FREE) ||
	    (in->do_extfrag && kind == KMEM_PAGE_EXTFRAG))
		return callsite_find(&in->callers, sample);
	return CALLSITE_UNKNOWN;
}

int page_internals_account(struct page_internals *in, const struct kmem_event *ev)
{
	int ret = 0;

	if (!in->last_ns)
		in->first_ns = ev->time_ns;
	in->last_ns = ev->time_ns;
	in->page_allocations += ev->kind == KMEM_PAGE_ALLOC;
	if (in->do_extfrag && ev->kind == KMEM_PAGE_EXTFRAG)
		ret = extfrag_account(&in->extfrag, ev);
	if (!ret && in->do_percpu && !kmem_kind_is_slab(ev->kind))
		ret = percpu_account(&in->percpu, ev);
	return ret;
}

int page_internals_check(const struct page_internals *in, const char *path, struct error *err)
{
	if ((in->do_percpu && in->percpu.has_lists) || (in->do_extfrag && in->extfrag.has_events))
		return 0;
	return error_set(err, ENODATA,
			 "'%s' holds no %s events (record them with 'perf kmem record --%s')", path,
			 in->do_percpu ? "per-CPU list" : "external fragmentation",
			 in->do_percpu ? "percpu" : "extfrag");
}
