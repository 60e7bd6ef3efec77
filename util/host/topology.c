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

/* The number after a key with its colon, at its first occurrence; else *ret is unchanged. */
static void key_number(const char *text, const char *key, uint64_t *ret)
{
	const char *p = strstr(text, key);

	if (p)
		sscanf(p + strlen(key), " %" SCNu64, ret);
}

/* A file that is not there is an empty text. */
static int read_file(struct strbuf *text, const char *root, const char *path)
{
	char name[PATH_MAX];

	strbuf_reset(text);
	if (snprintf(name, sizeof(name), "%s%s", root, path) < (int)sizeof(name) &&
	    strbuf_read_file(text, name) == -ENOMEM)
		return -ENOMEM;
	return 0;
}

static int read_cpu_model(struct topology *t, const struct strbuf *cpuinfo)
{
	const char *p = strstr(cpuinfo->buf, "model name");

	p = p ? strpbrk(p, ":\n") : NULL;
	if (!p || *p != ':')
		return 0;
	p += 1 + strspn(p + 1, " \t");
	t->cpu_model = strndup(p, strcspn(p, "\n"));
	return t->cpu_model ? 0 : -ENOMEM;
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
		ret = read_file(&text, root, "/proc/meminfo");
	if (!ret)
		key_number(text.buf, "MemTotal:", &t->total_kib);
	if (!ret)
		ret = read_nodes(t, root, &text);
	if (ret)
		topology_deinit(t);
	return ret;
}

void topology_deinit(struct topology *t)
{
	for (size_t i = 0; i < t->nr_nodes; i++)
		free(t->nodes[i].cpus);
	free(t->nodes);
	free(t->cpu_model);
	*t = (struct topology){0};
}
