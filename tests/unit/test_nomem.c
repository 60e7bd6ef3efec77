// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Running out of memory, at every single allocation of ours from opening a recording to its report:
 * no crash, no leak (under ASan), and the error is ENOMEM or there is none.
 *
 * malloc() and the like are interposed here for the whole program.  Only what our own code asks for
 * while `failing` is set can fail, and only one allocation, the n-th: libc's regcomp() frees twice
 * when it runs out of memory, and we cannot fix libraries.  (Or `all`, where no library allocates.)
 */
#undef _FORTIFY_SOURCE /* the macros of the functions that are defined here */
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

#include "tests/fixture/fixture.h"
#include "tests/fixture/text_source.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/perfdata/pack.h"
#include "util/perfdata/record.h"
#include "util/report/report.h"
#include "util/report/report_stat.h"
#include "util/session/unpack_queue.h"
#include "util/tracepoint/tracefs_formats.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

static bool failing, all;
static uint64_t countdown;

/* The bounds of the program, which includes the library under test. */
extern const char __executable_start[], etext[];

/* Should this one fail? */
static bool fails(const void *caller)
{
	const char *p = caller;

	if (!failing || p < __executable_start || p >= etext)
		return false;
	if (!all && (!countdown || --countdown))
		return false;
	errno = ENOMEM;
	return true;
}

#define FAILS() fails(__builtin_return_address(0))

#ifdef HAVE_ASAN
/* The sanitizer's allocator, by the names that it exports. */
void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t nr, size_t size);
void *__interceptor_realloc(void *p, size_t size);
#define real_malloc  __interceptor_malloc
#define real_calloc  __interceptor_calloc
#define real_realloc __interceptor_realloc
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);
#define real_malloc  __libc_malloc
#define real_calloc  __libc_calloc
#define real_realloc __libc_realloc
#endif

void *malloc(size_t size)
{
	return FAILS() ? NULL : real_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return FAILS() ? NULL : real_calloc(nr, size);
}

void *realloc(void *p, size_t size)
{
	return FAILS() ? NULL : real_realloc(p, size);
}

void *reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return FAILS() ? NULL : real_realloc(p, bytes);
}

char *strndup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = FAILS() ? NULL : real_malloc(len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *strdup(const char *text)
{
	size_t len = strlen(text);
	char *copy = FAILS() ? NULL : real_malloc(len + 1);

	return copy ? memcpy(copy, text, len + 1) : NULL;
}

int asprintf(char **ret, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (FAILS())
		return -1;
	va_start(ap, fmt);
	n = vasprintf(ret, fmt, ap);
	va_end(ap);
	return n;
}

/* Called by a fortified asprintf(). */
int __attribute__((format(printf, 3, 4)))
__asprintf_chk(char **ret, int flag, const char *fmt, ...);
int __asprintf_chk(char **ret, int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	if (FAILS())
		return -1;
	va_start(ap, fmt);
	n = vasprintf(ret, fmt, ap);
	va_end(ap);
	return n;
}

/*
 * All keys, lifetimes and formats: what does not fail prints the same as with enough memory.  A
 * failed allocation never becomes a figure.
 */
struct question {
	const struct event_source_ops *source; /* NULL: found out */
	struct kmem_options options;
	struct report_options report;
	const struct form *form;
};

#define ALL_TABLES                                                                                 \
	.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true}, .lifetimes = true, .jobs = 1,    \
	.tables[ACCOUNT_slab].v = {{{KEY_CALLSITE, KEY_CACHE, KEY_COMM, KEY_STACK, KEY_MODULE,     \
				     KEY_SIZE},                                                    \
				    6},                                                            \
				   {{KEY_PTR}, 1}},                                                \
	.tables[ACCOUNT_page].v = {{{KEY_CALLSITE, KEY_ORDER, KEY_GFP, KEY_MIGRATETYPE,            \
				     KEY_STACK},                                                   \
				    5},                                                            \
				   {{KEY_PAGE}, 1}},                                               \
	.tables[ACCOUNT_slab].nr = 2, .tables[ACCOUNT_page].nr = 2
