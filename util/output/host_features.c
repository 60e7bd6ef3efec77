// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/host_features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/cleanup.h"
#include "util/host/cpulist.h"
#include "util/host/machine_id.h"
#include "util/host/running_kernel.h"
#include "util/host/slab_caches.h"
#include "util/host/topology.h"
#include "util/perfdata/pack.h"

/* Limit of aliases: a pipe's record has 64 KiB. */
#define ALIASES_MAX	32768
#define RECLAIMABLE_MAX 8192

static int add_cmdline(struct perfdata_features *f)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	struct strbuf *sb;
	uint32_t nr = 0;

	if (strbuf_read_file(&text, "/proc/self/cmdline") || !text.len)
		return 0;
	sb = perfdata_features_set(f, HEADER_CMDLINE);
	if (!sb)
		return -ENOMEM;
	for (size_t i = 0; i < text.len; i++)
		nr += !text.buf[i];
	feature_add_u32(sb, nr);
	for (size_t at = 0; at < text.len && nr--; at += strlen(text.buf + at) + 1)
		feature_add_string(sb, text.buf + at);
	return sb->failed ? -ENOMEM : 0;
}

static int add_cpus(struct perfdata_features *f, const struct topology *t)
{
	struct strbuf *sb = perfdata_features_set(f, HEADER_NRCPUS);

	if (!sb)
		return -ENOMEM;
	feature_add_u32(sb, t->nr_cpus);
	feature_add_u32(sb, t->nr_cpus_online);
	if (sb->failed || (t->cpu_id && perfdata_features_set_string(f, HEADER_CPUID, t->cpu_id)))
		return -ENOMEM;
	return t->cpu_model ? perfdata_features_set_string(f, HEADER_CPUDESC, t->cpu_model) : 0;
}

static int add_numa(struct perfdata_features *f, const struct topology *t)
{
	struct strbuf *sb = t->nr_nodes ? perfdata_features_set(f, HEADER_NUMA_TOPOLOGY) : NULL;

	if (!sb)
		return t->nr_nodes ? -ENOMEM : 0;
	feature_add_u32(sb, (uint32_t)t->nr_nodes);
	for (size_t i = 0; i < t->nr_nodes; i++) {
		const struct topology_node *n = &t->nodes[i];

		feature_add_u32(sb, (uint32_t)n->number);
		feature_add_u64(sb, n->total_kib);
		feature_add_u64(sb, n->free_kib);
		feature_add_string(sb, n->cpus);
	}
	return sb->failed ? -ENOMEM : 0;
}

static void add_lists(struct strbuf *sb, const struct topology_lists *lists)
{
	feature_add_u32(sb, (uint32_t)lists->nr);
	for (size_t i = 0; i < lists->nr; i++)
		feature_add_string(sb, lists->v[i]);
}

/* Stock reads the dies if any data follow the packages, such as padding in a pipe. */
static int add_siblings(struct perfdata_features *f, const struct topology *t)
{
	struct strbuf *sb = t->cores.nr ? perfdata_features_set(f, HEADER_CPU_TOPOLOGY) : NULL;

	if (!sb)
		return t->cores.nr ? -ENOMEM : 0;
	add_lists(sb, &t->packages);
	add_lists(sb, &t->cores);
	for (uint32_t i = 0; i < t->nr_cpus; i++) {
		feature_add_u32(sb, (uint32_t)t->cpus[i].core);
		feature_add_u32(sb, (uint32_t)t->cpus[i].package);
	}
	add_lists(sb, &t->dies);
	for (uint32_t i = 0; i < t->nr_cpus; i++)
		feature_add_u32(sb, (uint32_t)t->cpus[i].die);
	return sb->failed ? -ENOMEM : 0;
}

