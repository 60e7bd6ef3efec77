// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/feature.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/host/cpulist.h"
#include "util/perfdata/format.h"

/* More than any machine has; limits arrays whose size depends on a number in a file. */
#define MAX_CPUS (1u << 16)
#define CPU_STEP 1024u

/* Limit for the names of merged caches, bytes; our recorder writes at most an eighth of it. */
#define CACHE_ALIASES_MAX (256u << 10)

/* Caches that a recording may count, and objects in one: more than any machine has. */
#define SLAB_COUNTS_MAX 8192
#define SLAB_COUNT_MAX	(1ull << 48)

/* u32 size, then `size` bytes with a NUL among them. */
static const char *get_string(struct bytes *b, size_t *ret_len)
{
	uint32_t size = bytes_u32(b);
	const char *s = bytes_take(b, size);

	if (!s)
		return NULL;
	*ret_len = strnlen(s, size);
	return s;
}

static int read_string(struct bytes *b, char **ret)
{
	size_t len = 0;
	const char *s = get_string(b, &len);
	char *copy;

	if (!s)
		return -EINVAL;
	copy = strndup(s, len);
	if (!copy)
		return -ENOMEM;
	printable_make(copy);
	free(*ret);
	*ret = copy;
	return 0;
}

static int read_hostname(struct recording *r, struct bytes *b)
{
	return read_string(b, &r->facts.hostname);
}

static int read_osrelease(struct recording *r, struct bytes *b)
{
	return read_string(b, &r->facts.osrelease);
}

static int read_version(struct recording *r, struct bytes *b)
{
	return read_string(b, &r->facts.version);
}

static int read_arch(struct recording *r, struct bytes *b)
{
	return read_string(b, &r->facts.arch);
}

static int read_nrcpus(struct recording *r, struct bytes *b)
{
	uint32_t available = bytes_u32(b), online = bytes_u32(b);

	if (b->failed)
		return -EINVAL;
	r->facts.nr_cpus_available = available;
	r->facts.nr_cpus_online = online;
	return 0;
}

static int read_total_mem(struct recording *r, struct bytes *b)
{
	r->facts.total_mem_kib = bytes_u64(b);
	return b->failed ? -EINVAL : 0;
}

static int read_cmdline(struct recording *r, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);
	struct strbuf sb = STRBUF_INIT;
	char *line;

	for (uint32_t i = 0; i < nr; i++) {
		size_t len = 0;
		const char *s = get_string(b, &len);

		if (!s)
			break;
		if (i)
			strbuf_addch(&sb, ' ');
		strbuf_add(&sb, s, len);
	}
	if (b->failed || sb.failed) {
		int ret = b->failed ? -EINVAL : -ENOMEM;

		strbuf_deinit(&sb);
		return ret;
	}
	printable_strbuf(&sb, 0);
	line = strbuf_detach(&sb);
	if (!line)
		return -ENOMEM;
	free(r->facts.cmdline);
	r->facts.cmdline = line;
	return 0;
}

/* u32 events, u32 attr size, then for each: attr, u32 ids, name, u64 ids[]. */
static int read_event_desc(struct recording *r, struct bytes *b)
{
	uint32_t nr = bytes_u32(b), attr_size = bytes_u32(b);

	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		struct recorded_event *ev = NULL;
		uint32_t nr_ids;
		const char *name;
		size_t len = 0;

		bytes_take(b, attr_size);
		nr_ids = bytes_u32(b);
		name = get_string(b, &len);
		for (uint32_t k = 0; k < nr_ids && !b->failed; k++) {
			uint64_t id = bytes_u64(b);

			if (!ev && !b->failed)
				ev = recording_event_by_id(r, id);
		}
		/* events have no ids at all: the file has only this event */
		if (!ev && r->facts.nr_events == 1 && nr == 1)
			ev = recording_event(r, 0);
		if (b->failed || !ev || ev->event.name)
			continue;
		recording_forget_names(r);
		ev->event.name = strndup(name, len);
		if (!ev->event.name)
			return -ENOMEM;
		printable_make(ev->event.name);
	}
	return b->failed ? -EINVAL : 0;
}

