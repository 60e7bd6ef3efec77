// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/advice.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "util/base/printable.h"

/* Paths and the options of leak for them. The first path that the line begins with counts. */
static const struct {
	const char *path;
	const char *options;
	const char *account; /* that the options need; NULL: none */
} next[] = {
	{"slab/unreclaimable/large_kmalloc", " --min-bytes 8K", NULL},
	{"vmalloc", " --vmalloc", "vmalloc"},
	{"vmalloc", " --page", NULL},
	{"percpu", " --percpu-mem", "percpu-mem"},
	{"percpu", " --page", NULL},
	{"kernel_stacks", " --page", NULL},
	{"page_tables", " --page", NULL},
	{"unaccounted", " --page", NULL},
};

static bool is_below(const char *path, const char *parent)
{
	const size_t len = strlen(parent);

	return !strncmp(path, parent, len) && (!path[len] || path[len] == '/');
}

bool advice_add(const struct advice_options *o, const char *path, struct strbuf *sb)
{
	static const char caches[] = "slab/unreclaimable/";

	for (size_t i = 0; i < sizeof(next) / sizeof(next[0]); i++) {
		if (!is_below(path, next[i].path) ||
		    (next[i].account && !o->has_account(next[i].account)))
			continue;
		strbuf_addf(sb, "%s leak%s --duration 1m", o->command, next[i].options);
		return true;
	}
	if (strncmp(path, caches, strlen(caches)) != 0 || !printable_is_word(path + strlen(caches)))
		return false;
	strbuf_addf(sb, "%s leak --cache %s --duration 1m", o->command, path + strlen(caches));
	return true;
}

void advice_add_process(const struct advice_options *o, const char *cache, uint64_t pid,
			struct strbuf *sb)
{
	strbuf_addf(sb, "%s leak --cache %s --pid %" PRIu64 " --duration 1m", o->command, cache,
		    pid);
}
