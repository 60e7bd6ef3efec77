// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/usersym/user_skip.h"

static struct user_skip skip;

static int setup(void **state)
{
	(void)state;
	return user_skip_init(&skip, NULL);
}

static int teardown(void **state)
{
	(void)state;
	user_skip_deinit(&skip);
	return 0;
}

static void test_libraries(void **state)
{
	(void)state;
	assert_true(user_skip_library(&skip, "/usr/lib/x86_64-linux-gnu/libc.so.6"));
	assert_true(user_skip_library(&skip, "/lib64/ld-linux-x86-64.so.2"));
	assert_true(user_skip_library(&skip, "/lib/ld-musl-x86_64.so.1"));
	assert_true(user_skip_library(&skip, "[vdso]"));
	assert_true(user_skip_library(&skip, "/usr/lib/libstdc++.so.6.0.30"));
	assert_true(user_skip_library(&skip, "/usr/lib/libjemalloc.so.2"));
	assert_false(user_skip_library(&skip, "/usr/lib/libcurl.so.4"));
	assert_false(user_skip_library(&skip, "/usr/lib/libc.so.6/program"));
	assert_false(user_skip_library(&skip, "/usr/bin/ld.bfd"));
}

static void check(bool (*skips)(const struct user_skip *s, const char *name),
		  const char *const *names, size_t nr, bool want)
{
	for (size_t i = 0; i < nr; i++)
		if (skips(&skip, names[i]) != want)
			fail_msg("'%s' is %sskipped", names[i], want ? "not " : "");
}

static void test_functions(void **state)
{
	static const char *const skipped[] = {
		"malloc",
		"__libc_calloc",
		"_int_malloc",
		"je_malloc",
		"_je_arena_malloc_hard",
		"operator new",
		"operator new[]",
		"std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>",
		"__gnu_cxx::new_allocator<int>::allocate",
		"<alloc::vec::Vec<u8> as Clone>::clone",
		"g_malloc0",
		"g_strdup",
		"PyObject_Malloc",
		"_PyMem_RawMalloc",
		"runtime.mallocgc",
		"runtime.(*mcache).refill",
		"internal/runtime/syscall.Syscall6",
		"os.(*File).Write",
		"sync/atomic.(*Pointer[go.shape.struct { x int }]).Load",
		"xmalloc",
		"brk",
	};
	static const char *const kept[] = {
		"main",
		"my_malloc",
		"malloc_my_things",
		"stdlib::f",
		"allocate",
		"main.writer",
		"runtime",
		"operators",
		"g_main_loop_run",
		"github.com/x/os.Open",
		"sync.part.0",
		"io.isra.0.cold",
		"io.netty.buffer.ByteBuf io.netty.buffer.Pool.alloc(int)",
		"io.netty.buffer.ByteBuf[] io.netty.buffer.Pool.all()",
		"user<std::vector<int> >::grow",
	};

	(void)state;
	check(user_skip_function, skipped, sizeof(skipped) / sizeof(skipped[0]), true);
	check(user_skip_function, kept, sizeof(kept) / sizeof(kept[0]), false);
}

static void test_sources(void **state)
{
	(void)state;
	assert_true(user_skip_source(&skip, "/usr/include/c++/12/bits/new_allocator.h"));
	assert_true(user_skip_source(&skip, "/usr/lib/llvm-14/include/c++/v1/vector"));
	assert_true(user_skip_source(&skip, "/usr/lib/go-1.19/src/runtime/malloc.go"));
	assert_true(user_skip_source(&skip, "/rustc/90c541806f/library/alloc/src/vec/mod.rs"));
	assert_false(user_skip_source(&skip, "/home/me/go/src/example.com/os/main.go"));
	assert_false(user_skip_source(&skip, "/usr/include/boost/pool.hpp"));
	assert_false(user_skip_source(&skip, "main.cc"));
}