static int set_cpu_node(struct recording *r, uint32_t cpu, int32_t node)
{
	if (cpu >= MAX_CPUS)
		return -EINVAL;
	if (cpu >= r->facts.nr_cpu_node) {
		/* grow by CPU_STEP entries at a time */
		if (!r->facts.cpu_node || cpu / CPU_STEP > (r->facts.nr_cpu_node - 1) / CPU_STEP) {
			size_t cap = (size_t)(cpu / CPU_STEP + 1) * CPU_STEP;
			int32_t *v = reallocarray(r->facts.cpu_node, cap, sizeof(*v));

			if (!v)
				return -ENOMEM;
			r->facts.cpu_node = v;
		}
		while (r->facts.nr_cpu_node <= cpu)
			r->facts.cpu_node[r->facts.nr_cpu_node++] = NUMA_NO_NODE;
	}
	r->facts.cpu_node[cpu] = node;
	return 0;
}

/* list: "0-3,8". *budget: number of CPUs that all further lists may name together. */
static int set_cpu_list_node(struct recording *r, const char *list, int32_t node,
			     unsigned long *budget)
{
	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			to = strtoul(list, &end, 10);
			if (end == list)
				return -EINVAL;
		}
		if (from > to || to >= MAX_CPUS || to - from >= *budget)
			return -EINVAL;
		*budget -= to - from + 1;
		for (unsigned long cpu = from; cpu <= to; cpu++) {
			int ret = set_cpu_node(r, (uint32_t)cpu, node);

			if (ret)
				return ret;
		}
		list = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return *end == '\n' ? 0 : -EINVAL;
	}
	return 0;
}

/* u32 nodes, then for each: u32 node, u64 total KiB, u64 free KiB, string CPU list. */
static int read_numa_topology(struct recording *r, struct bytes *b)
{
	unsigned long budget = MAX_CPUS;
	uint32_t nr = bytes_u32(b);

	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		uint32_t node = bytes_u32(b);
		char *list = NULL;
		int ret;

		bytes_take(b, 16);
		ret = read_string(b, &list);
		if (!ret)
			ret = set_cpu_list_node(r, list, (int32_t)node, &budget);
		free(list);
		if (ret)
			return ret;
		r->facts.nr_nodes++;
	}
	return b->failed ? -EINVAL : 0;
}

