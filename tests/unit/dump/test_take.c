// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot of a made-up machine, taken and read again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_root.h"
#include "tests/unit/skip.h"
#include "util/base/strbuf.h"
#include "util/dump/archive.h"
#include "util/dump/take.h"
#include "util/source/source_table.h"

static struct scratch_root root;

static void put(const char *path, const char *text)
{
	scratch_root_put(&root, path, text);
}

static int keep(void *ctx, const uint8_t *data, size_t len)
{
	return strbuf_add(ctx, data, len);
}

static int refuse(void *ctx, const uint8_t *data, size_t len)
{
	(void)ctx, (void)data, (void)len;
	return -ENOSPC;
}

static void take_to(const char *path)
{
	struct strbuf archive = STRBUF_INIT;
	const struct snapshot_taking how = {.root = root.dir, .write = keep, .ctx = &archive};
	struct error err = ERROR_INIT;
	FILE *f;

	assert_int_equal(snapshot_take(&how, &err), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(archive.buf, 1, archive.len, f), archive.len);
	fclose(f);
	strbuf_deinit(&archive);
}

struct sums {
	uint64_t rows, slab_bytes, page_bytes;
};

static int add_row(void *ctx, const struct complete_event *keys,
		   const struct source_figures *figures, struct error *err)
{
	struct sums *sums = ctx;

	(void)err;
	sums->rows++;
	if (!strcmp(keys->source->name, "slabinfo"))
		sums->slab_bytes += figures->bytes_req;
	else
		sums->page_bytes += figures->live_bytes;
	return 0;
}

static void check_table(const struct source_facts *f, const char *id, const char *name,
			unsigned int column, uint64_t want)
{
	for (size_t i = 0; i < f->nr_tables; i++) {
		uint32_t row;

		if (strcmp(f->tables[i].kind->id, id) != 0)
			continue;
		row = source_table_find(&f->tables[i], name);
		assert_int_not_equal(row, INTERN_NONE);
		assert_int_equal(source_table_value(&f->tables[i], row, column), want);
		return;
	}
	fail_msg("there is no table %s", id);
}

static void test_what_is_taken_is_read(void **state)
{
	static const struct event_sink sink = {.row = add_row};
	static const struct source_options options = {.force = true};
	struct error err = ERROR_INIT;
	struct event_source *source;
	struct sums sums = {0};
	char path[80];
	int ret;

	(void)state;
	put("/proc/meminfo", "MemTotal:       16000 kB\nHugePages_Total:       3\n");
	put("/proc/buddyinfo", "Node 0, zone   Normal      7      2      0\n");
	put("/proc/vmstat", "nr_free_pages 123\n");
	put("/proc/slabinfo", "slabinfo - version: 2.1\n# name\n"
			      "dentry 10 20 192 21 1 : tunables 0 0 0 : slabdata 1 1 0\n");
	put("/proc/allocinfo", "allocinfo - version: 1.0\n# size\n"
			       " 4096 1 fs/pipe.c:791 func:alloc_pipe_info \n");
	put("/sys/kernel/debug/page_owner_stacks/show_stacks",
	    " vfs_read+0x1/0x2\nnr_base_pages: 3\n\n");
	snprintf(path, sizeof(path), "%s/snapshot", root.dir);
	take_to(path);
	ret = event_source_open(path, &options, &source, &err);
	if (ret == -ENOTSUP)
		skip_because(err.msg);
	assert_int_equal(ret, 0);
	assert_string_equal(source->ops->name, "snapshot");
	assert_int_equal(event_source_read(source, &sink, &sums, &err), 0);
	assert_string_equal(source->facts->damage.what, "");
	assert_true(source->facts->wall_clock_ns > 0);
	assert_non_null(source->facts->osrelease);
	assert_non_null(strstr(source->facts->missing, "page_owner: this kernel has none"));
	assert_null(strstr(source->facts->missing, "slabinfo"));
	assert_int_equal(sums.rows, 2);
	assert_int_equal(sums.slab_bytes, 1920);
	assert_int_equal(sums.page_bytes, 3 * (uint64_t)source->facts->page_size);
	check_table(source->facts, "meminfo", "MemTotal", 0, 16000 * 1024);
	check_table(source->facts, "buddyinfo", "Node 0, zone Normal", 1, 2);
	check_table(source->facts, "vmstat", "nr_free_pages", 0, 123);
	check_table(source->facts, "allocinfo", "alloc_pipe_info@fs/pipe.c:791", 0, 4096);
	event_source_free(source);
}

static void test_a_part_may_be_read_alone(void **state)
{
	const struct source_options options = {.force = true, .format = "allocinfo"};
	const struct source_options lacks = {.force = true, .format = "perfdata"};
	static const struct event_sink sink = {.row = add_row};
	struct error err = ERROR_INIT;
	struct event_source *source;
	struct sums sums = {0};
	char path[80];
	int ret;

	(void)state;
	snprintf(path, sizeof(path), "%s/snapshot", root.dir);
	ret = event_source_open(path, &options, &source, &err);
	if (ret == -ENOTSUP)
		skip_because(err.msg);
	assert_int_equal(ret, 0);
	assert_int_equal(event_source_read(source, &sink, &sums, &err), 0);
	assert_int_equal(sums.rows, 1);
	assert_int_equal(sums.page_bytes, 4096);
	assert_int_equal(source->facts->nr_tables, 0);
	event_source_free(source);
	assert_int_equal(event_source_open(path, &lacks, &source, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is a snapshot, in which perfdata cannot be"));
}

static void test_errors(void **state)
{
	const struct snapshot_taking full = {.root = root.dir, .write = refuse};
	const struct snapshot_taking nothing = {.root = "/nonexistent", .write = refuse};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(snapshot_take(&full, &err), -ENOSPC);
	assert_int_equal(snapshot_take(&nothing, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "nothing can be read"));
}

static void test_what_a_kernel_needs(void **state)
{
	(void)state;
	assert_string_equal(snapshot_text_needs("/sys/kernel/debug/page_owner"),
			    "CONFIG_PAGE_OWNER and page_owner=on");
	assert_string_equal(snapshot_text_needs("/proc/allocinfo"),
			    "since 6.10, CONFIG_MEM_ALLOC_PROFILING");
	assert_null(snapshot_text_needs("page_owner"));
	assert_null(snapshot_text_needs("/proc/meminfo"));
	assert_null(snapshot_text_needs("/sys/kernel/debug/"));
	assert_null(snapshot_text_needs(""));
}

static int setup(void **state)
{
	(void)state;
	return scratch_root_init(&root);
}

static int teardown(void **state)
{
	(void)state;
	return scratch_root_deinit(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_taken_is_read),
		cmocka_unit_test(test_a_part_may_be_read_alone),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_what_a_kernel_needs),
	};

	return cmocka_run_group_tests_name("take", tests, setup, teardown);
}
