// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/bpf/facts.h"

#ifdef HAVE_LIBBPF

static void test_vmemmap_if_all_agree(void **state)
{
	const uint64_t base = 0xffffea0000000000;
	struct bpf_calibration seen[3] = {0};
	struct bpf_calibration_sample samples[3] = {{.pfn = 5}, {.pfn = 0x1234}, {.pfn = 7}};
	uint64_t got = 1;

	(void)state;
	for (int i = 0; i < 3; i++)
		seen[i].page = base + samples[i].pfn * 64;
	assert_true(bpf_calibration_vmemmap(seen, samples, 3, 64, &got));
	assert_true(got == base);
	got = 1;
	assert_false(bpf_calibration_vmemmap(seen, samples, 3, 56, &got));
	samples[2].pfn++;
	assert_false(bpf_calibration_vmemmap(seen, samples, 3, 64, &got));
	seen[0].page = 0;
	assert_false(bpf_calibration_vmemmap(seen, samples, 1, 64, &got));
	assert_false(bpf_calibration_vmemmap(seen, samples, 0, 64, &got));
	assert_int_equal(got, 1);
}

static void test_skips_what_is_the_probes_own(void **state)
{
	const uint64_t chain[] = {(uint64_t)-128, 100, 3, 4, 5, 6, 7, 8};
	struct bpf_calibration_sample sample = {.chain = chain, .nr_chain = 8};
	struct bpf_calibration seen = {.frames_bytes = 7 * 8, .frames = {1, 2, 3, 4, 5, 6, 7}};
	uint32_t skip = 99;

	(void)state;
	assert_true(bpf_calibration_skip(&seen, &sample, &skip));
	assert_int_equal(skip, 2);
	seen.frames_bytes = 5 * 8; /* too short to be sure */
	skip = 99;
	assert_false(bpf_calibration_skip(&seen, &sample, &skip));
	seen.frames_bytes = -14;
	assert_false(bpf_calibration_skip(&seen, &sample, &skip));
	assert_int_equal(skip, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vmemmap_if_all_agree),
		cmocka_unit_test(test_skips_what_is_the_probes_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

static void test_facts(void **state)
{
	(void)state;
	skip_because("perf is built without BPF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_facts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
