// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct module_row {
	uint64_t callsite;
	uint64_t module;
};

void fact_maker_init(struct fact_maker *m, struct key_names *names,
		     struct callsite_finder *callsites, const struct symbols *symbols,
		     const struct recording *recording)
{
	*m = (struct fact_maker){
		.max_stack = MAX_STACK_DEFAULT,
		.names = names,
		.callsites = callsites,
		.symbols = symbols,
		.recording = recording,
	};
	comms_init(&m->comms, &names->strings);
	table_init(&m->modules, sizeof(struct module_row), sizeof(uint64_t));
}

void fact_maker_deinit(struct fact_maker *m)
{
	comms_deinit(&m->comms);
	table_deinit(&m->modules);
}

static uint64_t callsite_of(struct fact_maker *m, const struct kmem_event *ev)
{
	return ev->kind == KMEM_PAGE_ALLOC ? callsite_find(m->callsites, ev->sample)
					   : ev->call_site;
}

/* The callchain's kernel frames from the call site on; without a chain the call site alone. */
static uint64_t stack_of(struct fact_maker *m, const struct kmem_event *ev, uint64_t callsite)
{
	uint64_t frames[MAX_STACK_DEFAULT];
	size_t nr = callsite_stack(m->callsites, ev->sample, callsite, frames, m->max_stack);

	if (!nr && callsite)
		frames[nr++] = callsite;
	return intern_add(&m->names->stacks, frames, nr * sizeof(frames[0]));
}

/* As the kernel calls its kmalloc caches: kmalloc-96, kmalloc-1k. */
static uint64_t cache_of(struct fact_maker *m, const struct kmem_event *ev)
{
	const char *family = ev->is_kmalloc ? "kmalloc" : "kmem_cache";
	const char *cache = kmem_event_cache(ev);
	char name[48];

	if (cache)
		return intern_add_str(&m->names->strings, cache);
	if (ev->bytes_alloc >= 1024 && ev->bytes_alloc % 1024 == 0)
		snprintf(name, sizeof(name), "%s-%" PRIu64 "k", family, ev->bytes_alloc / 1024);
	else
		snprintf(name, sizeof(name), "%s-%" PRIu64, family, ev->bytes_alloc);
	return intern_add_str(&m->names->strings, name);
}

static uint64_t module_of(struct fact_maker *m, uint64_t callsite)
{
	struct module_row *row = table_insert(&m->modules, &callsite);
	const struct symbol *sym;

	if (!row)
		return INTERN_NONE;
	if (row->module)
		return row->module - 1;
	sym = callsite ? symbols_find(m->symbols, callsite) : NULL;
	row->module = 1ull + intern_add_str(&m->names->strings, !sym	      ? "unknown"
								: sym->module ? sym->module
									      : "kernel");
	return row->module - 1;
}

static uint64_t size_class(uint64_t bytes)
{
	if (bytes <= 1)
		return bytes;
	if (bytes > 1ull << 63)
		return UINT64_MAX;
	return 1ull << (64 - __builtin_clzll(bytes - 1));
}

static int32_t node_of(const struct fact_maker *m, const struct kmem_event *ev)
{
	return ev->node != NUMA_NO_NODE ? (int32_t)ev->node
					: recording_cpu_node(m->recording, ev->sample->cpu);
}

/* The event says them itself, or the call site was looked for already. */
#define PLAIN_KEYS                                                                                 \
	(1u << KEY_PTR | 1u << KEY_PAGE | 1u << KEY_PID | 1u << KEY_TID | 1u << KEY_CPU |          \
	 1u << KEY_GFP | 1u << KEY_ORDER | 1u << KEY_MIGRATETYPE | 1u << KEY_ACCOUNTED |           \
	 1u << KEY_SIZE | 1u << KEY_CALLSITE)

int fact_maker_fill(struct fact_maker *m, const struct kmem_event *ev,
		    struct alloc_facts *ret_facts)
{
	uint64_t *key = ret_facts->key;
	const struct sample *sample = ev->sample;
	bool failed = false;

	key[KEY_PTR] = ev->ptr;
	key[KEY_PAGE] = ev->page ? ev->page : ev->pfn;
	key[KEY_PID] = (uint64_t)(int64_t)(int32_t)sample->pid;
	key[KEY_TID] = (uint64_t)(int64_t)(int32_t)sample->tid;
	key[KEY_CPU] = (uint64_t)(int64_t)sample->cpu;
	key[KEY_GFP] = ev->gfp_flags;
	key[KEY_ORDER] = ev->order;
	key[KEY_MIGRATETYPE] = (uint64_t)ev->migratetype;
	key[KEY_ACCOUNTED] = ev->accounted;
	if (fact_maker_wants(m, KEY_SIZE))
		key[KEY_SIZE] = size_class(ev->bytes_req);
	key[KEY_CALLSITE] = 0;
	if (fact_maker_wants(m, KEY_CALLSITE) || fact_maker_wants(m, KEY_STACK) ||
	    fact_maker_wants(m, KEY_MODULE))
		key[KEY_CALLSITE] = callsite_of(m, ev);
	if (!(m->wanted & ~PLAIN_KEYS))
		return 0;
	if (fact_maker_wants(m, KEY_NODE))
		key[KEY_NODE] = (uint64_t)(int64_t)node_of(m, ev);
	if (fact_maker_wants(m, KEY_STACK)) {
		key[KEY_STACK] = stack_of(m, ev, key[KEY_CALLSITE]);
		failed |= key[KEY_STACK] == INTERN_NONE;
	}
	if (fact_maker_wants(m, KEY_CACHE)) {
		key[KEY_CACHE] = cache_of(m, ev);
		failed |= key[KEY_CACHE] == INTERN_NONE;
	}
	if (fact_maker_wants(m, KEY_COMM)) {
		key[KEY_COMM] = comms_get(&m->comms, sample->tid);
		failed |= key[KEY_COMM] == INTERN_NONE;
	}
	if (fact_maker_wants(m, KEY_MODULE)) {
		key[KEY_MODULE] = module_of(m, key[KEY_CALLSITE]);
		failed |= key[KEY_MODULE] == INTERN_NONE;
	}
	return failed ? -ENOMEM : 0;
}
