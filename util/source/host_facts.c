// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/host_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/printable.h"
#include "util/host/machine_id.h"
#include "util/host/running_kernel.h"
#include "util/host/slab_caches.h"
#include "util/host/topology.h"

/* An empty value is unknown: leave it NULL. */
static int set_text(char **text, const char *value)
{
	char *copy = value && *value ? strdup(value) : NULL;

	if (value && *value && !copy)
		return -ENOMEM;
	if (copy)
		printable_make(copy);
	free(*text);
	*text = copy;
	return 0;
}

static int add_cmdline(struct source_facts *f)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;

	if (strbuf_read_file(&text, "/proc/self/cmdline") || !text.len)
		return 0;
	for (size_t i = 0; i + 1 < text.len; i++)
		if (!text.buf[i])
			text.buf[i] = ' ';
	return set_text(&f->cmdline, text.buf);
}

static int add_node(struct source_facts *f, const struct topology_node *node)
{
	_cleanup_(cpulist_deinit) struct cpulist cpus = CPULIST_INIT;
	size_t nr;
	int32_t *v;

	if (cpulist_parse(&cpus, node->cpus, NULL))
		return 0;
	f->nr_nodes++;
	nr = cpus.nr ? (size_t)cpus.cpus[cpus.nr - 1] + 1 : 0;
	if (nr > f->nr_cpu_node) {
		v = reallocarray(f->cpu_node, nr, sizeof(*v));
		if (!v)
			return -ENOMEM;
		f->cpu_node = v;
		while (f->nr_cpu_node < nr)
			v[f->nr_cpu_node++] = NUMA_NO_NODE;
	}
	for (size_t i = 0; i < cpus.nr; i++)
		f->cpu_node[cpus.cpus[i]] = node->number;
	return 0;
}

static int add_topology(struct source_facts *f)
{
	_cleanup_(topology_deinit) struct topology t;

	if (topology_init(&t, ""))
		return -ENOMEM;
	f->nr_cpus_available = t.nr_cpus;
	f->nr_cpus_online = t.nr_cpus_online;
	f->nr_cpus_possible = t.nr_cpus_possible;
	f->total_mem_kib = t.total_kib;
	for (size_t i = 0; i < t.nr_nodes; i++)
		if (add_node(f, &t.nodes[i]))
			return -ENOMEM;
	return 0;
}

static int add_page_types(struct source_facts *f)
{
	_cleanup_(page_types_deinit) struct page_types types;

	if (page_types_init(&types, PAGE_TYPES_PATH))
		return -ENOMEM;
	return set_text(&f->migratetypes, types.migratetypes);
}

static int add_slab_caches(struct source_facts *f)
{
	_cleanup_(slab_caches_deinit) struct slab_caches caches;

	if (slab_caches_init(&caches, SLAB_CACHES_DIR, SLAB_CACHES_INFO))
		return -ENOMEM;
	if (!caches.known)
		return 0;
	/* store an empty list of families, too: it is a fact */
	free(f->kmalloc_caches);
	f->kmalloc_caches = strdup(caches.families.buf);
	if (!f->kmalloc_caches)
		return -ENOMEM;
	free(f->reclaimable_caches);
	f->reclaimable_caches = caches.reclaimable_known ? strdup(caches.reclaimable.buf) : NULL;
	if (caches.reclaimable_known && !f->reclaimable_caches)
		return -ENOMEM;
	strbuf_reset(&f->cache_aliases);
	return strbuf_addstr(&f->cache_aliases, caches.aliases.buf);
}

/* Returns 0, also if an id is unknown, or -ENOMEM. */
static int add_ids(struct source_facts *f)
{
	struct machine_id id;

	machine_id_read(&id, MACHINE_ID_PATH, BOOT_ID_PATH);
	return (*id.machine && set_text(&f->machine_id, id.machine)) ||
			       (*id.boot && set_text(&f->boot_id, id.boot))
		       ? -ENOMEM
		       : 0;
}

static int add_module(void *facts, const struct running_module *m)
{
	return source_facts_add_module(facts, m->name, m->start, m->end, m->build_id,
				       m->build_id_size);
}

int source_facts_fill_from_host(struct source_facts *f)
{
	long page_size = sysconf(_SC_PAGESIZE);
	struct utsname u;

	uname(&u);
	f->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	f->page_size = page_size > 0 ? (uint32_t)page_size : 4096;
	f->kernel_build_id_size = running_kernel_build_id(f->kernel_build_id);
	f->clock.event_ns = clock_ns(CLOCK_MONOTONIC);
	f->clock.wall_ns = f->wall_clock_ns = clock_ns(CLOCK_REALTIME);
	if (set_text(&f->hostname, u.nodename) || set_text(&f->osrelease, u.release) ||
	    set_text(&f->arch, u.machine) || add_cmdline(f) || add_ids(f) || add_topology(f) ||
	    add_page_types(f) || add_slab_caches(f) ||
	    running_modules_for_each(MODULES_PATH, add_module, f))
		return -ENOMEM;
	return 0;
}
