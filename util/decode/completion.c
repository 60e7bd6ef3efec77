// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/completion.h"

#include <errno.h>
#include <string.h>

#include "util/base/label.h"
#include "util/source/unpacking.h"
#include "util/usersym/user_stacks.h"

struct kmalloc_name_row {
	uint64_t cache;
	uint64_t name;
};

struct module_row {
	uint64_t callsite;
	uint64_t module;
};

void event_completer_init(struct event_completer *m, struct key_names *names,
			  struct callsite_finder *callsites, const struct symbols *symbols,
			  const struct source_facts *source)
{
	*m = (struct event_completer){
		.max_stack = MAX_STACK_DEFAULT,
		.names = names,
		.callsites = callsites,
		.symbols = symbols,
		.source = source,
	};
	threads_init(&m->threads, &names->strings);
	cgroups_init(&m->cgroups, &names->strings);
	table_init(&m->kmalloc_names, sizeof(struct kmalloc_name_row), sizeof(uint64_t));
	table_init(&m->modules, sizeof(struct module_row), sizeof(uint64_t));
}

void event_completer_deinit(struct event_completer *m)
{
	threads_deinit(&m->threads);
	cgroups_deinit(&m->cgroups);
	table_deinit(&m->kmalloc_names);
	table_deinit(&m->modules);
	recent_stacks_deinit(&m->stacks);
}

void event_completer_forget_stacks(struct event_completer *m)
{
	recent_stacks_clear(&m->stacks);
	for (size_t i = 0; i < RECENT_SITES; i++)
		m->recent_sites[i].stack = 0;
}

/* The slot of a call site. A slot of another site is cleared. */
static struct recent_site *recent_site(struct event_completer *m, uint64_t callsite)
{
	struct recent_site *site =
		&m->recent_sites[(callsite * 0x9e3779b97f4a7c15ull >> 32) % RECENT_SITES];

	if (site->callsite != callsite)
		*site = (struct recent_site){.callsite = callsite};
	return site;
}

static size_t add_user_frames(const struct event_completer *m, uint32_t chain, uint64_t *frames,
			      size_t nr)
{
	const struct frame_chain user = user_stacks_frames(m->user, chain);

	for (size_t i = 0; i < user.nr && nr < m->max_stack; i++)
		frames[nr++] = frame_chain_at(&user, i);
	return nr;
}

/* A small file may have the same callchains again after many changes of modules or mappings. */
static size_t cut_stack(struct event_completer *m, size_t nr)
{
	if (nr < 2 || m->source->is_live ||
	    m->names->stacks.used < unpacked_held_max(m->source->stored_bytes))
		return nr;
	m->cut_stacks = true;
	return 1;
}

/*
 * The callchain's kernel frames from the call site on; without a chain, only the call site. Then
 * the frames of user space, unless chain is INTERN_NONE.
 */
static uint32_t make_stack(struct event_completer *m, const struct sample *sample,
			   uint64_t callsite, uint32_t chain)
{
	uint64_t frames[MAX_STACK_DEFAULT];
	size_t nr = callsite_stack(m->callsites, sample, callsite, frames, m->max_stack);

	if (!nr && callsite)
		frames[nr++] = callsite;
	if (chain != INTERN_NONE && callsite != CALLSITE_SLAB_PAGES)
		nr = add_user_frames(m, chain, frames, nr);
	nr = cut_stack(m, nr);
	return intern_add_passing(&m->names->stacks, frames, nr * sizeof(frames[0]));
}

/* The stack's number (INTERN_NONE if out of memory), and the call site of pages, unless it is
 * known. */
static uint32_t stack_of_chain(struct event_completer *m, const struct sample *sample,
			       struct kmem_event *ev, uint32_t chain)
{
	uint32_t epoch = symbols_epoch(m->symbols, sample->time_ns);
	struct recent_stack *recent;
	uint32_t stack;

	/* once another module is loaded at one of its addresses, it is another stack */
	if (epoch != m->epoch)
		event_completer_forget_stacks(m);
	m->epoch = epoch;
	recent = recent_stacks_at(&m->stacks, sample, ev->call_site, chain);
	if (!recent)
		return INTERN_NONE;
	if (!recent->stack) {
		if (ev->kind == KMEM_PAGE_ALLOC && sample->nr_callchain)
			ev->call_site = callsite_find(m->callsites, sample);
		stack = make_stack(m, sample, ev->call_site, chain);
		if (stack == INTERN_NONE)
			return INTERN_NONE;
		recent->callsite = ev->call_site;
		recent->stack = stack + UINT64_C(1);
	}
	ev->call_site = recent->callsite;
	return (uint32_t)(recent->stack - 1);
}

