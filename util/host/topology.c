// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/host/cpulist.h"

/* Read the number after the first occurrence of a key with its colon; else *ret is unchanged. */
static void key_number(const char *text, const char *key, uint64_t *ret)
{
	const char *p = strstr(text, key);

	if (p)
		sscanf(p + strlen(key), " %" SCNu64, ret);
}

/* A missing file is an empty text. */
static int read_file(struct strbuf *text, const char *root, const char *path)
{
	char name[PATH_MAX];

	strbuf_reset(text);
	if (snprintf(name, sizeof(name), "%s%s", root, path) < (int)sizeof(name) &&
	    strbuf_read_file(text, name) == -ENOMEM)
		return -ENOMEM;
	return 0;
}

/* Returns the value of the first "key\t: value"; *ret_len is 0 if there is none. */
static const char *cpuinfo_value(const struct strbuf *cpuinfo, const char *key, int *ret_len)
{
	const size_t len = strlen(key);
	const char *line = cpuinfo->buf;

	*ret_len = 0;
	while (strncmp(line, key, len) != 0 || line[len + strspn(line + len, " \t")] != ':') {
		line = strchr(line, '\n');
		if (!line++)
			return "";
	}
	line = strchr(line, ':') + 1;
	line += strspn(line, " \t");
	*ret_len = (int)strcspn(line, "\n");
	return line;
}

static int read_cpu_model(struct topology *t, const struct strbuf *cpuinfo)
{
	int len;
	const char *model = cpuinfo_value(cpuinfo, "model name", &len);

	if (!len)
		return 0;
	t->cpu_model = strndup(model, (size_t)len);
	return t->cpu_model ? 0 : -ENOMEM;
}

static int read_cpu_id(struct topology *t, const char *root, const struct strbuf *cpuinfo)
{
	_cleanup_(strbuf_deinit) struct strbuf midr = STRBUF_INIT, id = STRBUF_INIT;
	static const char *const keys[] = {"vendor_id", "cpu family", "model", "stepping"};

	if (read_file(&midr, root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"))
		return -ENOMEM;
	strbuf_add(&id, midr.buf, strcspn(midr.buf, "\n"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !midr.len; i++) {
		int len;
		const char *value = cpuinfo_value(cpuinfo, keys[i], &len);

		if (!len)
			return 0;
		strbuf_addf(&id, "%s%.*s", i ? "," : "", len, value);
	}
	t->cpu_id = id.failed ? NULL : strdup(id.buf);
	return t->cpu_id ? 0 : -ENOMEM;
}

/* Read a file in the CPU's folder; the text is empty if it is missing. */
static int read_cpu_file(struct strbuf *text, const char *root, uint32_t cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	if (read_file(text, root, path))
		return -ENOMEM;
	strbuf_setlen(text, strcspn(text->buf, "\n"));
	return 0;
}

/* Add the CPU's list, unless an earlier CPU has the same one. */
static int read_cpu_list(struct topology_lists *lists, const char *root, uint32_t cpu,
			 const char *name, struct strbuf *text)
{
	char **v;

	if (read_cpu_file(text, root, cpu, name))
		return -ENOMEM;
	for (size_t i = 0; i < lists->nr; i++)
		if (!strcmp(lists->v[i], text->buf))
			return 0;
	if (!text->len)
		return 0;
	v = reallocarray(lists->v, lists->nr + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	lists->v = v;
	v[lists->nr] = strdup(text->buf);
	if (!v[lists->nr])
		return -ENOMEM;
	lists->nr++;
	return 0;
}

static int read_cpu_number(int *ret, const char *root, uint32_t cpu, const char *name,
			   struct strbuf *text)
{
	if (read_cpu_file(text, root, cpu, name))
		return -ENOMEM;
	if (sscanf(text->buf, "%d", ret) != 1)
		*ret = -1;
	return 0;
}

static int read_cpus(struct topology *t, const char *root, struct strbuf *text)
{
	t->cpus = calloc(t->nr_cpus ? t->nr_cpus : 1, sizeof(*t->cpus));
	if (!t->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr_cpus; i++) {
		struct topology_cpu *c = &t->cpus[i];

		if (read_cpu_number(&c->core, root, i, "core_id", text) ||
		    read_cpu_number(&c->die, root, i, "die_id", text) ||
		    read_cpu_number(&c->package, root, i, "physical_package_id", text) ||
		    read_cpu_list(&t->packages, root, i, "core_siblings_list", text) ||
		    read_cpu_list(&t->dies, root, i, "die_cpus_list", text) ||
		    read_cpu_list(&t->cores, root, i, "thread_siblings_list", text))
			return -ENOMEM;
	}
	return 0;
}

static int read_node(struct topology_node *n, const char *root, struct strbuf *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", n->number);
	if (read_file(text, root, path))
		return -ENOMEM;
	key_number(text->buf, "MemTotal:", &n->total_kib);
	key_number(text->buf, "MemFree:", &n->free_kib);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", n->number);
	if (read_file(text, root, path))
		return -ENOMEM;
	n->cpus = strndup(text->buf, strcspn(text->buf, "\n"));
	return n->cpus ? 0 : -ENOMEM;
}

static int read_nodes(struct topology *t, const char *root, struct strbuf *text)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	int ret;

	if (read_file(text, root, "/sys/devices/system/node/online"))
		return -ENOMEM;
	ret = cpulist_parse(&online, text->buf, NULL);
	if (ret || !online.nr)
		return ret == -ENOMEM ? ret : 0;
	t->nodes = calloc(online.nr, sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	for (; t->nr_nodes < online.nr; t->nr_nodes++) {
		t->nodes[t->nr_nodes].number = online.cpus[t->nr_nodes];
		if (read_node(&t->nodes[t->nr_nodes], root, text))
			return -ENOMEM;
	}
	return 0;
}

static int read_possible(struct topology *t, const char *root, struct strbuf *text)
{
	_cleanup_(cpulist_deinit) struct cpulist possible = CPULIST_INIT;
	int ret;

	if (read_file(text, root, "/sys/devices/system/cpu/possible"))
		return -ENOMEM;
	ret = cpulist_parse(&possible, text->buf, NULL);
	if (!ret)
		t->nr_cpus_possible = (uint32_t)possible.nr;
	return ret == -ENOMEM ? ret : 0;
}

int topology_init(struct topology *t, const char *root)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret;

	*t = (struct topology){
		.nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
		.nr_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	ret = read_file(&text, root, "/proc/cpuinfo");
	if (!ret)
		ret = read_cpu_model(t, &text);
	if (!ret)
		ret = read_cpu_id(t, root, &text);
	if (!ret)
		ret = read_cpus(t, root, &text);
	if (!ret)
		ret = read_possible(t, root, &text);
	if (!ret)
		ret = read_file(&text, root, "/proc/meminfo");
	if (!ret)
		key_number(text.buf, "MemTotal:", &t->total_kib);
	if (!ret)
		ret = read_nodes(t, root, &text);
	if (ret)
		topology_deinit(t);
	return ret;
}

static void deinit_lists(struct topology_lists *lists)
{
	for (size_t i = 0; i < lists->nr; i++)
		free(lists->v[i]);
	free(lists->v);
}

void topology_deinit(struct topology *t)
{
	deinit_lists(&t->packages);
	deinit_lists(&t->dies);
	deinit_lists(&t->cores);
	free(t->cpus);
	free(t->cpu_id);
	for (size_t i = 0; i < t->nr_nodes; i++)
		free(t->nodes[i].cpus);
	free(t->nodes);
	free(t->cpu_model);
	*t = (struct topology){0};
}
