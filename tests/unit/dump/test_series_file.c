// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of snapshots grows by whole snapshots, and loses an incomplete one. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_root.h"
#include "util/base/strbuf.h"
#include "util/dump/archive_entries.h"
#include "util/dump/archive_series.h"
#include "util/dump/series_file.h"
#include "util/dump/take.h"

static struct scratch_root root;
static char path[80];

static int keep(void *ctx, const uint8_t *data, size_t len)
{
	return strbuf_add(ctx, data, len);
}

static void take(struct strbuf *archive, bool is_series)
{
	const struct snapshot_taking how = {
		.root = root.dir, .write = keep, .ctx = archive, .is_series = is_series};
	struct error err = ERROR_INIT;

	assert_int_equal(snapshot_take(&how, &err), 0);
}

static uint64_t count(void)
{
	static const struct source_options how = {.jobs = 1};
	struct source_facts damage;
	struct error err = ERROR_INIT;
	struct input *in;
	uint64_t nr;

	assert_int_equal(input_open(path, &how, &in, &err), 0);
	source_facts_init(&damage);
	assert_int_equal(archive_series_count(in, false, &damage, &nr, &err), 0);
	source_facts_deinit(&damage);
	input_free(in);
	return nr;
}

static void append(const void *data, size_t len)
{
	struct error err = ERROR_INIT;
	struct series_file f;

	assert_int_equal(series_file_open(&f, path, &err), 0);
	assert_int_equal(series_file_append(&f, data, len), 0);
	series_file_close(&f);
}

static void test_it_grows(void **state)
{
	struct strbuf one = STRBUF_INIT;

	(void)state;
	take(&one, true);
	append(one.buf, one.len);
	assert_int_equal(count(), 1);
#ifdef HAVE_LIBZSTD
	append(one.buf, one.len);
	append(one.buf, one.len);
	assert_int_equal(count(), 3);
#endif
	strbuf_deinit(&one);
	unlink(path);
}

#ifdef HAVE_LIBZSTD

static void test_an_incomplete_snapshot_is_removed(void **state)
{
	struct strbuf one = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct series_file f;

	(void)state;
	take(&one, true);
	append(one.buf, one.len);
	for (size_t part = 1; part < one.len; part += 97) {
		append(one.buf, part);
		assert_int_equal(count(), 1);
		assert_int_equal(series_file_open(&f, path, &err), 0);
		assert_int_equal(f.cut, part);
		assert_int_equal(f.len, one.len);
		series_file_close(&f);
	}
	strbuf_deinit(&one);
	unlink(path);
}

#endif

static void test_other_files_are_refused(void **state)
{
	struct strbuf one = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct series_file f;
	struct stat st;
	FILE *out;

	(void)state;
	take(&one, false);
	out = fopen(path, "w");
	assert_non_null(out);
	fwrite(one.buf, 1, one.len, out);
	fclose(out);
	assert_int_equal(series_file_open(&f, path, &err), -EEXIST);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, one.len);
	assert_int_equal(series_file_open(&f, root.dir, &err), -EISDIR);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(series_file_open(&f, path, &err), -ELOOP);
	unlink(path);
	strbuf_deinit(&one);
}

static void test_one_writer(void **state)
{
	struct error err = ERROR_INIT;
	struct series_file first, second;

	(void)state;
	assert_int_equal(series_file_open(&first, path, &err), 0);
	assert_int_equal(series_file_open(&second, path, &err), -EWOULDBLOCK);
	series_file_close(&first);
	assert_int_equal(series_file_open(&second, path, &err), 0);
	series_file_close(&second);
	unlink(path);
}

static int make_root(void **state)
{
	(void)state;
	if (scratch_root_init(&root))
		return -1;
	snprintf(path, sizeof(path), "%s/series", root.dir);
	scratch_root_put(&root, "/proc/meminfo", "MemTotal:       16000 kB\n");
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	return scratch_root_deinit(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_grows),
#ifdef HAVE_LIBZSTD
		cmocka_unit_test(test_an_incomplete_snapshot_is_removed),
#endif
		cmocka_unit_test(test_other_files_are_refused),
		cmocka_unit_test(test_one_writer),
	};

	return cmocka_run_group_tests_name("series_file", tests, make_root, remove_root);
}