#define ALL_ROWS                                                                                   \
	.by[ACCOUNT_slab] = {{.lines = LINES_ALL}, {.lines = 7}},                                  \
	.by[ACCOUNT_page] = {{.lines = LINES_ALL}, {.lines = 7, .stock = true}},                   \
	.lifetimes = true, .header = true, .thousands_sep = ","

/* Every table of CSV goes there, too. */
static FILE *open_same(void *ctx, const char *name)
{
	(void)name;
	return ctx;
}

static int ask(const char *path, const struct question *q, char **ret_text, struct error *err)
{
	static const struct source_options reader = {.force = true, .jobs = 1};
	struct event_source *source = NULL;
	struct kmem_pipeline a;
	struct render_tables tables = {.open = open_same};
	struct report_options report = q->report;
	bool was_failing = failing;
	size_t size;
	FILE *out;
	int ret = q->source ? q->source->open(path, &reader, &source, err)
			    : event_source_open(path, &reader, &source, err);

	*ret_text = NULL;
	if (ret)
		return ret;
	ret = kmem_pipeline_run(&a, source, &q->options, err);
	if (!ret) {
		failing = false;
		out = open_memstream(ret_text, &size);
		failing = was_failing;
		tables.ctx = out;
		report.tables = &tables;
		ret = report_write_stat(out, q->form, &a, &report, err);
		failing = false;
		fclose(out);
		failing = was_failing;
		kmem_pipeline_deinit(&a);
	}
	event_source_free(source);
	return ret;
}

static void check_figures(const char *path, const struct question *q)
{
	struct error err = ERROR_INIT;
	unsigned int n, refused = 0;
	char *whole = NULL, *text;

	assert_int_equal(ask(path, q, &whole, &err), 0);
	assert_non_null(whole);
	if (!whole)
		return;
	assert_true(strlen(whole) > 1000);
	for (n = 1;; n++) {
		int ret;

		countdown = n;
		failing = true;
		ret = ask(path, q, &text, &err);
		failing = false;
		if (ret && ret != -ENOMEM)
			fail_msg("allocation %u: %d, '%s'", n, ret, err.msg);
		if (!ret && strcmp(text, whole)) {
			size_t at = 0;

			while (text[at] == whole[at])
				at++;
			at -= at < 60 ? at : 60;
			fail_msg(
				"allocation %u failed, and this was printed:\n%.120s\nnot:\n%.120s",
				n, text + at, whole + at);
		}
		free(text);
		refused += ret != 0;
		if (countdown)
			break;
	}
	free(whole);
	assert_true(refused > 50);
}

static void test_a_failed_allocation_is_no_figure(void **state)
{
	static const struct fixture_options le64 = {.long_size = 8, .flags = FIXTURE_CALLCHAIN};
	static const struct column weight = {.name = "bytes", .value = row_bytes};
	static const struct question questions[] = {
		{NULL, {ALL_TABLES}, {ALL_ROWS}, &form_text},
		{NULL, {ALL_TABLES}, {ALL_ROWS}, &form_markdown},
		{NULL, {ALL_TABLES}, {ALL_ROWS, .human = true, .columns = 60}, &form_text},
		{NULL, {ALL_TABLES}, {ALL_ROWS}, &form_json},
		{NULL, {ALL_TABLES}, {ALL_ROWS}, &form_jsonl},
		{NULL, {ALL_TABLES}, {ALL_ROWS}, &form_csv},
		{NULL, {ALL_TABLES}, {ALL_ROWS, .weight = &weight}, &form_folded},
	};
	char dir[] = "/tmp/test_nomem.XXXXXX", path[64], command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/recording", dir);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(fixture_write(&le64, path), 0);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		check_figures(path, &questions[i]);
	assert_int_equal(system(command), 0);
}