/* As above; a sample without any callchain is identified by its call site. */
static uint32_t stack_of(struct event_completer *m, const struct sample *sample,
			 struct kmem_event *ev, uint32_t chain)
{
	struct recent_site *site;

	if (sample->nr_callchain || chain != INTERN_NONE)
		return stack_of_chain(m, sample, ev, chain);
	site = recent_site(m, ev->call_site);
	if (!site->stack) /* or out of memory */
		site->stack = stack_of_chain(m, sample, ev, chain) + 1;
	return site->stack - 1;
}

static struct recent_cache *recent_cache(struct recent_cache *v, uint64_t id)
{
	/* ids may be addresses */
	return &v[(id ^ id >> 9) % RECENT_CACHES];
}

/* Intern a name from a source, or label_unknown. INTERN_NONE if out of memory. */
static uint32_t intern_name(struct event_completer *m, const char *name, bool passing)
{
	struct intern *strings = &m->names->strings;

	return name == label_unknown ? intern_add_str(strings, name)
				     : label_intern(strings, name, strlen(name), passing);
}

/* A cache name with an id is hashed once. */
static uint32_t intern_numbered_cache(struct event_completer *m, const struct event_names *names)
{
	uint64_t id = names->cache_id;
	struct recent_cache *recent = recent_cache(m->recent_caches, id);

	if (recent->id == id)
		return recent->name;
	*recent = (struct recent_cache){id, intern_name(m, names->cache, false)};
	if (recent->name == INTERN_NONE)
		recent->id = 0;
	return recent->name;
}

/* Without an id, it is most probably the cache of the call site's latest object; comparing with
 * that is faster than interning. */
static uint32_t intern_cache(struct event_completer *m, const struct kmem_event *ev,
			     const struct event_names *names)
{
	struct recent_site *site;

	if (names->cache_id)
		return intern_numbered_cache(m, names);
	site = recent_site(m, ev->call_site);
	if (!site->cache ||
	    strcmp(intern_get(&m->names->strings, site->cache - 1, NULL), names->cache) != 0)
		site->cache = intern_name(m, names->cache, false) + 1;
	return site->cache - 1;
}

static uint32_t kmalloc_cache(struct event_completer *m, uint64_t key, unsigned int family,
			      uint64_t bytes_alloc)
{
	struct kmalloc_name_row *row = table_insert(&m->kmalloc_names, &key);
	char buf[KMALLOC_NAME_BUF];

	if (!row)
		return INTERN_NONE;
	if (!row->name)
		row->name =
			1ull + intern_add_str(&m->names->strings,
					      kmalloc_caches_name(&m->kmalloc, family, bytes_alloc,
								  buf, sizeof(buf)));
	return (uint32_t)(row->name - 1);
}

static uint32_t cache_of(struct event_completer *m, const struct kmem_event *ev,
			 const struct event_names *names)
{
	struct recent_cache *recent;
	unsigned int family;
	uint64_t key;

	if (names->cache)
		return intern_cache(m, ev, names);
	family = kmalloc_caches_family(&m->kmalloc, ev);
	key = ev->bytes_alloc * KMALLOC_FAMILIES + family;
	recent = recent_cache(m->recent_kmallocs, key);
	if (recent->id != key || !key)
		*recent =
			(struct recent_cache){key, kmalloc_cache(m, key, family, ev->bytes_alloc)};
	return recent->name;
}

static uint32_t module_of(struct event_completer *m, uint64_t callsite)
{
	struct module_row *row = table_insert(&m->modules, &callsite);
	const struct symbol *sym;
	const char *module;

	if (!row)
		return INTERN_NONE;
	if (row->module)
		return (uint32_t)(row->module - 1);
	sym = callsite ? symbols_find(m->symbols, callsite) : NULL;
	module = callsite ? symbols_module(m->symbols, sym, callsite) : NULL;
	row->module = 1ull + intern_add_str(&m->names->strings, module ? module
								: sym  ? LABEL_KERNEL
								       : label_unknown);
	return (uint32_t)(row->module - 1);
}

/* A kernel with more does not exist. */
#define PERCPU_CPUS_MAX 65536u

#define SITE_KEYS (KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_STACK) | KEY_BIT(KEY_MODULE))

static uint32_t comm_of(struct event_completer *m, const struct kmem_event *ev, const char *comm)
{
	return comm ? intern_name(m, comm, true) : threads_comm(&m->threads, ev->tid);
}

