// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/load.h"

#include <errno.h>
#include <stdlib.h>

#define NONE	    UINT32_MAX
#define FIRST_ORDER (KERNEL_KMALLOCS + KERNEL_CACHES)

static void list_push(struct load *l, struct load_list *list, uint32_t object)
{
	l->objects[object].next = NONE;
	if (list->head == NONE)
		list->head = object;
	else
		l->objects[list->tail].next = object;
	list->tail = object;
}

static uint32_t list_pop(struct load *l, struct load_list *list)
{
	uint32_t object = list->head;

	if (object != NONE)
		list->head = l->objects[object].next;
	return object;
}

int load_init(struct load *l, const struct kernel *k, const struct load_options *o)
{
	*l = (struct load){
		.kernel = k,
		.options = *o,
		.random = {0x2545f4914f6cdd1dULL},
		.time_ns = 1000000000000ULL,
		.unused = {NONE, NONE},
		.due = {NONE, NONE},
	};
	for (int i = 0; i < LOAD_WHEEL; i++)
		l->wheel[i] = (struct load_list){NONE, NONE};
	for (int i = 0; i < LOAD_CPUS; i++)
		l->tids[i] = LOAD_TID + random_below(&l->random, LOAD_TASKS);
	for (unsigned int i = 0; i < FIRST_ORDER; i++)
		l->pools[i] = (struct load_pool){
			.next = 0xffff888100000000ULL + ((uint64_t)i << 34),
			.step = k->caches[i].size,
		};
	/* Order 0 comes after the others, as it may need the most. */
	for (unsigned int i = 0; i < LOAD_ORDERS; i++)
		l->pools[FIRST_ORDER + i] = (struct load_pool){
			.next = 0x100000 + ((i ? i : LOAD_ORDERS) << 19),
			.step = 1u << i,
		};
	l->long_lived = calloc(LOAD_LONG_LIVED, sizeof(*l->long_lived));
	return l->long_lived ? 0 : -ENOMEM;
}

void load_deinit(struct load *l)
{
	for (int i = 0; i < LOAD_POOLS; i++)
		free(l->pools[i].freed);
	free(l->objects);
	free(l->long_lived);
	*l = (struct load){0};
}

static uint64_t take_address(struct load *l, struct load_pool *p)
{
	uint64_t address = p->next;

	if (p->nr && l->pointers >= l->options.pointers)
		return p->freed[--p->nr];
	p->next += p->step;
	l->pointers++;
	return address;
}

