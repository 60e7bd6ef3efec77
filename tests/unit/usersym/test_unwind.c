// SPDX-License-Identifier: GPL-2.0-or-later
/* Unwinding this very process, as backtrace() does, and stacks that make no sense. */
#include <execinfo.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/machine/user_regs.h"
#include "util/usersym/unwind.h"

#define STACK_BYTES	16384
#define INNERMOST_BYTES 4096 /* more than the function has */
#define USER_FRAMES	64

/* Where in the registers that a sample has of this machine. */
#if defined(__x86_64__)
#define IP_AT	       8
#define SP_AT	       7
#define FP_AT	       6
#define BACKTRACE_LESS 0
#elif defined(__aarch64__)
#define IP_AT	       32
#define SP_AT	       31
#define FP_AT	       29
#define BACKTRACE_LESS 1 /* glibc's has the last byte of the call there */
#endif

/* libunwind 1.6 stops at functions that sign their return address. */
#if defined(__aarch64__)
#define UNSIGNED __attribute__((target("branch-protection=none")))
#else
#define UNSIGNED
#endif
#define REGS_MAX 64

struct fixture {
	struct source_facts facts;
	struct process_maps maps;
	struct user_names names;
	struct unwinder *unwinder;
	uint64_t regs[REGS_MAX];
	uint64_t callers[USER_FRAMES]; /* as backtrace() has them */
	int nr_callers;
	uint8_t stack[STACK_BYTES];
	uint32_t stack_size;
};

static void map_self(struct process_maps *maps)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096 + 128], path[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct source_map m = {.pid = 7, .tid = 7, .path = path};
		uint64_t end;

		path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %4095s",
			   &m.start, &end, &m.file_offset, &m.major, &m.minor, &m.inode,
			   path) < 6 ||
		    path[0] != '/')
			continue;
		m.length = end - m.start;
		assert_int_equal(process_maps_map(maps, &m), 0);
	}
	fclose(f);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	source_facts_init(&f->facts);
	process_maps_init(&f->maps);
	map_self(&f->maps);
	assert_int_equal(user_names_init(&f->names, &f->maps, &f->facts, NULL, NULL), 0);
	*state = f;
	if (!unwinder_why_not(NULL))
		assert_int_equal(unwinder_new(&f->unwinder, &f->maps, &f->names, NULL), 0);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unwinder_free(f->unwinder);
	user_names_deinit(&f->names);
	process_maps_deinit(&f->maps);
	source_facts_deinit(&f->facts);
	free(f);
	return 0;
}

#ifdef IP_AT
static void need_unwinder(const struct fixture *f)
{
	if (!f->unwinder)
		skip_because("perf is built without libunwind");
}