static uint32_t user_stack_of(struct event_completer *m, uint32_t chain)
{
	uint64_t frames[MAX_STACK_DEFAULT];
	size_t nr = cut_stack(m, add_user_frames(m, chain, frames, 0));

	return intern_add_passing(&m->names->stacks, frames, nr * sizeof(frames[0]));
}

static int fill_user_names(struct event_completer *m, uint32_t chain, struct kmem_event *ev)
{
	struct intern *strings = &m->names->strings;
	bool failed = false;

	if (event_completer_wants(m, KEY_USTACK)) {
		ev->ustack = user_stack_of(m, chain);
		failed |= ev->ustack == INTERN_NONE;
	}
	if (event_completer_wants(m, KEY_USYM)) {
		ev->usym = user_stacks_symbol(m->user, chain, strings);
		failed |= ev->usym == INTERN_NONE;
	}
	if (event_completer_wants(m, KEY_UDSO)) {
		ev->udso = user_stacks_dso(m->user, chain, strings);
		failed |= ev->udso == INTERN_NONE;
	}
	if (event_completer_wants(m, KEY_USRCLINE)) {
		ev->usrcline = user_stacks_line(m->user, chain, strings);
		failed |= ev->usrcline == INTERN_NONE;
	}
	return failed ? -ENOMEM : 0;
}

/* Kept out of line: most recordings have no user callchains. *ret_chain: number of the user
 * callchain. */
static __attribute__((noinline)) int fill_user(struct event_completer *m,
					       const struct sample *sample, struct kmem_event *ev,
					       uint32_t *ret_chain)
{
	uint32_t chain = user_stacks_chain(m->user, sample);

	if (chain == INTERN_NONE)
		return -ENOMEM;
	*ret_chain = chain;
	return m->wanted & USER_KEYS ? fill_user_names(m, chain, ev) : 0;
}

static bool wants_user(const struct event_completer *m)
{
	const key_mask_t keys = USER_KEYS | (m->user_in_stack ? KEY_BIT(KEY_STACK) : 0);

	return m->user && m->wanted & keys;
}

