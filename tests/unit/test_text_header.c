// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "util/report/text_header.h"

static void check(const struct source_facts *r, int columns, const char *want)
{
	static struct kmem_analysis a;
	struct report_options o = {.header = true, .thousands_sep = "", .columns = columns};
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	a.recording = r;
	text_header_print(out, &a, &o);
	fclose(out);
	a.recording = NULL;
	assert_string_equal(buf, want);
	free(buf);
}

static struct source_facts recording(void)
{
	return (struct source_facts){
		.hostname = (char *)"web1",
		.osrelease = (char *)"6.12.0",
		.arch = (char *)"x86_64",
		.cmdline = (char *)"perf kmem record -- make",
		.first_ns = 1000000000,
		.last_ns = 4500000000,
		.nr_samples = 1234,
		.wall_clock_ns = 1763779267123456789,
	};
}

static void test_host_date_length_events_and_command(void **state)
{
	struct source_facts r = recording();

	(void)state;
	check(&r, 0,
	      "# Host:     web1, Linux 6.12.0, x86_64\n"
	      "# Recorded: 2025-11-22 02:41:07 +0000, 3.50 s, 1234 events\n"
	      "# Command:  perf kmem record -- make\n");
}

static void test_the_date_is_in_the_readers_time_zone(void **state)
{
	struct source_facts r = {.nr_samples = 1, .wall_clock_ns = 1763779267000000000};

	(void)state;
	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	check(&r, 0, "# Recorded: 2025-11-22 08:11:07 +0530, 0 ns, 1 event\n");
	setenv("TZ", "UTC0", 1);
	tzset();
}

static void test_cpus_that_went_offline(void **state)
{
	struct source_facts r = {.nr_samples = 1};
	int cpus[] = {1, 3, 4};

	(void)state;
	r.offline = (struct cpulist){cpus, 1};
	check(&r, 0,
	      "# Recorded: 0 ns, 1 event\n"
	      "# Offline:  CPU 1 went offline while recorded: what happened there later is "
	      "missing, "
	      "and what was\n#           freed there counts as live.\n");
	r.offline.nr = 3;
	check(&r, 0,
	      "# Recorded: 0 ns, 1 event\n"
	      "# Offline:  CPUs 1, 3 and 4 went offline while recorded: what happened there later "
	      "is "
	      "missing, and\n#           what was freed there counts as live.\n");
}

static void test_what_is_not_told_is_left_out(void **state)
{
	struct source_facts r = {.arch = (char *)"s390x", .hostname = (char *)""};

	(void)state;
	check(&r, 0, "# Host:     s390x\n# Recorded: 0 events\n");
}

static void test_a_pair_of_clocks_is_a_date(void **state)
{
	struct source_facts r = {.nr_samples = 2, .first_ns = 5000000000, .last_ns = 6000000000};

	(void)state;
	/* told at 7 s of the events' clock: the first event was two seconds before */
	r.clock.wall_ns = 1763779269000000000;
	r.clock.event_ns = 7000000000;
	check(&r, 0, "# Recorded: 2025-11-22 02:41:07 +0000, 1.00 s, 2 events\n");
}

static void test_nothing_is_wider_than_the_terminal(void **state)
{
	struct source_facts r = recording();

	(void)state;
	r.cmdline = (char *)"/a/very/long/path/to/perf kmem record";
	check(&r, 30,
	      "# Host:     web1, Linux\n"
	      "#           6.12.0, x86_64\n"
	      "# Recorded: 2025-11-22\n"
	      "#           02:41:07 +0000,\n"
	      "#           3.50 s, 1234\n"
	      "#           events\n"
	      "# Command:  /a/very/long/path/\n"
	      "#           to/perf kmem\n"
	      "#           record\n");
}

static void test_nothing_reaches_the_terminal_unseen(void **state)
{
	struct source_facts r = {.hostname = (char *)"\033[31m\n#x", .cmdline = (char *)"a\rb"};

	(void)state;
	check(&r, 0, "# Host:     ?[31m?#x\n# Recorded: 0 events\n# Command:  a?b\n");
}

static void test_a_long_command_is_cut(void **state)
{
	struct source_facts r = {.hostname = NULL};
	static char line[100000];
	char *buf = NULL;
	struct kmem_analysis *a = calloc(1, sizeof(*a));
	struct report_options o = {.header = true, .thousands_sep = ""};
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	(void)state;
	assert_non_null(a);
	memset(line, 'x', sizeof(line) - 1);
	r.cmdline = line;
	a->recording = &r;
	text_header_print(out, a, &o);
	fclose(out);
	assert_in_range(len, 200, 400);
	assert_string_equal(buf + len - 4, "...\n");
	free(buf);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_date_length_events_and_command),
		cmocka_unit_test(test_the_date_is_in_the_readers_time_zone),
		cmocka_unit_test(test_cpus_that_went_offline),
		cmocka_unit_test(test_what_is_not_told_is_left_out),
		cmocka_unit_test(test_a_pair_of_clocks_is_a_date),
		cmocka_unit_test(test_nothing_is_wider_than_the_terminal),
		cmocka_unit_test(test_nothing_reaches_the_terminal_unseen),
		cmocka_unit_test(test_a_long_command_is_cut),
	};

	setenv("TZ", "UTC0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