/* Whatever is there, and between variables, too: not for a sanitizer to judge. */
static __attribute__((noinline, no_sanitize("address"))) void
copy_stack(uint8_t *to, const volatile uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

#if defined(__x86_64__)
static void take_registers(uint64_t *regs, const ucontext_t *here)
{
	static const int from[USER_REG_X86_64_NR] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_RIP, REG_EFL, -1,	   -1,	    -1,	     -1,      -1,      -1,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	size_t nr = 0;

	for (size_t i = 0; i < USER_REG_X86_64_NR; i++)
		if (USER_REGS_X86_64 >> i & 1)
			regs[nr++] = from[i] < 0 ? 0 : (uint64_t)here->uc_mcontext.gregs[from[i]];
}
#else
static void take_registers(uint64_t *regs, const ucontext_t *here)
{
	for (size_t i = 0; i < 31; i++)
		regs[i] = here->uc_mcontext.regs[i];
	regs[SP_AT] = here->uc_mcontext.sp;
	regs[IP_AT] = here->uc_mcontext.pc;
}
#endif

/* Where this is called is where it is unwound from. */
static UNSIGNED __attribute__((noinline)) int innermost(struct fixture *f)
{
	void *frames[USER_FRAMES];
	ucontext_t here;
	uint64_t sp;
	int nr_called;

	f->nr_callers = backtrace(frames, USER_FRAMES);
	/* under a sanitizer the first one is the sanitizer's backtrace() */
	nr_called = (uintptr_t)frames[0] - (uintptr_t)innermost > INNERMOST_BYTES;
	f->nr_callers -= nr_called;
	for (int i = 0; i < f->nr_callers; i++)
		f->callers[i] = (uintptr_t)frames[i + nr_called];
	if (getcontext(&here))
		return -1;
	take_registers(f->regs, &here);
	sp = f->regs[SP_AT];
	/* what AT_RANDOM points to is above all frames */
	f->stack_size = getauxval(AT_RANDOM) - sp;
	if (f->stack_size > STACK_BYTES)
		f->stack_size = STACK_BYTES;
	copy_stack(f->stack, (const uint8_t *)(uintptr_t)sp, f->stack_size);
	return f->nr_callers;
}

static UNSIGNED __attribute__((noinline)) int middle(struct fixture *f, int n)
{
	char room[256];
	int ret;

	memset(room, n, sizeof(room));
	ret = n ? middle(f, n - 1) : innermost(f);
	return ret + room[n];
}

static struct sample_user user_of(const struct fixture *f)
{
	return (struct sample_user){.mask = USER_REGS_HERE,
				    .regs = (const uint8_t *)f->regs,
				    .stack = f->stack,
				    .stack_size = f->stack_size};
}
#else
static void skip_this_machine(void)
{
	skip_because("stacks of this machine are not unwound");
}
#endif

static UNSIGNED void test_as_backtrace(void **state)
{
#ifdef IP_AT
	struct fixture *f = *state;
	uint64_t frames[USER_FRAMES];
	struct sample_user user;
	size_t nr;

	need_unwinder(f);
	assert_true(middle(f, 5) > 8);
	user = user_of(f);
	nr = unwinder_frames(f->unwinder, 7, &user, false, frames, USER_FRAMES);
	assert_true(nr >= 8);
	assert_true(nr <= (size_t)f->nr_callers);
	for (size_t i = 1; i < nr; i++)
		assert_true(frames[i] == f->callers[i] + BACKTRACE_LESS);
	/* no more than asked for, and the same after everything was forgotten */
	assert_int_equal(unwinder_frames(f->unwinder, 7, &user, false, frames, 3), 3);
	unwinder_forget(f->unwinder, 7);
	assert_int_equal(unwinder_frames(f->unwinder, 7, &user, false, frames, 4), 4);
	assert_true(frames[3] == f->callers[3] + BACKTRACE_LESS);
#else
	(void)state;
	skip_this_machine();
#endif
}

/* A process of which nothing is mapped has only the address where it was. */
static void test_nothing_mapped(void **state)
{
#ifdef IP_AT
	struct fixture *f = *state;
	uint64_t frames[USER_FRAMES];
	struct sample_user user = user_of(f);

	need_unwinder(f);
	f->regs[IP_AT] = 0x401000;
	f->stack_size = user.stack_size = STACK_BYTES;
	assert_int_equal(unwinder_frames(f->unwinder, 8, &user, false, frames, USER_FRAMES), 1);
	assert_true(frames[0] == 0x401000);
	user.stack = NULL;
	assert_int_equal(unwinder_frames(f->unwinder, 7, &user, false, frames, USER_FRAMES), 1);
	user.mask = 0;
	assert_int_equal(unwinder_frames(f->unwinder, 7, &user, false, frames, USER_FRAMES), 0);
#else
	(void)state;
	skip_this_machine();
#endif
}

/* Return addresses of real functions in any order, and registers that point anywhere. */
static UNSIGNED void test_stacks_that_make_no_sense(void **state)
{
#ifdef IP_AT
	struct fixture *f = *state;
	uint64_t frames[USER_FRAMES], random = 1;
	struct sample_user user;

	need_unwinder(f);
	assert_true(middle(f, 5) > 8);
	user = user_of(f);
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i + 8 <= f->stack_size; i += 8) {
			uint64_t word;

			random = random * 6364136223846793005u + 1442695040888963407u;
			word = f->callers[(random >> 33) % (uint64_t)f->nr_callers] +
			       (round & 1 ? random >> 60 : 0);
			memcpy(f->stack + i, &word, sizeof(word));
		}
		f->regs[SP_AT] += round & 2 ? random >> 50 << 3 : 0;
		f->regs[FP_AT] = random;
		assert_in_range(unwinder_frames(f->unwinder, 7, &user, false, frames, USER_FRAMES),
				1, USER_FRAMES);
	}
#else
	(void)state;
	skip_this_machine();
#endif
}

static void test_of_another_machine(void **state)
{
	(void)state;
	assert_non_null(unwinder_why_not("s390x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_as_backtrace, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_mapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stacks_that_make_no_sense, setup, teardown),
		cmocka_unit_test(test_of_another_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