static int fill_cgroup(struct event_completer *m, uint64_t id, struct kmem_event *ev)
{
	const struct {
		enum kmem_key key;
		enum cgroup_part part;
		uint32_t *name;
	} parts[] = {
		{KEY_CGROUP, CGROUP_PATH, &ev->cgroup},
		{KEY_CONTAINER, CGROUP_CONTAINER, &ev->container},
		{KEY_POD, CGROUP_POD, &ev->pod},
		{KEY_UNIT, CGROUP_UNIT, &ev->unit},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!event_completer_wants(m, parts[i].key))
			continue;
		*parts[i].name = cgroups_name(&m->cgroups, id, parts[i].part);
		if (*parts[i].name == INTERN_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int fill_task_names(struct event_completer *m, const struct sample *sample, const char *comm,
			   struct kmem_event *ev)
{
	bool failed = false;

	if (event_completer_wants(m, KEY_COMM)) {
		ev->comm = comm_of(m, ev, comm);
		failed |= ev->comm == INTERN_NONE;
	}
	if (m->wanted & CGROUP_KEYS)
		failed |= fill_cgroup(m, sample->cgroup, ev) != 0;
	return failed ? -ENOMEM : 0;
}

static int fill_other_names(struct event_completer *m, const struct sample *sample,
			    const struct event_names *names, struct kmem_event *ev)
{
	bool failed = fill_task_names(m, sample, names->comm, ev) != 0;

	if (event_completer_wants(m, KEY_MODULE)) {
		ev->module = module_of(m, ev->call_site);
		failed |= ev->module == INTERN_NONE;
	}
	if (event_completer_wants(m, KEY_MEMCG) && ev->kind == KMEM_PAGE_ALLOC) {
		ev->memcg = names->memcg ? intern_name(m, names->memcg, false)
					 : intern_add_str(&m->names->strings, LABEL_NONE);
		failed |= ev->memcg == INTERN_NONE;
	}
	if (event_completer_wants(m, KEY_AGE) && ev->kind == KMEM_PAGE_ALLOC)
		ev->age_class = (uint8_t)age_class_of(
			ev->time_ns < m->end_ns ? m->end_ns - ev->time_ns : 0);
	return failed ? -ENOMEM : 0;
}

/* Kept out of line, as few tables need more than the call site. */
static __attribute__((noinline)) int fill_names(struct event_completer *m,
						const struct sample *sample,
						const struct event_names *names,
						struct kmem_event *ev)
{
	uint32_t chain = INTERN_NONE;
	bool failed = false;

	/* the keys of an event that is filtered out are those of no row */
	if (m->user_later)
		ev->ustack = ev->usym = ev->udso = ev->usrcline = 0;
	else if (wants_user(m) && fill_user(m, sample, ev, &chain))
		return -ENOMEM;
	if (!ev->has_accounted)
		ev->accounted = (ev->gfp_flags & m->gfp.account) != 0;
	if (event_completer_wants(m, KEY_STACK)) {
		ev->stack = stack_of(m, sample, ev, m->user_in_stack ? chain : INTERN_NONE);
		failed |= ev->stack == INTERN_NONE;
	}
	/* events of other allocators have another name in its place */
	if (event_completer_wants(m, KEY_CACHE) && kmem_kind_is_slab(ev->kind)) {
		ev->cache = cache_of(m, ev, names);
		failed |= ev->cache == INTERN_NONE;
	}
	if (failed)
		return -ENOMEM;
	return m->wanted & OTHER_NAMED_KEYS ? fill_other_names(m, sample, names, ev) : 0;
}

/* The call site and the use come from the callchain, unless the source has them. */
static int fill_area(struct event_completer *m, const struct sample *sample,
		     const struct event_names *names, struct kmem_event *ev)
{
	enum area_use use = AREA_OTHER;

	if (ev->failed)
		ev->ptr = 0;
	ev->bytes_alloc = ev->bytes_req;
	if (m->areas && sample->nr_callchain)
		ev->call_site = callsite_find_area(m->areas, sample, &use);
	if (!event_completer_wants(m, KEY_USE))
		return 0;
	ev->use = intern_add_str(&m->names->strings,
				 names->cache ? names->cache : area_use_name(use));
	return ev->use == INTERN_NONE ? -ENOMEM : 0;
}

/* Each possible CPU has a copy. */
static void fill_percpu(const struct event_completer *m, struct kmem_event *ev)
{
	const struct source_facts *f = m->source;
	uint32_t cpus = f->nr_cpus_possible ? f->nr_cpus_possible : f->nr_cpus_available;

	if (!ev->ptr)
		return;
	if (cpus && cpus <= PERCPU_CPUS_MAX)
		ev->bytes_req *= cpus;
	else if (ev->bytes_alloc && ev->bytes_alloc <= PERCPU_BYTES_MAX * PERCPU_CPUS_MAX)
		ev->bytes_req = ev->bytes_alloc;
	ev->bytes_alloc = ev->bytes_req;
}

/* Kept out of line: such events are rare. */
static __attribute__((noinline)) int fill_range(struct event_completer *m,
						const struct sample *sample,
						const struct event_names *names,
						struct kmem_event *ev)
{
	if (ev->kind == KMEM_VMALLOC_ALLOC)
		return fill_area(m, sample, names, ev);
	fill_percpu(m, ev);
	return 0;
}

int event_completer_fill_any(struct event_completer *m, const struct sample *sample,
			     const struct event_names *names, struct kmem_event *ev)
{
	event_completer_fill_node(m, ev);
	if (ev->kind == KMEM_PAGE_ALLOC) {
		ev->bytes_req = (uint64_t)m->page_size << ev->order;
		/* a stack's call site is stored with it */
		if (m->wanted & SITE_KEYS && sample->nr_callchain &&
		    !event_completer_wants(m, KEY_STACK))
			ev->call_site = callsite_find(m->callsites, sample);
	} else if (ev->kind != KMEM_SLAB_ALLOC && fill_range(m, sample, names, ev)) {
		return -ENOMEM;
	}
	return m->wanted & NAMED_KEYS ? fill_names(m, sample, names, ev) : 0;
}

int event_completer_fill_user(struct event_completer *m, const struct sample *sample,
			      struct kmem_event *ev)
{
	uint32_t chain;

	if (!wants_user(m))
		return 0;
	if (fill_user(m, sample, ev, &chain))
		return -ENOMEM;
	if (!m->user_in_stack || !event_completer_wants(m, KEY_STACK))
		return 0;
	ev->stack = stack_of(m, sample, ev, chain);
	return ev->stack == INTERN_NONE ? -ENOMEM : 0;
}

int event_completer_fill_context(struct event_completer *m, const struct sample *sample,
				 const char *comm, struct kmem_event *ev)
{
	event_completer_fill_node(m, ev);
	return fill_task_names(m, sample, comm, ev);
}
