// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/host/cpulist.h"
#include "util/host/mounts.h"
#include "util/where/collect_bpf.h"
#include "util/where/collect_tasks.h"
#include "util/where/holders.h"
#include "util/where/scan.h"

#define SMALL_MAX (1u << 20)

/* Read a small file. Returns false if there is none. */
static bool read_small(struct strbuf *text, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	strbuf_reset(text);
	return fd >= 0 && !strbuf_read_max(text, fd, SMALL_MAX) && text->len;
}

/* The n-th number of a small file, from 0. Returns false if there is none. */
static bool read_number(const char *dir, const char *name, unsigned int n, int64_t *ret_value)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	const char *at;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path) ||
	    !read_small(&text, path))
		return false;
	at = text.buf;
	for (unsigned int i = 0; i <= n; i++)
		if (!scan_number(&at, ret_value))
			return false;
	return true;
}

/* Call fn for each entry of a directory. */
static void each_entry(const char *dir, struct strbuf *sb,
		       void (*fn)(const char *dir, char *name, struct strbuf *sb))
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d)))
		if (*e->d_name != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) < (int)sizeof(path))
			fn(path, e->d_name, sb);
	if (d)
		closedir(d);
}

/* Where a file system of this type is mounted. Returns false if it is not. */
static bool find_mount(const char *root, const char *type, const char *usual, char path[PATH_MAX])
{
	if (!*root)
		return mounts_find(type, NULL, "", path);
	return snprintf(path, PATH_MAX, "%s%s", root, usual) < PATH_MAX;
}

/* ---- pools ----------------------------------------------------------------------------------- */

/* Documentation/admin-guide/blockdev/zram.rst: the third number of mm_stat is mem_used_total. */
static void add_zram(const char *dir, char *name, struct strbuf *sb)
{
	struct holder h = {.kind = HOLDER_zram, .name = name};

	if (!strncmp(name, "zram", 4) && read_number(dir, "mm_stat", 2, &h.v[HOLDER_NR_bytes]) &&
	    h.v[HOLDER_NR_bytes])
		holder_write(sb, &h);
}

/* "hugepages-2048kB" */
static void add_huge_pages(const char *dir, char *name, struct strbuf *sb)
{
	struct holder h = {.kind = HOLDER_hugetlb};
	int64_t kib, nr, nr_free = 0;
	const char *at = strchr(name, '-');

	if (!at)
		return;
	at++;
	if (!scan_number(&at, &kib) || !read_number(dir, "nr_hugepages", 0, &nr) || !nr)
		return;
	read_number(dir, "free_hugepages", 0, &nr_free);
	h.v[HOLDER_NR_size] = kib * 1024;
	h.v[HOLDER_NR_bytes] = nr * kib * 1024;
	h.v[HOLDER_NR_free] = nr_free * kib * 1024;
	holder_write(sb, &h);
}

/* Pages allocated for devices: counted by the kernel since 6.8. */
static void add_cma(const char *dir, char *name, struct strbuf *sb)
{
	struct holder h = {.kind = HOLDER_cma, .name = name};
	const int64_t page = sysconf(_SC_PAGESIZE);
	int64_t taken, released;

	if (!read_number(dir, "alloc_pages_success", 0, &taken) ||
	    !read_number(dir, "release_pages_success", 0, &released) || taken <= released)
		return;
	h.v[HOLDER_NR_bytes] = (taken - released) * page;
	holder_write(sb, &h);
}

/* The ring buffers of a tracing instance, and its second ones, of snapshots. */
static void add_trace_buffer(const char *dir, char *name, struct strbuf *sb)
{
	struct holder h = {.kind = HOLDER_trace_buffer, .name = name};
	int64_t kib;

	if (!read_number(dir, "buffer_total_size_kb", 0, &kib) || !kib)
		return;
	h.v[HOLDER_NR_bytes] = kib * 1024;
	holder_write(sb, &h);
}

static void add_trace_buffers(const char *root, struct strbuf *sb)
{
	char dir[PATH_MAX], instances[PATH_MAX], name[] = "the first instance";

	if (!find_mount(root, "tracefs", "/sys/kernel/tracing", dir))
		return;
	add_trace_buffer(dir, name, sb);
	if (snprintf(instances, sizeof(instances), "%s/instances", dir) < (int)sizeof(instances))
		each_entry(instances, sb, add_trace_buffer);
}

