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

#include "util/accounts/page.h"
#include "util/accounts/slab.h"
#include "util/report/recording_part.h"

/* The text that one of its functions adds to a document, in one format. */
static char *written_of(const struct source_facts *f, const struct kmem_accounts *accounts,
			const struct form *form, int columns,
			void (*add)(struct document_section *in, const struct report_context *c))
{
	const struct report_options o = {.thousands_sep = ""};
	const struct render_options render = {.thousands_sep = "", .columns = columns};
	static const struct naming naming = {.page_size = 4096};
	const struct report_context c = {
		.facts = f, .accounts = accounts, .options = &o, .naming = &naming};
	struct document d;
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	document_init(&d, form->audience);
	add(&d.root, &c);
	assert_false(document_failed(&d));
	assert_int_equal(form->render(out, &render, &d), 0);
	document_deinit(&d);
	fclose(out);
	return buf;
}

static char *written(const struct source_facts *f, const struct form *form, int columns,
		     void (*add)(struct document_section *in, const struct report_context *c))
{
	static const struct kmem_accounts none;

	return written_of(f, &none, form, columns, add);
}

static void check(const struct source_facts *f, int columns, const char *want)
{
	char *text = written(f, &form_text, columns, recording_add_header);

	assert_string_equal(text, want);
	free(text);
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
	      "# Offline:  CPU 1 went offline during the recording: later events there are "
	      "missing, and memory\n"
	      "#           freed there counts as live.\n");
	r.offline.nr = 3;
	check(&r, 0,
	      "# Recorded: 0 ns, 1 event\n"
	      "# Offline:  CPUs 1, 3 and 4 went offline during the recording: later events there "
	      "are missing, and\n"
	      "#           memory freed there counts as live.\n");
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
	/* taken at 7 s on the events' clock: the first event was two seconds earlier */
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
	static char line[100000];
	struct source_facts r = {.cmdline = line};
	char *text;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	text = written(&r, &form_text, 0, recording_add_header);
	assert_in_range(strlen(text), 200, 400);
	assert_string_equal(text + strlen(text) - 4, "...\n");
	free(text);
}

static void add_short(struct document_section *in, const struct report_context *c)
{
	recording_add_short_header(in, "Before", c);
}

static void test_one_of_several_has_its_path(void **state)
{
	struct source_facts r = {.path = (char *)"old.data", .hostname = (char *)"web1"};
	char *text = written(&r, &form_text, 0, add_short);

	(void)state;
	assert_string_equal(text, "# Before:   old.data: web1, 0 events\n");
	free(text);
}

static void test_what_is_missing_is_told(void **state)
{
	struct source_event alloc = {.name = (char *)"kmem:kmalloc",
				     .nr_samples = 3,
				     .nr_lost = 1,
				     .period = 10,
				     .type = 2},
			    dummy = {.name = (char *)"dummy:u", .is_dummy = true, .nr_lost = 1};
	struct source_event *events[] = {&alloc, &dummy};
	struct source_facts r = {.events = events, .nr_events = 2, .nr_samples = 3, .nr_lost = 1};
	char *text = written(&r, &form_text, 0, recording_add_warnings);

	(void)state;
	assert_non_null(strstr(text, "# ONE EVENT IN 10\n"));
	assert_non_null(
		strstr(text, "# LOST EVENTS\n# -----------\n"
			     "#   all events                   1 of 4 (25.0%)\n"
			     "#   kmem:kmalloc                 1 of 4 (25.0%)\n# Hits and bytes"));
	assert_null(strstr(text, "PARTIAL"));
	free(text);
	r = (struct source_facts){.stop = {true, 1, 2}};
	text = written(&r, &form_text, 0, recording_add_warnings);
	assert_non_null(strstr(text, "# PARTIAL REPORT\n"));
	assert_null(strstr(text, "LOST"));
	free(text);
}