static void test_expressions_of_the_user_match_any_part(void **state)
{
	(void)state;
	assert_int_equal(user_skip_add(&skip, "(", NULL), -EINVAL);
	assert_int_equal(user_skip_add(&skip, "my_", NULL), 0);
	assert_true(user_skip_function(&skip, "my_malloc"));
	assert_true(user_skip_library(&skip, "/opt/libmy_pool.so"));
	assert_true(user_skip_source(&skip, "src/my_pool.c"));
	assert_false(user_skip_function(&skip, "main"));
}

static void test_generated_functions(void **state)
{
	static const char *const skipped[] = {
		"Builtin:InterpreterEntryTrampoline",
		"BytecodeHandler:LdaZero",
		"JS:*openSync node:fs:570:18",
		"Eval:~ node:internal/main/run_main_module:1:1",
		"Interpreter",
		"StubRoutines (1)",
		"new_instance Runtime1 stub",
		"I2C/C2I adapters",
		"void java.io.FileInputStream.open0(java.lang.String)",
		"java.lang.String jdk.internal.misc.VM.f(int)",
		"py::<module>:<frozen runpy>",
		"py::open:/usr/lib/python3.12/pathlib.py",
		"py::run:/usr/lib/python3.12/asyncio/runners.py",
	};
	static const char *const kept[] = {
		"JS:*leakFiles /srv/leak.js:3:19",
		"JS:*render file:///srv/node:x.mjs:3:19",
		"void Pipes.leakFiles()",
		"java.lang.String com.example.Shop.open(int)",
		"py::leak_pipes:/srv/pipes.py",
		"py::get:/usr/lib/python3/dist-packages/requests/api.py",
		"py::get:/srv/venv/lib/python3.12/site-packages/requests/api.py",
		"void [shop] Shop.Db::Open()[Tier0]",
	};

	(void)state;
	check(user_skip_generated, skipped, sizeof(skipped) / sizeof(skipped[0]), true);
	check(user_skip_generated, kept, sizeof(kept) / sizeof(kept[0]), false);
}

static const char *name_of(const char *path)
{
	const size_t i = runtime_of_path(path);

	return i < NR_RUNTIMES ? runtimes[i].name : "";
}

static void test_files_of_run_time_systems(void **state)
{
	(void)state;
	assert_string_equal(name_of("/usr/bin/node"), "Node.js");
	assert_string_equal(name_of("/usr/lib/jvm/java-17/lib/server/libjvm.so"), "Java");
	assert_string_equal(name_of("/usr/bin/python3.12"), "Python");
	assert_string_equal(name_of("/usr/lib/python3.12/lib-dynload/_socket.so"), "Python");
	assert_string_equal(name_of("/usr/lib/x86_64-linux-gnu/libpython3.12.so.1.0"), "Python");
}

static void test_files_of_none(void **state)
{
	(void)state;
	assert_string_equal(name_of("/usr/bin/nodepad"), "");
	assert_string_equal(name_of("/srv/node/server"), "");
	assert_string_equal(name_of("/usr/lib/x86_64-linux-gnu/libuv.so.1.0.0"), "");
	assert_string_equal(name_of("/srv/venv/lib/site-packages/shop.so"), "");
	assert_string_equal(name_of(""), "");
}

static void test_libraries_of_run_time_systems(void **state)
{
	(void)state;
	assert_true(runtime_uses_library("/usr/lib/x86_64-linux-gnu/libuv.so.1.0.0"));
	assert_false(runtime_uses_library("/usr/bin/node"));
	assert_false(runtime_uses_library("/usr/lib/libcurl.so.4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_libraries, setup, teardown),
		cmocka_unit_test_setup_teardown(test_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_generated_functions, setup, teardown),
		cmocka_unit_test(test_files_of_run_time_systems),
		cmocka_unit_test(test_files_of_none),
		cmocka_unit_test(test_libraries_of_run_time_systems),
		cmocka_unit_test_setup_teardown(test_sources, setup, teardown),
		cmocka_unit_test_setup_teardown(test_expressions_of_the_user_match_any_part, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