static int add_topology(struct perfdata_features *f)
{
	_cleanup_(topology_deinit) struct topology t;

	if (topology_init(&t, "") || add_cpus(f, &t) ||
	    (t.total_kib && perfdata_features_set_u64(f, HEADER_TOTAL_MEM, &t.total_kib, 1)) ||
	    add_siblings(f, &t) || add_numa(f, &t))
		return -ENOMEM;
	return 0;
}

static int add_build_ids(struct perfdata_features *f)
{
	uint8_t id[BUILD_ID_MAX];
	size_t size = running_kernel_build_id(id);
	struct strbuf *sb;

	if (!size)
		return 0;
	sb = perfdata_features_set(f, HEADER_BUILD_ID);
	return sb ? feature_add_build_id(sb, "[kernel.kallsyms]", id, size) : -ENOMEM;
}

int host_features_add(struct perfdata_features *f, const char *version, struct error *err)
{
	struct utsname u;

	uname(&u);
	if (perfdata_features_set_string(f, HEADER_HOSTNAME, u.nodename) ||
	    perfdata_features_set_string(f, HEADER_OSRELEASE, u.release) ||
	    perfdata_features_set_string(f, HEADER_ARCH, u.machine) ||
	    perfdata_features_set_string(f, HEADER_VERSION, version) || add_topology(f) ||
	    add_cmdline(f) || add_build_ids(f))
		return error_nomem(err);
	return 0;
}

int host_features_add_events(struct perfdata_features *f, const struct evlist *l, struct error *err)
{
	struct strbuf *sb = perfdata_features_set(f, HEADER_EVENT_DESC);

	if (!sb)
		return error_nomem(err);
	feature_add_u32(sb, (uint32_t)l->nr);
	feature_add_u32(sb, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];
		_cleanup_(strbuf_deinit) struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%s:%s", e->system, e->name);
		strbuf_add(sb, &e->attr, sizeof(e->attr));
		feature_add_u32(sb, (uint32_t)e->nr_fds);
		feature_add_string(sb, name.buf);
		for (size_t j = 0; j < e->nr_fds; j++)
			feature_add_u64(sb, e->fds[j].id);
		if (name.failed)
			return error_nomem(err);
	}
	return sb->failed ? error_nomem(err) : 0;
}

int host_features_add_compressed(struct perfdata_features *f, int level)
{
	struct strbuf *sb = perfdata_features_set(f, HEADER_COMPRESSED);
	struct perfdata_compressed c = {
		.version = 1,
		.type = PERFDATA_COMPRESS_ZSTD,
		.level = (uint32_t)level,
		.ratio = 1, /* informational only; not counted */
		.mmap_len = PACKER_CHUNK,
	};

	return sb ? strbuf_add(sb, &c, sizeof(c)) : -ENOMEM;
}

static int add_page_types(struct strbuf *sb)
{
	_cleanup_(page_types_deinit) struct page_types types;

	if (page_types_init(&types, PAGE_TYPES_PATH))
		return -ENOMEM;
	if (types.pageblock_order)
		strbuf_addf(sb, "pageblock_order: %" PRIu64 "\n", types.pageblock_order);
	if (types.migratetypes)
		strbuf_addf(sb, "migratetypes: %s\n", types.migratetypes);
	return 0;
}

static int add_slab_caches(struct strbuf *sb)
{
	_cleanup_(slab_caches_deinit) struct slab_caches caches;
	size_t start;

	if (slab_caches_init(&caches, SLAB_CACHES_DIR, SLAB_CACHES_INFO))
		return -ENOMEM;
	if (!caches.known)
		return 0;
	strbuf_addf(sb, "kmalloc-caches:%s%s\n", caches.families.len ? " " : "",
		    caches.families.buf);
	if (caches.reclaimable_known && caches.reclaimable.len < RECLAIMABLE_MAX)
		strbuf_addf(sb, "reclaimable-caches: %s\n", caches.reclaimable.buf);
	start = sb->len;
	for (const char *p = caches.aliases.buf; *p && sb->len - start < ALIASES_MAX;) {
		size_t len = strcspn(p, "\n") + 1;

		strbuf_addstr(sb, "cache-aliases: ");
		strbuf_add(sb, p, len);
		p += len;
	}
	return 0;
}

