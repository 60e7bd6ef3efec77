// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/archive_info.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/base/units.h"

#define VERSION_KEY  "perf-kmem-snapshot"
#define ALIASES_KEY  "merged_caches"
#define BUILD_ID_KEY "kernel_build_id"
#define INFO_VERSION 1

/* Limits of the page size of any machine. */
#define PAGE_SIZE_MIN 512
#define PAGE_SIZE_MAX (1u << 20)

/* Limit of the text about missing parts in the header, for hostile snapshots. */
#define MISSING_MAX 1024

static const struct {
	const char *key;
	size_t place; /* offset of a char * in the facts */
} texts[] = {
	{"host", offsetof(struct source_facts, hostname)},
	{"machine_id", offsetof(struct source_facts, machine_id)},
	{"boot_id", offsetof(struct source_facts, boot_id)},
	{"kernel", offsetof(struct source_facts, osrelease)},
	{"version", offsetof(struct source_facts, version)},
	{"arch", offsetof(struct source_facts, arch)},
	{"command", offsetof(struct source_facts, cmdline)},
	{"migratetypes", offsetof(struct source_facts, migratetypes)},
	{"reclaimable_caches", offsetof(struct source_facts, reclaimable_caches)},
};

#define NR_TEXTS (sizeof(texts) / sizeof(texts[0]))

static char **text_at(const struct source_facts *f, size_t i)
{
	return (char **)((char *)f + texts[i].place);
}

unsigned int archive_part_of(const char *name)
{
	return !strcmp(name, "slabinfo")	    ? ARCHIVE_SLABINFO
	       : !strcmp(name, "page_owner")	    ? ARCHIVE_PAGE_OWNER
	       : !strcmp(name, "page_owner_stacks") ? ARCHIVE_STACKS
	       : !strcmp(name, "allocinfo")	    ? ARCHIVE_ALLOCINFO
	       : !strcmp(name, "vmallocinfo")	    ? ARCHIVE_VMALLOCINFO
						    : 0;
}

/* One line for each group of merged caches. */
static void write_aliases(struct strbuf *sb, const char *aliases)
{
	while (*aliases) {
		size_t len = strcspn(aliases, "\n");

		if (len)
			strbuf_addf(sb, ALIASES_KEY ": %.*s\n", (int)len, aliases);
		aliases += len + (aliases[len] == '\n');
	}
}

void archive_info_write(struct strbuf *sb, const struct source_facts *f, bool is_series)
{
	if (is_series)
		strbuf_addstr(sb, ARCHIVE_SERIES_BEGIN);
	else
		strbuf_addf(sb, "%s: %d\n", VERSION_KEY, INFO_VERSION);
	for (size_t i = 0; i < NR_TEXTS; i++)
		if (*text_at(f, i))
			strbuf_addf(sb, "%s: %s\n", texts[i].key, *text_at(f, i));
	if (f->kernel_build_id_size) {
		strbuf_addstr(sb, BUILD_ID_KEY ": ");
		strbuf_add_hex_bytes(sb, f->kernel_build_id, f->kernel_build_id_size);
		strbuf_addch(sb, '\n');
	}
	strbuf_addf(sb,
		    "page_size: %" PRIu32 "\ncpus: %" PRIu32 "\nmemory_kib: %" PRIu64
		    "\ntime_ns: %" PRIu64 "\nuptime_ns: %" PRIu64 "\n",
		    f->page_size, f->nr_cpus_available, f->total_mem_kib, f->clock.wall_ns,
		    f->clock.event_ns);
	if (f->cache_aliases.len)
		write_aliases(sb, f->cache_aliases.buf);
}

void archive_info_add_part(struct strbuf *sb, const char *name, uint64_t bytes)
{
	strbuf_addf(sb, "part: %s %" PRIu64 "\n", name, bytes);
}

void archive_info_add_missing(struct strbuf *sb, const char *name, const char *why)
{
	strbuf_addf(sb, "missing: %s: %s\n", name, why);
}

static int take_text(struct source_facts *f, const char *key, const char *value)
{
	for (size_t i = 0; i < NR_TEXTS; i++) {
		char *copy;

		if (strcmp(texts[i].key, key) != 0)
			continue;
		copy = strdup(value);
		if (!copy)
			return -ENOMEM;
		printable_make(copy);
		free(*text_at(f, i));
		*text_at(f, i) = copy;
		return 0;
	}
	return 0;
}

/* Hexadecimal digits; anything else leaves it unknown. */
static void take_build_id(struct source_facts *f, const char *value)
{
	const size_t size = strlen(value) / 2;
	unsigned int byte;

	f->kernel_build_id_size = 0;
	if (size > BUILD_ID_MAX || value[strspn(value, "0123456789abcdef")])
		return;
	for (size_t i = 0; i < size && sscanf(value + 2 * i, "%2x", &byte) == 1; i++)
		f->kernel_build_id[f->kernel_build_id_size++] = (uint8_t)byte;
}

static void take_number(struct source_facts *f, const char *key, uint64_t v)
{
	if (!strcmp(key, "page_size") && v >= PAGE_SIZE_MIN && v <= PAGE_SIZE_MAX && !(v & (v - 1)))
		f->page_size = (uint32_t)v;
	else if (!strcmp(key, "cpus") && v <= INT32_MAX)
		f->nr_cpus_available = f->nr_cpus_online = (uint32_t)v;
	else if (!strcmp(key, "memory_kib"))
		f->total_mem_kib = v;
	else if (!strcmp(key, "time_ns"))
		f->wall_clock_ns = v;
	else if (!strcmp(key, "uptime_ns") && v && v <= INT64_MAX)
		f->stated_stop_ns = v;
}

static int take_missing(struct source_facts *f, const char *value)
{
	const char *old = f->missing ? f->missing : "";
	char *both;

	if (strlen(old) + strlen(value) > MISSING_MAX)
		return 0;
	if (asprintf(&both, "%s%s%s", old, *old ? "; " : "", value) < 0)
		return -ENOMEM;
	printable_make(both);
	free(f->missing);
	f->missing = both;
	return 0;
}

int archive_info_read(struct source_facts *f, unsigned int *parts, char *line)
{
	char *value = strstr(line, ": ");
	uint64_t number;

	if (!value)
		return 0;
	*value = '\0';
	value += 2;
	if (!strcmp(line, "part")) {
		value[strcspn(value, " ")] = '\0';
		*parts |= archive_part_of(value);
		return 0;
	}
	if (!strcmp(line, "missing"))
		return take_missing(f, value);
	if (!strcmp(line, ALIASES_KEY))
		return strbuf_addf(&f->cache_aliases, "%s\n", value);
	if (!strcmp(line, BUILD_ID_KEY)) {
		take_build_id(f, value);
		return 0;
	}
	if (!units_parse_u64(value, &number)) {
		if (!strcmp(line, VERSION_KEY) && number > INFO_VERSION)
			return -EINVAL;
		take_number(f, line, number);
	}
	return take_text(f, line, value);
}
