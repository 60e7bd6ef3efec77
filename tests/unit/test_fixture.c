// SPDX-License-Identifier: GPL-2.0-or-later
/* Every fixture, all the way from its bytes to the figures. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/allocators.h"
#include "tests/fixture/fixture.h"
#include "util/base/log.h"
#include "util/kmem/pipeline.h"

static char dir[64];

static void path_of(const struct fixture *f, char path[256])
{
	snprintf(path, 256, "%s/%s", dir, f->name);
}

static void remove_fixture(const struct fixture *f, const char *path)
{
	char part[300];

	if (f->options.form == FIXTURE_DIRECTORY) {
		for (int i = 0; i < FIXTURE_PARTS; i++) {
			snprintf(part, sizeof(part), "%s/data.%d", path, i);
			unlink(part);
		}
		snprintf(part, sizeof(part), "%s/data", path);
		unlink(part);
		rmdir(path);
		return;
	}
	unlink(path);
}

static uint64_t pingpong(const struct slab_accounts *slab)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < slab->common.tables[0].rows.nr; i++)
		sum += stat_table_counts(&slab->common.tables[0], i)->pingpong;
	return sum;
}

#define CHECK(what, want)                                                                          \
	do {                                                                                       \
		if ((uint64_t)(what) != (uint64_t)(want))                                          \
			fail_msg("%s: %s is %llu, not %llu", f->name, #what,                       \
				 (unsigned long long)(what), (unsigned long long)(want));          \
	} while (0)

static void check(const struct fixture *f, const struct kmem_pipeline *a)
{
	const struct fixture_expect *e = &f->expect;
	const struct source_facts *r = a->facts;
	uint32_t page_size = f->options.page_size ? f->options.page_size : 4096;

	CHECK(slab_of(&a->accounts)->summary.bytes_requested, e->bytes_requested);
	CHECK(slab_of(&a->accounts)->summary.bytes_allocated, e->bytes_allocated);
	CHECK(slab_of(&a->accounts)->summary.bytes_freed, e->bytes_freed);
	CHECK(slab_of(&a->accounts)->summary.allocations, e->allocations);
	CHECK(slab_of(&a->accounts)->summary.frees, e->frees);
	CHECK(slab_of(&a->accounts)->summary.frees_unmatched, e->frees_unmatched);
	CHECK(slab_of(&a->accounts)->summary.live, e->live);
	CHECK(pingpong(slab_of(&a->accounts)), e->pingpong);
	CHECK(page_of(&a->accounts)->summary.alloc_requests, e->alloc_requests);
	CHECK(page_of(&a->accounts)->summary.alloc_bytes, e->alloc_pages * page_size);
	CHECK(page_of(&a->accounts)->summary.free_requests, e->free_requests);
	CHECK(page_of(&a->accounts)->summary.matched_requests, e->matched_requests);
	CHECK(page_of(&a->accounts)->summary.free_only_requests, e->free_only_requests);
	CHECK(page_of(&a->accounts)->summary.failures, e->page_failures);
	CHECK(page_of(&a->accounts)->summary.live, e->page_live);
	CHECK(r->nr_lost, e->lost);
	CHECK(r->nr_disordered, e->disordered);
	CHECK(r->damage.nr_skipped_records, e->skipped_records);
	CHECK(r->damage.truncated, e->truncated);
	CHECK(r->damage.what[0] != '\0', e->truncated || e->skipped_records);
	CHECK(r->nr_unknown_ids, 0);
	CHECK(r->big_endian, f->options.big_endian);
	CHECK(a->decoding.trace.long_size, f->options.long_size);
	if (!(f->options.flags & FIXTURE_UNFINISHED)) {
		assert_string_equal(r->hostname, "fixture");
		CHECK(r->nr_nodes, 2);
		CHECK(source_facts_wall_clock_ns(r),
		      86399000000000 + source_facts_span(r).start_ns);
		CHECK(source_facts_cpu_node(r, 1), 0);
		CHECK(source_facts_cpu_node(r, 3), 1);
	}
	CHECK(r->damage.nr_unknown_records, f->options.flags & FIXTURE_NOISE ? 2 : 0);
}

static void check_cgroups(const struct fixture *f, const struct kmem_pipeline *a)
{
	static const struct {
		const char *path;
		uint64_t hits;
	} want[] = {{"/first", 50}, {"/second/sub", 25}, {"13", 25}};
	const struct stat_table *t = &slab_of(&a->accounts)->common.tables[0];

	CHECK(t->rows.nr, 3);
	for (uint32_t i = 0; i < t->rows.nr; i++) {
		uint32_t path = (uint32_t)*stat_table_keys(t, i);
		const char *text = intern_get(&a->naming.names.strings, path, NULL);
		uint64_t hits = 0;

		for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++)
			if (!strcmp(want[k].path, text))
				hits = want[k].hits;
		if (!hits)
			fail_msg("%s: there is no cgroup '%s'", f->name, text);
		CHECK(stat_table_counts(t, i)->hits, hits);
	}
}

static void run(const struct fixture *f, const char *path)
{
	static const struct source_options reader = {.force = true};
	const bool cgroups = f->options.flags & FIXTURE_CGROUP;
	const struct kmem_options options = {
		.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
		.tables[ACCOUNT_slab].v = {{{cgroups ? KEY_CGROUP : KEY_CALLSITE}, 1}},
		.tables[ACCOUNT_page].v = {{{KEY_CALLSITE, KEY_ORDER, KEY_GFP}, 3}},
		.tables[ACCOUNT_slab].nr = 1,
		.tables[ACCOUNT_page].nr = 1,
	};
	struct error err = ERROR_INIT;
	struct event_source *source;
	struct kmem_pipeline a;

	if (event_source_open(path, &reader, &source, &err))
		fail_msg("%s: %s", f->name, err.msg);
	if (kmem_pipeline_run(&a, source, &options, &err))
		fail_msg("%s: %s", f->name, err.msg);
	check(f, &a);
	if (cgroups)
		check_cgroups(f, &a);
	kmem_pipeline_deinit(&a);
	event_source_free(source);
}

static void test_known_figures(void **state)
{
	char path[256];

	(void)state;
	for (size_t i = 0; i < fixture_list_nr; i++) {
		const struct fixture *f = &fixture_list[i];

		if (!fixture_possible(&f->options))
			continue;
		path_of(f, path);
		assert_int_equal(fixture_write(&f->options, path), 0);
		run(f, path);
		remove_fixture(f, path);
	}
}

/* The same stream, and a file, through a pipe. */
static void test_pipe_is_file(void **state)
{
	char command[600], path[256];
	int saved = dup(STDIN_FILENO);

	(void)state;
	for (size_t i = 0; i < fixture_list_nr; i++) {
		const struct fixture *f = &fixture_list[i];
		FILE *pipe;

		if (!fixture_possible(&f->options) || f->options.form == FIXTURE_DIRECTORY)
			continue;
		path_of(f, path);
		assert_int_equal(fixture_write(&f->options, path), 0);
		snprintf(command, sizeof(command), "exec cat %s", path);
		pipe = popen(command, "re");
		assert_non_null(pipe);
		dup2(fileno(pipe), STDIN_FILENO);
		run(f, "-");
		dup2(saved, STDIN_FILENO);
		pclose(pipe);
		remove_fixture(f, path);
	}
	close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_figures),
		cmocka_unit_test(test_pipe_is_file),
	};
	int failed;

	snprintf(dir, sizeof(dir), "/tmp/test_fixture.XXXXXX");
	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	log_set_level(LOG_QUIET);
	failed = cmocka_run_group_tests_name("fixture", tests, NULL, NULL);
	return rmdir(dir) || failed;
}