/* consecutive build-id records */
static int read_build_id(struct recording *r, struct bytes *b)
{
	while (bytes_left(b) >= sizeof(struct perfdata_build_id)) {
		const uint8_t *p = b->pos;
		uint16_t misc = load_u16(p + offsetof(struct perf_event_header, misc), b->swap);
		uint16_t size = load_u16(p + offsetof(struct perf_event_header, size), b->swap);
		struct bytes one = bytes_sub(b, size);
		const char *name;
		size_t id_size = BUILD_ID_MAX;
		int ret;

		if (one.failed || size < sizeof(struct perfdata_build_id))
			return -EINVAL;
		bytes_take(&one, sizeof(struct perfdata_build_id));
		name = bytes_cstr(&one);
		if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE)
			id_size = p[offsetof(struct perfdata_build_id, size)];
		if (!name || id_size > BUILD_ID_MAX)
			continue;
		misc &= PERF_RECORD_MISC_CPUMODE_MASK;
		if (misc != PERF_RECORD_MISC_KERNEL && misc != PERF_RECORD_MISC_USER)
			continue; /* build-id of a guest */
		ret = recording_add_build_id(r, name, misc == PERF_RECORD_MISC_KERNEL,
					     p + offsetof(struct perfdata_build_id, build_id),
					     id_size);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_compressed(struct recording *r, struct bytes *b)
{
	bytes_take(b, offsetof(struct perfdata_compressed, mmap_len));
	r->compressed_mmap_len = bytes_u32(b);
	return b->failed ? -EINVAL : 0;
}

/* u64 start, u64 stop. In stock's files: times of the first and last sample, or 0 if it did not
 * read them. */
static int read_sample_time(struct recording *r, struct bytes *b)
{
	uint64_t start = bytes_u64(b), stop = bytes_u64(b);

	if (b->failed || start > stop)
		return -EINVAL;
	r->facts.stated_start_ns = start;
	r->facts.stated_stop_ns = stop;
	return 0;
}

/* The clock that the events use does not matter: both times were read from that clock. */
static int read_clock_data(struct recording *r, struct bytes *b)
{
	uint64_t wall_ns, event_ns;

	bytes_take(b, offsetof(struct perfdata_clock_data, wall_clock_ns));
	wall_ns = bytes_u64(b);
	event_ns = bytes_u64(b);
	if (b->failed)
		return -EINVAL;
	r->facts.clock.wall_ns = wall_ns;
	r->facts.clock.event_ns = event_ns;
	return 0;
}

static int take_offline(struct recording *r, const char *value)
{
	return cpulist_parse(&r->facts.offline, value, NULL) == -ENOMEM ? -ENOMEM : 0;
}

static int take_wall_clock(struct recording *r, const char *value)
{
	if (sscanf(value, "%" SCNu64, &r->facts.wall_clock_ns) != 1)
		r->facts.wall_clock_ns = 0;
	return 0;
}

static int take_text(char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	if (*text)
		printable_make(*text);
	return *text ? 0 : -ENOMEM;
}

/* Names are stored unchanged, here and below: they are compared with the names in events. */
static int take_reclaimable_caches(struct recording *r, const char *value)
{
	free(r->facts.reclaimable_caches);
	r->facts.reclaimable_caches = strdup(value);
	return r->facts.reclaimable_caches ? 0 : -ENOMEM;
}

/* Ignore further aliases: records may unpack to any number of lines, but memory is limited. */
static int take_cache_aliases(struct recording *r, const char *value)
{
	if (r->facts.cache_aliases.len + strlen(value) > CACHE_ALIASES_MAX)
		return 0;
	strbuf_addstr(&r->facts.cache_aliases, value);
	return strbuf_addch(&r->facts.cache_aliases, '\n');
}

static int take_possible_cpus(struct recording *r, const char *value)
{
	unsigned long nr = strtoul(value, NULL, 10);

	if (nr <= CPULIST_MAX)
		r->facts.nr_cpus_possible = (uint32_t)nr;
	return 0;
}

/* Frees by the kernel itself, for all tasks, in a recording of certain tasks */
static int take_kernel_frees(struct recording *r, const char *value)
{
	r->facts.frees_of_others = !strcmp(value, "all");
	return 0;
}

/* "kmem:kfree count=12 lost=3": the kernel's own count */
static int take_event_count(struct recording *r, const char *value)
{
	size_t len = strcspn(value, " ");
	struct recorded_event *ev;
	int ret = recording_event_by_name(r, value, len, &ev);

	if (ret || !ev)
		return ret;
	if (sscanf(value + len, " count=%" SCNu64, &ev->nr_counted) != 1)
		ev->nr_counted = 0;
	value = strstr(value + len, " unwritten=");
	if (!value || sscanf(value, " unwritten=%" SCNu64, &ev->nr_unwritten) != 1 ||
	    ev->nr_unwritten > ev->nr_counted)
		ev->nr_unwritten = 0;
	return 0;
}

/* "START_NS STOP_NS all" */
static int take_slab_counts(struct recording *r, const char *value)
{
	struct slab_counts *c = &r->facts.slab_counts;
	char of[8];

	slab_counts_deinit(c);
	if (sscanf(value, "%" SCNu64 " %" SCNu64 " %7s", &c->time_ns[SLAB_START],
		   &c->time_ns[SLAB_LATEST], of) != 3)
		return 0;
	c->nr_readings = SLAB_READINGS;
	c->whole = !strcmp(of, "all");
	return 0;
}

/* "USED OBJECTS USED OBJECTS BYTES PER_SLAB HIDDEN NAME", sorted by name */
static int take_slab_count(struct recording *r, const char *value)
{
	struct slab_counts *c = &r->facts.slab_counts;
	struct slab_count in = {.name = NULL}, *cache;
	int name = 0;

	if (sscanf(value,
		   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %n",
		   &in.used[SLAB_START], &in.objects[SLAB_START], &in.used[SLAB_LATEST],
		   &in.objects[SLAB_LATEST], &in.object_bytes, &in.per_slab, &in.hidden,
		   &name) != 7 ||
	    !name || !value[name] || c->nr == SLAB_COUNTS_MAX ||
	    in.used[SLAB_START] > SLAB_COUNT_MAX || in.used[SLAB_LATEST] > SLAB_COUNT_MAX ||
	    in.hidden > SLAB_COUNT_MAX ||
	    (c->nr && strcmp(c->v[c->nr - 1].name, value + name) >= 0))
		return 0;
	cache = slab_counts_add(c, value + name);
	if (!cache)
		return -ENOMEM;
	in.name = cache->name;
	*cache = in;
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct recording *r, const char *value); /* NULL: it is a text */
	size_t text;					     /* offset of a char * in the facts */
} info_lines[] = {
	{"machine-id: ", NULL, offsetof(struct source_facts, machine_id)},
	{"boot-id: ", NULL, offsetof(struct source_facts, boot_id)},
	{"migratetypes: ", NULL, offsetof(struct source_facts, migratetypes)},
	{"wall_clock_ns: ", take_wall_clock},
	{"kmalloc-caches: ", NULL, offsetof(struct source_facts, kmalloc_caches)},
	{"cache-aliases: ", take_cache_aliases},
	{"reclaimable-caches: ", take_reclaimable_caches},
	{"offline: ", take_offline},
	{"slab-counts: ", take_slab_counts},
	{"slab-count: ", take_slab_count},
	{"possible-cpus: ", take_possible_cpus},
	{"kernel-frees: ", take_kernel_frees},
	{"event: ", take_event_count},
};