static int give_back(struct load_pool *p, uint64_t address)
{
	if (p->nr == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 256;
		uint64_t *v = reallocarray(p->freed, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		p->freed = v;
		p->cap = cap;
	}
	p->freed[p->nr++] = address;
	return 0;
}

/* Returns its number; NONE: no memory. */
static uint32_t new_object(struct load *l, uint32_t pool, uint32_t cpu)
{
	uint32_t object = list_pop(l, &l->unused);

	if (object == NONE && l->nr_objects == l->cap_objects) {
		uint32_t cap = l->cap_objects ? l->cap_objects * 2 : 4096;
		struct load_object *v = reallocarray(l->objects, cap, sizeof(*v));

		if (!v)
			return NONE;
		l->objects = v;
		l->cap_objects = cap;
	}
	if (object == NONE)
		object = l->nr_objects++;
	l->objects[object] = (struct load_object){
		.address = take_address(l, &l->pools[pool]),
		.pool = (uint16_t)pool,
		.cpu = (uint16_t)cpu,
	};
	return object;
}

/* When will it be freed? */
static void plan_free(struct load *l, uint32_t object)
{
	struct random_state *r = &l->random;
	uint32_t after = 2 + random_below(r, random_below(r, 4) ? 60 : 600);

	if (random_below(r, 20)) {
		list_push(l, &l->wheel[(l->nr_events + after) % LOAD_WHEEL], object);
	} else if (l->nr_long_lived < LOAD_LONG_LIVED) {
		l->long_lived[l->nr_long_lived++] = object;
	} else {
		uint32_t *slot = &l->long_lived[random_below(r, LOAD_LONG_LIVED)];

		list_push(l, &l->wheel[(l->nr_events + after) % LOAD_WHEEL], *slot);
		*slot = object;
	}
}

static uint32_t describe_page_alloc(struct load *l, struct load_event *e, uint32_t site)
{
	const uint32_t some = l->options.page_sites;
	const struct page_site *s = &l->kernel->page_sites[some ? site % some : site];

	e->kind = LOAD_PAGE_ALLOC;
	e->gfp_flags = s->gfp_flags;
	e->order = s->order;
	e->migratetype = s->migratetype;
	e->chain = &s->chains[random_below(&l->random, KERNEL_CHAINS)];
	return FIRST_ORDER + s->order;
}

static uint32_t describe_slab_alloc(struct load *l, struct load_event *e, uint32_t site)
{
	const struct slab_site *s = &l->kernel->slab_sites[site];
	const struct cache *c = &l->kernel->caches[s->cache];

	e->kind = c->name ? LOAD_CACHE_ALLOC : LOAD_KMALLOC;
	e->call_site = s->address;
	e->gfp_flags = s->gfp_flags;
	e->bytes_req = s->bytes_req;
	e->bytes_alloc = (c->size + 7) & ~7u;
	e->cache = c->name;
	return s->cache;
}

static int allocate(struct load *l, struct load_event *e)
{
	struct random_state *r = &l->random;
	uint32_t site = l->kernel->skewed[random_next(r) >> 16], pool, object;

	if (l->options.page && (!l->options.slab || random_below(r, 10) < 3))
		pool = describe_page_alloc(l, e, site);
	else
		pool = describe_slab_alloc(l, e, site);
	object = new_object(l, pool, e->cpu);
	if (object == NONE)
		return -ENOMEM;
	e->address = l->objects[object].address;
	plan_free(l, object);
	return 0;
}

/* The call site that frees what is in the pool. */
static void describe_free(struct load *l, struct load_event *e, uint32_t pool)
{
	uint32_t site = l->kernel->skewed[random_next(&l->random) >> 16] % KERNEL_FREE_SITES;

	if (pool >= FIRST_ORDER) {
		e->kind = LOAD_PAGE_FREE;
		e->order = pool - FIRST_ORDER;
		return;
	}
	e->call_site = l->kernel->free_sites[site];
	e->cache = l->kernel->caches[pool].name;
	e->kind = e->cache ? LOAD_CACHE_FREE : LOAD_KFREE;
}

static int release(struct load *l, struct load_event *e, uint32_t object)
{
	const struct load_object *o = &l->objects[object];

	e->cpu = random_below(&l->random, 20) ? o->cpu : (o->cpu + 1u) % LOAD_CPUS;
	e->address = o->address;
	describe_free(l, e, o->pool);
	list_push(l, &l->unused, object);
	return give_back(&l->pools[o->pool], e->address);
}

/* Frees something that is older than the recording; its address is below the first pool. */
static void release_unknown(struct load *l, struct load_event *e)
{
	uint32_t pool = l->options.slab ? random_below(&l->random, FIRST_ORDER) : FIRST_ORDER;

	e->address = l->options.slab
			     ? 0xffff888080000000ULL + 64ULL * random_below(&l->random, 1 << 24)
			     : random_below(&l->random, 1 << 20);
	describe_free(l, e, pool);
}

int load_next(struct load *l, struct load_event *ret_event)
{
	struct random_state *r = &l->random;
	struct load_list *now = &l->wheel[l->nr_events % LOAD_WHEEL];
	struct load_event *e = ret_event;
	uint32_t object;
	int ret = 0;

	l->time_ns += 64ULL * (3 + random_below(r, 16));
	*e = (struct load_event){.cpu = random_next(r) >> 31, .time_ns = l->time_ns};
	while ((object = list_pop(l, now)) != NONE)
		list_push(l, &l->due, object);
	object = list_pop(l, &l->due);
	if (object != NONE)
		ret = release(l, e, object);
	else if (!random_below(r, 100))
		release_unknown(l, e);
	else
		ret = allocate(l, e);
	if (!random_below(r, 500))
		l->tids[e->cpu] = LOAD_TID + random_below(r, LOAD_TASKS);
	e->tid = l->tids[e->cpu];
	l->nr_events++;
	return ret;
}