/* drivers/dma-buf/dma-buf.c: dma_buf_debug_show(): size, flags, mode, count, exporter, inode. */
static void add_dma_buffers(const char *debugfs, struct strbuf *sb)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	struct scan s;

	if (snprintf(path, sizeof(path), "%s/dma_buf/bufinfo", debugfs) >= (int)sizeof(path) ||
	    !read_small(&text, path))
		return;
	scan_init(&s, text.buf, text.len);
	while (scan_next(&s)) {
		struct holder h = {.kind = HOLDER_dma_buf};
		const char *at = s.line;
		char exporter[64];

		if (!scan_number(&at, &h.v[HOLDER_NR_bytes]) || *at != '\t' ||
		    sscanf(at, "%*x %*x %*d %63s", exporter) != 1)
			continue;
		h.name = exporter;
		holder_write(sb, &h);
	}
}

/* ---- the per-CPU allocator ------------------------------------------------------------------- */

/* Bytes per CPU, from mm/percpu-stats.c (CONFIG_PERCPU_STATS): "  static_size  :  185496". */
static bool first_chunk_of_stats(const char *debugfs, int64_t *ret_bytes)
{
	static const char *const parts[] = {"  static_size ", "  reserved_size ", "  dyn_size "};
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX];
	int64_t sum = 0;

	if (snprintf(path, sizeof(path), "%s/percpu_stats", debugfs) >= (int)sizeof(path) ||
	    !read_small(&text, path))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *at = strstr(text.buf, parts[i]);
		int64_t bytes;

		at = at ? strchr(at, ':') : NULL;
		if (!at)
			return false;
		at++;
		if (!scan_number(&at, &bytes))
			return false;
		sum += bytes;
	}
	*ret_bytes = sum;
	return true;
}

/* The same from the kernel's log, if it still has its beginning: "percpu: Embedded 64 pages/cpu".
 */
static bool first_chunk_of_log(int64_t *ret_bytes)
{
	static const char before[] = "percpu: Embedded ";
	_cleanup_close_ int fd = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char record[8193];
	ssize_t n;

	/* -EPIPE: the next record was overwritten */
	while (fd >= 0 && ((n = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE)) {
		const char *at;

		record[n > 0 ? n : 0] = '\0';
		at = strstr(record, before);
		if (!at)
			continue;
		at += strlen(before);
		if (!scan_number(&at, ret_bytes) || strncmp(at, " pages/cpu", 10) != 0)
			return false;
		*ret_bytes *= sysconf(_SC_PAGESIZE);
		return true;
	}
	return false;
}

static size_t nr_possible_cpus(const char *root)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	_cleanup_(cpulist_deinit) struct cpulist cpus = CPULIST_INIT;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/possible", root);
	if (!read_small(&text, path))
		return 0;
	text.buf[strcspn(text.buf, "\n")] = '\0';
	return cpulist_parse(&cpus, text.buf, NULL) ? 0 : cpus.nr;
}

static void add_first_chunk(const char *root, const char *debugfs, struct strbuf *sb)
{
	struct holder h = {.kind = HOLDER_percpu_first};
	const int64_t page = sysconf(_SC_PAGESIZE);
	int64_t bytes;

	if (!first_chunk_of_stats(debugfs, &bytes) && (*root || !first_chunk_of_log(&bytes)))
		return;
	h.v[HOLDER_NR_bytes] = (bytes + page - 1) / page * page * (int64_t)nr_possible_cpus(root);
	holder_write(sb, &h);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void each_below(const char *root, const char *dir, struct strbuf *sb,
		       void (*fn)(const char *dir, char *name, struct strbuf *sb))
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, dir);
	each_entry(path, sb, fn);
}

int collect_holders(const char *root, struct strbuf *sb)
{
	const uint64_t deadline_ns = now_ns() + COLLECT_NS;
	struct table owners;
	char debugfs[PATH_MAX];
	int ret;

	each_below(root, "/sys/block", sb, add_zram);
	each_below(root, "/sys/kernel/mm/hugepages", sb, add_huge_pages);
	each_below(root, "/sys/kernel/mm/cma", sb, add_cma);
	add_trace_buffers(root, sb);
	if (!find_mount(root, "debugfs", "/sys/kernel/debug", debugfs))
		debugfs[0] = '\0';
	add_dma_buffers(debugfs, sb);
	add_first_chunk(root, debugfs, sb);
	table_init(&owners, sizeof(struct bpf_owner), sizeof(uint64_t));
	ret = collect_tasks(root, deadline_ns, &owners, sb);
	if (!ret && !*root)
		collect_bpf(deadline_ns, &owners, sb);
	table_deinit(&owners);
	return ret || sb->failed ? -ENOMEM : 0;
}