/* Sources without samples: the same lines are events of one, and rows of the other. */
static void test_a_failed_allocation_is_no_figure_of_events_or_rows(void **state)
{
	static const char *const heads[] = {"kmem events\n", "kmem rows\n"};
	static const struct event_source_ops *const ops[] = {&event_source_text_events,
							     &event_source_text_rows};
	struct question q = {NULL, {ALL_TABLES}, {ALL_ROWS}, &form_json};

	(void)state;
	/* rows are of no single object */
	q.options.tables[ACCOUNT_slab].nr = q.options.tables[ACCOUNT_page].nr = 1;
	for (size_t i = 0; i < 2; i++) {
		char path[] = "/tmp/test_nomem.XXXXXX";
		FILE *out = fdopen(mkstemp(path), "w");

		assert_non_null(out);
		fputs(heads[i], out);
		for (int n = 1; n <= 300; n++)
			fprintf(out,
				"kmalloc time=%d ptr=0x%d000 req=60 alloc=64 site=0x%d tid=%d "
				"comm=c%d "
				"hits=4 bytes=256 bytes_req=240 live_hits=1 live=64\n"
				"mm_page_alloc time=%d page=%d order=1 stack=0x%d,0x2 comm=c%d "
				"hits=1 "
				"live_hits=1\n",
				n, n, n % 7 + 1, n, n % 9, n, 2 * n, n % 5 + 1, n % 9);
		fclose(out);
		q.source = ops[i];
		check_figures(path, &q);
		unlink(path);
	}
}

/* threads: 0, as many as help; 1, which is quicker under ASan. */
static int analyse(const char *path, unsigned int threads, struct error *err)
{
	static const struct source_options reader = {.force = true, .jobs = 1};
	const struct kmem_options options = {
		.jobs = threads,
		.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
		.tables[ACCOUNT_slab].v = {{{KEY_CALLSITE}, 1}},
		.tables[ACCOUNT_page].v = {{{KEY_CALLSITE, KEY_ORDER, KEY_GFP}, 3}},
		.tables[ACCOUNT_slab].nr = 1,
		.tables[ACCOUNT_page].nr = 1,
	};
	static const struct report_options report = {.by[ACCOUNT_slab] = {{.lines = 5}},
						     .by[ACCOUNT_page] = {{.lines = 5}},
						     .thousands_sep = ""};
	struct event_source *source = NULL;
	struct kmem_pipeline a;
	FILE *out = NULL;
	int ret = event_source_open(path, &reader, &source, err);

	if (!ret) {
		ret = kmem_pipeline_run(&a, source, &options, err);
		if (!ret) {
			out = fopen("/dev/null", "we");
			if (out)
				ret = report_write_stat(out, &form_json, &a, &report, err);
			if (out)
				fclose(out);
			kmem_pipeline_deinit(&a);
		}
	}
	event_source_free(source);
	return ret;
}

/* Make standard input a pipe that contains the file. */
static void put_into_pipe(const struct strbuf *file)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], file->buf, file->len), file->len);
	close(fds[1]);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
}

static void check(const char *name, unsigned int threads, bool piped)
{
	const struct fixture *f = NULL;
	char dir[] = "/tmp/test_nomem.XXXXXX", path[64], command[64];
	_cleanup_(strbuf_deinit) struct strbuf file = STRBUF_INIT;
	unsigned int n, refused = 0;

	for (size_t i = 0; i < fixture_list_nr; i++)
		if (!strcmp(fixture_list[i].name, name))
			f = &fixture_list[i];
	assert_non_null(f);
	if (!fixture_possible(&f->options))
		return;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/recording", dir);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(fixture_write(&f->options, path), 0);
	if (piped)
		assert_int_equal(strbuf_read_file(&file, path), 0);
	for (n = 1;; n++) {
		struct error err = ERROR_INIT;
		int ret;

		if (piped)
			put_into_pipe(&file);
		countdown = n;
		failing = true;
		ret = analyse(piped ? "-" : path, threads, &err);
		failing = false;
		if (countdown)
			break; /* fewer than n allocations: each has failed once */
		if (ret && ret != -ENOMEM)
			fail_msg("%s: allocation %u: %d, '%s'", name, n, ret, err.msg);
		refused += ret != 0;
	}
	assert_int_equal(system(command), 0);
	assert_in_range(n, 50, 1000000);
	assert_true(refused > 20);
}

