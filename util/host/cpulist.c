// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

void cpulist_deinit(struct cpulist *l)
{
	free(l->cpus);
	*l = (struct cpulist)CPULIST_INIT;
}

static size_t lower_bound(const struct cpulist *l, int cpu)
{
	size_t lo = 0, hi = l->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->cpus[mid] < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool cpulist_has(const struct cpulist *l, int cpu)
{
	size_t i = lower_bound(l, cpu);

	return i < l->nr && l->cpus[i] == cpu;
}

static int add_range(struct cpulist *l, int first, int last)
{
	size_t max = l->nr + (size_t)(last - first) + 1;
	int *cpus = reallocarray(l->cpus, max, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	l->cpus = cpus;
	for (int cpu = first; cpu <= last; cpu++) {
		size_t i = lower_bound(l, cpu);

		if (i < l->nr && l->cpus[i] == cpu)
			continue;
		memmove(cpus + i + 1, cpus + i, (l->nr - i) * sizeof(*cpus));
		cpus[i] = cpu;
		l->nr++;
	}
	return 0;
}

/* Read a number and move *text past it; -1 if there is none or it is too large. */
static int number(const char **text)
{
	const char *p = *text;
	int n = 0;

	if (!isdigit((unsigned char)*p))
		return -1;
	for (; isdigit((unsigned char)*p); p++) {
		n = n * 10 + (*p - '0');
		if (n > CPULIST_MAX)
			return -1;
	}
	*text = p;
	return n;
}

int cpulist_parse(struct cpulist *l, const char *text, struct error *err)
{
	const char *p = text;

	while (isspace((unsigned char)*p))
		p++;
	while (*p) {
		int first = number(&p), last = first;

		if (first >= 0 && *p == '-') {
			p++;
			last = number(&p);
		}
		if (first < 0 || last < first)
			return error_set(err, EINVAL, "'%s' is not a CPU list like 0-3,8", text);
		if (add_range(l, first, last))
			return error_nomem(err);
		if (*p == ',' && p[1])
			p++;
		else
			break;
	}
	while (isspace((unsigned char)*p))
		p++;
	return *p ? error_set(err, EINVAL, "'%s' is not a CPU list like 0-3,8", text) : 0;
}

int cpulist_read_file(struct cpulist *l, const char *path, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	int ret = strbuf_read_file(&sb, path);

	if (ret)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	ret = cpulist_parse(l, sb.buf, NULL);
	return ret ? error_set(err, -ret, "'%s' does not contain a list of CPUs", path) : 0;
}