static int take_info_line(struct recording *r, const char *line)
{
	for (size_t i = 0; i < sizeof(info_lines) / sizeof(info_lines[0]); i++) {
		const size_t len = strlen(info_lines[i].key);

		if (strncmp(line, info_lines[i].key, len) != 0)
			continue;
		return info_lines[i].take ? info_lines[i].take(r, line + len)
					  : take_text((char **)(void *)((char *)&r->facts +
									info_lines[i].text),
						      line + len);
	}
	return 0;
}

/* Our feature: lines of "key: value". */
static int read_recording_info(struct recording *r, struct bytes *b)
{
	char *text = strndup((const char *)b->pos, bytes_left(b)), *rest = text, *line;
	int ret = text ? 0 : -ENOMEM;

	while (!ret && (line = strsep(&rest, "\n")))
		ret = take_info_line(r, line);
	free(text);
	return ret;
}

/* The module names of a large machine take 10 MB; all other features take far less. */
#define FEATURE_BYTES_MAX (64u << 20)

static int read_modules(struct recording *r, struct bytes *b)
{
	size_t len = bytes_left(b);

	if (len > FEATURE_BYTES_MAX - r->facts.modules.len)
		return 0;
	return strbuf_add(&r->facts.modules, b->pos, len);
}

static const struct feature {
	unsigned int bit;
	const char *name;
	int (*read)(struct recording *r, struct bytes *b);
} features[] = {
	{HEADER_BUILD_ID, "build ids", read_build_id},
	{HEADER_HOSTNAME, "hostname", read_hostname},
	{HEADER_OSRELEASE, "os release", read_osrelease},
	{HEADER_VERSION, "version", read_version},
	{HEADER_ARCH, "arch", read_arch},
	{HEADER_NRCPUS, "number of CPUs", read_nrcpus},
	{HEADER_TOTAL_MEM, "total memory", read_total_mem},
	{HEADER_CMDLINE, "command line", read_cmdline},
	{HEADER_EVENT_DESC, "event descriptions", read_event_desc},
	{HEADER_NUMA_TOPOLOGY, "NUMA topology", read_numa_topology},
	{HEADER_SAMPLE_TIME, "time span", read_sample_time},
	{HEADER_COMPRESSED, "compression", read_compressed},
	{HEADER_CLOCK_DATA, "clock data", read_clock_data},
	{HEADER_RECORDING_INFO, "recording info", read_recording_info},
	{HEADER_MODULES, "modules", read_modules},
};

int feature_read(struct recording *r, unsigned int bit, struct bytes bytes)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		int ret;

		if (features[i].bit != bit)
			continue;
		ret = bytes_left(&bytes) > FEATURE_BYTES_MAX ? -E2BIG : features[i].read(r, &bytes);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			log_info("the %s (feature %u) of '%s' cannot be read", features[i].name,
				 bit, r->facts.path);
		return 0;
	}
	log_debug("feature %u skipped", bit);
	return 0;
}