static void test_file(void **state)
{
	(void)state;
	check("le64-file", 0, false);
}

static void test_big_endian_pipe_packed(void **state)
{
	(void)state;
	check("be64-pipe-z2", 1, false);
}

static void test_through_a_pipe(void **state)
{
	(void)state;
	check("be32-pipe", 1, true);
	check("le64-file", 1, true);
}

static void test_directory(void **state)
{
	(void)state;
	check("be32-directory", 1, false);
	check("le64-directory-z", 1, false);
}

/* No memory for a block, as long as that lasts: it is reported, not waited for. */
static void test_unpacking(void **state)
{
	struct error err = ERROR_INIT;
	char text[] = "a piece";
	struct iovec in = {text, sizeof(text)}, records;
	struct packer *packer;

	(void)state;
	if (!packer_available())
		return;
	assert_int_equal(packer_new(&packer, 1, &err), 0);
	assert_int_equal(packer_feed(packer, &in, 1, &records, &err), 0);
	for (int threaded = 0; threaded < 2; threaded++) {
		struct unpack_queue *q;
		struct unpacked u = {.len = 0};
		struct spans spans = {0};

		assert_int_equal(unpack_queue_new(&q, &spans, threaded), 0);
		assert_int_equal(unpack_queue_open(q, &err), 0);
		unpack_queue_add(q, 1, (const uint8_t *)records.iov_base + RECORD_HEADER_SIZE,
				 records.iov_len - RECORD_HEADER_SIZE);
		failing = all = true;
		for (int i = 0; i < 3; i++)
			assert_int_equal(unpack_queue_take(q, &u), -ENOMEM);
		failing = all = false;
		assert_int_equal(unpack_queue_take(q, &u), 0);
		assert_true(u.last && u.len == sizeof(text) && u.block);
		assert_string_equal((const char *)u.data, text);
		unpack_queue_free(q);
		free(u.block);
		spans_deinit(&spans);
	}
	packer_free(packer);
}

static void test_formats_from_a_tracefs(void **state)
{
	static const struct fixture_options le64 = {.long_size = 8};
	char dir[] = "/tmp/test_nomem.XXXXXX", command[64];
	struct tracefs tracefs;
	unsigned int n, refused = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(fixture_write_tracefs(&le64, dir), 0);
	assert_int_equal(tracefs_at(&tracefs, dir, NULL), 0);
	for (n = 1;; n++) {
		struct error err = ERROR_INIT;
		struct tracing_data td = {.long_size = 8, .page_size = 4096};
		int ret;

		countdown = n;
		failing = true;
		ret = tracefs_formats_read(&td, &tracefs, "kmem", &err);
		failing = false;
		if (!ret)
			tracing_data_deinit(&td);
		if (countdown)
			break;
		if (ret && ret != -ENOMEM)
			fail_msg("allocation %u: %d, '%s'", n, ret, err.msg);
		refused += ret != 0;
	}
	assert_in_range(n, 10, 1000);
	assert_true(refused > 5);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void test_damaged(void **state)
{
	(void)state;
	check("corrupt", 1, false);
	check("unfinished-be", 1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_big_endian_pipe_packed),
		cmocka_unit_test(test_through_a_pipe),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_a_failed_allocation_is_no_figure),
		cmocka_unit_test(test_a_failed_allocation_is_no_figure_of_events_or_rows),
		cmocka_unit_test(test_unpacking),
		cmocka_unit_test(test_formats_from_a_tracefs),
		cmocka_unit_test(test_damaged),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
