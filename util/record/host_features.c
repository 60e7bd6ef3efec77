// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/host_features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/host/cpulist.h"
#include "util/host/running_kernel.h"
#include "util/perfdata/pack.h"
#include "util/record/slab_caches.h"

/* The number after "key:" at the start of a line (or after a space anywhere). */
static bool find_number(const char *text, const char *key, uint64_t *ret)
{
	const char *p = strstr(text, key);

	return p && sscanf(p + strlen(key), " %" SCNu64, ret) == 1;
}

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

static int add_cpus(struct perfdata_features *f)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	long avail = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
	struct strbuf *sb = perfdata_features_set(f, HEADER_NRCPUS);
	char *p;

	if (!sb)
		return -ENOMEM;
	feature_add_u32(sb, (uint32_t)avail);
	feature_add_u32(sb, (uint32_t)online);
	if (sb->failed)
		return -ENOMEM;
	if (strbuf_read_file(&text, "/proc/cpuinfo"))
		return 0;
	p = strstr(text.buf, "model name");
	p = p ? strpbrk(p, ":\n") : NULL;
	if (!p || *p != ':')
		return 0;
	p += 1 + strspn(p + 1, " \t");
	p[strcspn(p, "\n")] = '\0';
	return perfdata_features_set_string(f, HEADER_CPUDESC, p);
}

static int add_node(struct strbuf *sb, int node)
{
	_cleanup_(strbuf_deinit) struct strbuf mem = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf cpus = STRBUF_INIT;
	uint64_t total = 0, unused = 0;
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
	strbuf_read_file(&mem, path);
	find_number(mem.buf, "MemTotal:", &total);
	find_number(mem.buf, "MemFree:", &unused);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	strbuf_read_file(&cpus, path);
	strbuf_setlen(&cpus, strcspn(cpus.buf, "\n"));
	feature_add_u32(sb, (uint32_t)node);
	feature_add_u64(sb, total);
	feature_add_u64(sb, unused);
	return feature_add_string(sb, cpus.buf);
}

static int add_numa(struct perfdata_features *f)
{
	_cleanup_(cpulist_deinit) struct cpulist nodes = CPULIST_INIT;
	struct strbuf *sb;

	if (cpulist_read_file(&nodes, "/sys/devices/system/node/online", NULL) || !nodes.nr)
		return 0;
	sb = perfdata_features_set(f, HEADER_NUMA_TOPOLOGY);
	if (!sb)
		return -ENOMEM;
	feature_add_u32(sb, (uint32_t)nodes.nr);
	for (size_t i = 0; i < nodes.nr; i++)
		if (add_node(sb, nodes.cpus[i]))
			return -ENOMEM;
	return 0;
}

static int add_memory(struct perfdata_features *f)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	uint64_t total;

	if (strbuf_read_file(&text, "/proc/meminfo") || !find_number(text.buf, "MemTotal:", &total))
		return 0;
	return perfdata_features_set_u64(f, HEADER_TOTAL_MEM, &total, 1);
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
	    perfdata_features_set_string(f, HEADER_VERSION, version) || add_cpus(f) ||
	    add_memory(f) || add_numa(f) || add_cmdline(f) || add_build_ids(f))
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
		.ratio = 1, /* informational only; not worth counting */
		.mmap_len = PACKER_CHUNK,
	};

	return sb ? strbuf_add(sb, &c, sizeof(c)) : -ENOMEM;
}

int host_migratetypes(struct strbuf *names, const char *pagetypeinfo)
{
	/* The heading of the last table: "Number of blocks type  Unmovable  Movable ..." */
	static const char heading[] = "Number of blocks type";
	const char *p = strstr(pagetypeinfo, heading);
	size_t start = names->len;

	if (!p)
		return 0;
	for (p += sizeof(heading) - 1; *p && *p != '\n';) {
		size_t len;

		p += strspn(p, " ");
		len = strcspn(p, " \n");
		if (len && names->len > start)
			strbuf_addch(names, ' ');
		strbuf_add(names, p, len);
		p += len;
	}
	return names->failed ? -ENOMEM : 0;
}

static void add_offline(struct strbuf *sb, const struct rings *rings)
{
	const char *before = "offline: ";

	for (size_t i = 0; i < rings->nr; i++)
		if (rings->v[i].gone) {
			strbuf_addf(sb, "%s%d", before, rings->v[i].cpu);
			before = ",";
		}
	if (*before == ',')
		strbuf_addch(sb, '\n');
}

int host_info_machine(struct strbuf *sb, const char *filter, uint64_t wall_clock_ns)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf types = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf min_free = STRBUF_INIT;
	uint64_t order;

	if (!strbuf_read_file(&text, "/proc/pagetypeinfo")) {
		if (find_number(text.buf, "Page block order:", &order))
			strbuf_addf(sb, "pageblock_order: %" PRIu64 "\n", order);
		if (host_migratetypes(&types, text.buf))
			return -ENOMEM;
		if (types.len)
			strbuf_addf(sb, "migratetypes: %s\n", types.buf);
	}
	if (!strbuf_read_file(&min_free, "/proc/sys/vm/min_free_kbytes"))
		strbuf_addf(sb, "min_free_kbytes: %s", min_free.buf);
	strbuf_addf(sb, "wall_clock_ns: %" PRIu64 "\n", wall_clock_ns);
	if (slab_caches_add(sb, "/sys/kernel/slab", "/proc/slabinfo"))
		return -ENOMEM;
	if (filter)
		strbuf_addf(sb, "filter: %s\n", filter);
	return sb->failed ? -ENOMEM : 0;
}

int host_info_counts(struct strbuf *sb, const struct evlist *l, const struct rings *rings,
		     const struct event_counts *counts)
{
	add_offline(sb, rings);
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