static void test_what_to_do_about_losses_is_for_who_recorded(void **state)
{
	struct source_facts r = {.nr_samples = 3, .nr_lost = 1};
	const struct {
		bool is_live, is_default;
		const char *want;
	} cases[] = {
		{false, true, "Larger buffers (record -m 64M)\n# lose less.\n"},
		{true, false, "Larger buffers (-m 64M) lose less.\n"},
		{false, false, "Larger buffers lose less.\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;

		r.is_live = cases[i].is_live;
		r.is_default = cases[i].is_default;
		text = written(&r, &form_text, 0, recording_add_warnings);
		assert_non_null(strstr(text, cases[i].want));
		free(text);
	}
}

static void test_a_sample_is_told(void **state)
{
	struct slab_accounts slab = {.common = {.sample_mask = 3}};
	struct page_accounts page = {.common = {.sample_mask = 0}};
	const struct kmem_accounts accounts = {.v[ACCOUNT_slab] = {.state = &slab},
					       .v[ACCOUNT_page] = {.state = &page}};
	struct source_facts r = recording();
	char *text = written_of(&r, &accounts, &form_text, 0, recording_add_warnings);

	(void)state;
	assert_string_equal(
		text, "#\n# SAMPLED\n# -------\n"
		      "#   allocations of objects       one in 4 is followed\n"
		      "# More were live than there is memory for (--memory, --max-live). Hits and "
		      "bytes are exact.\n# Figures of live memory and of frees are estimates: each "
		      "followed one counts for the\n# others, too.\n\n");
	free(text);
	page.common.sample_mask = 1;
	text = written_of(&r, &accounts, &form_text, 0, recording_add_warnings);
	assert_non_null(strstr(
		text,
		"4 is followed\n#   allocations of pages         one in 2 is followed\n# More"));
	free(text);
	text = written_of(&r, &accounts, &form_json, 0, recording_add_warnings);
	assert_null(strstr(text, "SAMPLED"));
	free(text);
}

static void add_facts(struct document_section *in, const struct report_context *c)
{
	recording_add_facts(in, "recording", c);
}

static void test_programs_are_told_of_a_sample(void **state)
{
	struct page_accounts page = {.common = {.sample_mask = 7}};
	const struct kmem_accounts accounts = {.v[ACCOUNT_page] = {.state = &page}};
	struct source_facts r = recording();
	char *text = written_of(&r, &accounts, &form_json, 0, add_facts);

	(void)state;
	assert_non_null(strstr(text, "\"live_sample_one_in\": 8"));
	free(text);
	text = written(&r, &form_json, 0, add_facts);
	assert_null(strstr(text, "live_sample"));
	free(text);
}

static void test_programs_get_all_facts(void **state)
{
	struct source_event alloc = {.name = (char *)"kmem:kmalloc", .nr_samples = 3, .nr_lost = 1},
			    free_event = {.name = (char *)"kmem:kfree", .period = 7};
	struct source_event *events[] = {&alloc, &free_event};
	int cpus[] = {1, 3};
	struct source_facts r = recording();
	char *text;

	(void)state;
	r.events = events;
	r.nr_events = 2;
	r.offline = (struct cpulist){cpus, 2};
	text = written(&r, &form_json, 0, add_facts);
	assert_non_null(strstr(text, "{\n \"recording\": {\n  \"path\": null,\n"));
	assert_non_null(strstr(text, "  \"kernel\": \"6.12.0\",\n"));
	assert_non_null(strstr(text, "  \"page_size_bytes\": 4096,\n"));
	assert_non_null(strstr(text,
			       "  \"offline_cpus\": [1, 3],\n"
			       "  \"events\": [\n"
			       "   {\"name\": \"kmem:kmalloc\", \"samples\": 3, \"lost\": 1},\n"
			       "   {\"name\": \"kmem:kfree\", \"samples\": 0, \"lost\": 0, "
			       "\"one_of\": 7}\n  ],\n"
			       "  \"lost_samples\": 0,\n  \"lost_percent\": 0.000\n }\n}\n"));
	free(text);
}

/* A figure may be wrong: text output and JSON say so. */
static void test_events_out_of_order(void **state)
{
	struct source_facts r = recording();
	char *text = written(&r, &form_text, 0, recording_add_warnings);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	r.nr_disordered = 3;
	text = written(&r, &form_text, 0, recording_add_warnings);
	assert_non_null(strstr(text,
			       "# OUT OF ORDER\n# ------------\n"
			       "#   events out of order          3 of 1234\n"
			       "# These events came too late in the recording to be sorted."));
	free(text);
	text = written(&r, &form_json, 0, add_facts);
	assert_non_null(strstr(text, "\"disordered_samples\": 3"));
	free(text);
}

static void test_warnings_in_a_line_each(void **state)
{
	struct source_event alloc = {.name = (char *)"kmem:kmalloc", .period = 10, .type = 2};
	struct source_event *events[] = {&alloc};
	struct source_facts r = {.path = (char *)"old.data",
				 .events = events,
				 .nr_events = 1,
				 .nr_samples = 30,
				 .nr_lost = 10,
				 .nr_disordered = 3,
				 .stop = {true, 1, 2}};
	char *text = written(&r, &form_text, 0, recording_add_short_warnings);

	(void)state;
	assert_string_equal(
		text,
		"Partial: reading 'old.data' was stopped at 50.0 % (1 B).\n"
		"'old.data' has one event in 10: its figures are not scaled, and most frees "
		"are missing.\n"
		"'old.data' lost 25.0% of its events: its figures are too low by about as "
		"much.\n"
		"'old.data' has 3 of 30 events out of order: objects that they free may count "
		"as live.\n");
	free(text);
	r = recording();
	text = written(&r, &form_text, 0, recording_add_short_warnings);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_out_of_order),
		cmocka_unit_test(test_warnings_in_a_line_each),
		cmocka_unit_test(test_host_date_length_events_and_command),
		cmocka_unit_test(test_the_date_is_in_the_readers_time_zone),
		cmocka_unit_test(test_cpus_that_went_offline),
		cmocka_unit_test(test_what_is_not_told_is_left_out),
		cmocka_unit_test(test_a_pair_of_clocks_is_a_date),
		cmocka_unit_test(test_nothing_is_wider_than_the_terminal),
		cmocka_unit_test(test_nothing_reaches_the_terminal_unseen),
		cmocka_unit_test(test_a_long_command_is_cut),
		cmocka_unit_test(test_one_of_several_has_its_path),
		cmocka_unit_test(test_what_is_missing_is_told),
		cmocka_unit_test(test_what_to_do_about_losses_is_for_who_recorded),
		cmocka_unit_test(test_a_sample_is_told),
		cmocka_unit_test(test_programs_get_all_facts),
		cmocka_unit_test(test_programs_are_told_of_a_sample),
	};

	setenv("TZ", "UTC0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