static int add_possible_cpus(struct strbuf *sb)
{
	_cleanup_(cpulist_deinit) struct cpulist possible = CPULIST_INIT;
	int ret = cpulist_read_file(&possible, "/sys/devices/system/cpu/possible", NULL);

	if (!ret)
		strbuf_addf(sb, "possible-cpus: %zu\n", possible.nr);
	return ret == -ENOMEM ? ret : 0;
}

static void add_offline(struct strbuf *sb, const struct cpulist *gone)
{
	const char *before = "offline: ";

	for (size_t i = 0; i < gone->nr; i++) {
		strbuf_addf(sb, "%s%d", before, gone->cpus[i]);
		before = ",";
	}
	if (gone->nr)
		strbuf_addch(sb, '\n');
}

static void add_ids(struct strbuf *sb)
{
	struct machine_id id;

	machine_id_read(&id, MACHINE_ID_PATH, BOOT_ID_PATH);
	if (*id.machine)
		strbuf_addf(sb, "machine-id: %s\n", id.machine);
	if (*id.boot)
		strbuf_addf(sb, "boot-id: %s\n", id.boot);
}

int host_info_machine(struct strbuf *sb, const char *filter)
{
	_cleanup_(strbuf_deinit) struct strbuf min_free = STRBUF_INIT;

	add_ids(sb);
	if (add_page_types(sb))
		return -ENOMEM;
	if (!strbuf_read_file(&min_free, "/proc/sys/vm/min_free_kbytes"))
		strbuf_addf(sb, "min_free_kbytes: %s", min_free.buf);
	if (add_possible_cpus(sb) || add_slab_caches(sb))
		return -ENOMEM;
	if (filter)
		strbuf_addf(sb, "filter: %s\n", filter);
	return sb->failed ? -ENOMEM : 0;
}

int host_info_clock(struct strbuf *sb, uint64_t wall_clock_ns)
{
	return strbuf_addf(sb, "wall_clock_ns: %" PRIu64 "\n", wall_clock_ns);
}

int host_info_counts(struct strbuf *sb, const struct evlist *l, const struct cpulist *gone,
		     const struct event_counts *counts)
{
	add_offline(sb, gone);
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];

		strbuf_addf(sb, "event: %s:%s count=%" PRIu64 " lost=%" PRIu64, e->system, e->name,
			    counts[i].count, counts[i].lost);
		if (counts[i].unwritten)
			strbuf_addf(sb, " unwritten=%" PRIu64, counts[i].unwritten);
		strbuf_addstr(sb, "\n");
		if (e->filter)
			strbuf_addf(sb, "event-filter: %s:%s %s\n", e->system, e->name, e->filter);
	}
	return sb->failed ? -ENOMEM : 0;
}

int host_info_slab_counts(struct strbuf *sb, const struct slab_counts *counts)
{
	if (!counts || counts->nr_readings < SLAB_READINGS)
		return 0;
	strbuf_addf(sb, "slab-counts: %" PRIu64 " %" PRIu64 " %s\n", counts->time_ns[SLAB_START],
		    counts->time_ns[SLAB_LATEST], counts->whole ? "all" : "part");
	for (size_t i = 0; i < counts->nr; i++) {
		const struct slab_count *c = &counts->v[i];

		if (c->used[SLAB_START] || c->used[SLAB_LATEST])
			strbuf_addf(sb,
				    "slab-count: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				    " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
				    c->used[SLAB_START], c->objects[SLAB_START],
				    c->used[SLAB_LATEST], c->objects[SLAB_LATEST], c->object_bytes,
				    c->per_slab, c->hidden, c->name);
	}
	return sb->failed ? -ENOMEM : 0;
}
