// SPDX-License-Identifier: GPL-2.0-or-later
/* The first sentence of a series: a process whose sockets grow, beside a cache without a process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"
#include "util/series/series_report.h"

#define NR	  32
#define MINUTE_NS UINT64_C(60000000000)
#define SOCKETS	  10 /* more in each snapshot, of 1024 bytes each */

/* `objects`: those of other_cache that are added in each snapshot, of 1024 bytes, too. `step`: only
 * in the middle of the time. `late`: all snapshots between the first and the last are a little
 * late.
 */
struct case_of {
	unsigned int objects;
	bool step, late;
};

static void add_snapshot(struct series *s, unsigned int i, const struct case_of *c)
{
	const unsigned int grown = c->step ? (i >= NR / 2 ? NR * c->objects : 0) : i * c->objects;
	struct where_texts t;
	struct partition p;

	where_texts_init(&t);
	t.facts.page_size = 4096;
	strbuf_addstr(&t.v[WHERE_MEMINFO].text,
		      "MemTotal: 9000000 kB\nSlab: 8000000 kB\nSUnreclaim: 8000000 kB\n");
	strbuf_addf(&t.v[WHERE_SLABINFO].text,
		    "slabinfo - version: 2.1\n"
		    "sock_inode_cache %u 999999 1024 4 1 : tunables 0 0 0 : slabdata 9999 9999 0\n"
		    "signal_cache %u 999999 1024 4 1 : tunables 0 0 0 : slabdata 9999 9999 0\n",
		    100 + i * SOCKETS, 100 + grown);
	strbuf_addf(&t.v[WHERE_HOLDERS].text, "process pid=7 sockets=%u files=%u name=leaky\n",
		    5 + i * SOCKETS, 5 + i * SOCKETS);
	assert_int_equal(partition_init(&p, &t), 0);
	series_add(s, i * MINUTE_NS + (c->late && i && i + 1 < NR ? 1000 * i : 0), &t, &p);
	partition_deinit(&p);
	where_texts_deinit(&t);
}

/* The report, to be freed. */
static char *report_of(const struct case_of *c, const struct form *form)
{
	struct series_input input = {.nr = NR};
	const struct series_report report = {
		.input = &input, .lines = UINT64_MAX, .advice = {.command = "perf kmem"}};
	const struct render_options options = {.thousands_sep = "", .columns = 200};
	struct document d;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	series_init(&input.series, NR);
	for (unsigned int i = 0; i < NR; i++)
		add_snapshot(&input.series, i, c);
	series_finish(&input.series);
	assert_false(input.series.failed);
	document_init(&d, form->audience);
	series_report_build(&d, (void *)&report);
	assert_int_equal(form->render(out, &options, &d), 0);
	document_deinit(&d);
	series_deinit(&input.series);
	fclose(out);
	return text;
}

/* Returns the number of the document's sentence that begins so, from 1; 0: none. */
static int sentence_of(const struct case_of *c, const char *begin)
{
	char *text = report_of(c, &form_text), *at = NULL;
	int nr = 0, found = 0;

	for (char *line = strtok_r(text, "\n", &at); line && !found;
	     line = strtok_r(NULL, "\n", &at)) {
		nr += strstr(line, " steadily by ") != NULL;
		found = strncmp(line, begin, strlen(begin)) ? 0 : nr;
	}
	free(text);
	return found;
}

static void check(const struct case_of *c, bool process_first)
{
	assert_int_equal(sentence_of(c, "Process leaky 7 grows steadily by 600 sockets/h"),
			 process_first ? 1 : 2);
	assert_int_equal(sentence_of(c, "slab > unreclaimable > "), process_first ? 2 : 1);
}

static void test_a_process_comes_before_a_cache_that_grows_faster(void **state)
{
	(void)state;
	check(&(struct case_of){.objects = 1}, true);
	check(&(struct case_of){.objects = 20 * SOCKETS}, true);
}

/* The process hardly matters. */
static void test_a_cache_that_grows_much_faster_comes_first(void **state)
{
	(void)state;
	check(&(struct case_of){.objects = 200 * SOCKETS}, false);
}

static void test_a_step_is_not_steady(void **state)
{
	(void)state;
	check(&(struct case_of){.objects = 200 * SOCKETS, .step = true}, true);
}

/* Each snapshot is a value of its own, although none was taken at its very time. */
static void test_late_snapshots_are_all_drawn(void **state)
{
	char *text, values[NR * 10] = "\"values\": [";

	(void)state;
	for (unsigned int i = 0; i < NR; i++)
		snprintf(values + strlen(values), sizeof(values) - strlen(values), "%s%u",
			 i ? ", " : "", (100 + i * SOCKETS) * 1024);
	text = report_of(&(struct case_of){.objects = 1, .late = true}, &form_json);
	assert_non_null(strstr(text, values));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_process_comes_before_a_cache_that_grows_faster),
		cmocka_unit_test(test_a_cache_that_grows_much_faster_comes_first),
		cmocka_unit_test(test_a_step_is_not_steady),
		cmocka_unit_test(test_late_snapshots_are_all_drawn),
	};

	return cmocka_run_group_tests_name("series_report", tests, NULL, NULL);
}
