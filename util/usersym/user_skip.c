// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/user_skip.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/path.h"
#include "util/base/pattern.h"

/* GO: functions, except those that NOT_GO matches. GENERATED: names of generated functions. */
enum skip_part { LIBRARY = 1, FUNCTION = 2, SOURCE = 4, GO = 8, NOT_GO = 16, GENERATED = 32 };

struct user_skip_rule {
	unsigned int parts; /* bits of enum skip_part */
	regex_t regex;
};

static const struct {
	enum skip_part part;
	const char *regex;
} builtin[] = {
	/* the C library and the loader, of any version */
	{LIBRARY, "(^|/)(libc\\.so|libc-|libc\\.musl|ld-|libpthread|ld\\.so)[^/]*$"},
	{LIBRARY, "^\\[(vdso|vsyscall)\\]"},
	/* standard libraries of languages, and their support libraries */
	{LIBRARY,
	 "(^|/)(libstdc\\+\\+|libc\\+\\+|libc\\+\\+abi|libgcc_s|libstd-[0-9a-f]+)\\.so[^/]*$"},
	/* allocators and tools that replace malloc() */
	{LIBRARY, "(^|/)lib(jemalloc|tcmalloc|mimalloc|hoard|snmalloc|rpmalloc|scudo|dmalloc|"
		  "(a|l|m|t|hwa|ub)san|heaptrack_preload|memray)[^/]*\\.so[^/]*$"},

	/* malloc and what it calls, where a program contains them */
	{FUNCTION, "^(__libc_|__|tc_|mi_|_?int_|_mi_)?(malloc|calloc|realloc|reallocarray|free|"
		   "cfree|memalign|posix_memalign|aligned_alloc|valloc|pvalloc|realloc_array)$"},
	{FUNCTION, "^(sysmalloc|systrim|malloc_consolidate|__(default|glibc)_morecore|"
		   "_(mid_)?memalign|grow_heap|new_heap|arena_get2|tcache_init)$"},
	{FUNCTION, "^operator (new|delete)"},
	/* system calls of a C library that was linked statically */
	{FUNCTION, "^_{0,2}(libc_)?(mmap|mmap64|munmap|mremap|brk|sbrk|madvise|syscall|fork|vfork|"
		   "clone|clone3)$"},
	/* allocating strings and buffers in the C library, linked statically */
	{FUNCTION, "^_{0,2}(strn?dup|asprintf|vasprintf|getline|getdelim)$"},
	/* C++, Rust */
	{FUNCTION, "^<?&?(mut )?(std|__gnu_cxx|__cxxabiv1|core|alloc)::"},
	{FUNCTION, "^_*(rust|rdl|rg)_(alloc|alloc_zeroed|realloc|dealloc)$"},
	/* allocators in programs and libraries */
	{FUNCTION, "^(tcmalloc::|_?je_|mi_heap_|mi_segment_)"},
	{FUNCTION, "^(x|xx)(malloc|calloc|realloc|zalloc|memdup|strn?dup|nmalloc|nrealloc)$"},
	/* glib */
	{FUNCTION, "^g_(try_)?(malloc|malloc0|realloc)(_n)?$"},
	{FUNCTION, "^g_(slice_|mem_|memdup|strn?dup|strdup_|strconcat$|aligned_alloc)"},
	/* Python's allocators */
	{FUNCTION, "^_?Py(Mem|Object|_?ObjectArena)_?(Raw)?(Malloc|Calloc|Realloc|Free|Mmap|_New)"},
	/* Go */
	{GO, "^(runtime|syscall|os|io|net|bufio|fmt|sync|internal|vendor)"
	     "(/[a-z0-9_/.]+)*\\.[A-Za-z(]"},
	/* parts that a C compiler splits from functions such as sync() */
	{NOT_GO, "\\.(part|isra|constprop|cold)(\\.|$)"},
	/* Java: the type of the result before the name; Go has blanks only in [] */
	{NOT_GO, "^[^[]*(\\[\\])* "},

	/* what Node.js, Java and Python generate for themselves, and their standard libraries */
	{GENERATED, "^(Builtin|BytecodeHandler|RegExp|Stub):"},
	{GENERATED, "^[A-Z][A-Za-z]*:[~^*+]?[^ ]* node:"},
	{GENERATED, "^[^(]*( stub|_stub| adapters|Blob| handlers)$"},
	{GENERATED,
	 "^(Interpreter|StubRoutines.*|resolve_[a-z_]*call|[a-z_]*_Java|jni_fast_[A-Za-z]*)$"},
	{GENERATED, "^([^ ]+ )?(java|javax|jdk|sun)\\.[^ (]*\\("},
	{GENERATED, "^py::.*:(<frozen |.*/lib/python3[.0-9]*/[a-z_0-9]+(\\.py$|/))"},

	/* headers of C++ standard libraries: code that is inlined */
	{SOURCE, "/(include/c\\+\\+|c\\+\\+/v1)/"},
	{SOURCE, "/(libstdc\\+\\+-v3|libcxx|libcxxabi|libsupc\\+\\+)/"},
	/* of the C library and the compiler */
	{SOURCE, "(^|/)usr/(local/)?(include/([a-z0-9_]+-linux-gnu[a-z0-9]*/)?"
		 "(bits|sys)/|lib/(gcc|clang|llvm-[0-9]+)/)"},
	/* of Rust and Go */
	{SOURCE, "^/rustc/|/rustlib/src/rust/"},
	{SOURCE, "/go(-[0-9.]+)?/src/(runtime|syscall|os|io|net|bufio|fmt|sync|internal)/"},
};

static int add_rule(struct user_skip *s, unsigned int parts, const char *regex, struct error *err)
{
	struct user_skip_rule *v = reallocarray(s->rules, s->nr_rules + 1, sizeof(*v));
	int ret;

	if (!v)
		return error_nomem(err);
	s->rules = v;
	v[s->nr_rules].parts = parts;
	ret = pattern_compile(&v[s->nr_rules].regex, regex, err);
	if (!ret)
		s->nr_rules++;
	return ret;
}

int user_skip_init(struct user_skip *s, struct error *err)
{
	int ret = 0;

	*s = (struct user_skip){0};
	for (size_t i = 0; !ret && i < sizeof(builtin) / sizeof(builtin[0]); i++)
		ret = add_rule(s, builtin[i].part, builtin[i].regex, err);
	return ret;
}

void user_skip_deinit(struct user_skip *s)
{
	for (size_t i = 0; i < s->nr_rules; i++)
		regfree(&s->rules[i].regex);
	free(s->rules);
	*s = (struct user_skip){0};
}

int user_skip_add(struct user_skip *s, const char *regex, struct error *err)
{
	return add_rule(s, LIBRARY | FUNCTION | SOURCE, regex, err);
}

static bool matches(const struct user_skip *s, enum skip_part part, const char *text)
{
	for (size_t i = 0; i < s->nr_rules; i++)
		if (s->rules[i].parts & part && !regexec(&s->rules[i].regex, text, 0, NULL, 0))
			return true;
	return false;
}

bool user_skip_library(const struct user_skip *s, const char *path)
{
	return matches(s, LIBRARY, path);
}

bool user_skip_function(const struct user_skip *s, const char *name)
{
	return matches(s, FUNCTION, name) || (matches(s, GO, name) && !matches(s, NOT_GO, name));
}

bool user_skip_generated(const struct user_skip *s, const char *name)
{
	return matches(s, GENERATED, name);
}

bool user_skip_source(const struct user_skip *s, const char *path)
{
	return matches(s, SOURCE, path);
}

/* ---- run-time systems ---- */

/* Tried with Node.js 20, OpenJDK 17 and Python 3.12. */
const struct runtime runtimes[NR_RUNTIMES] = {
	{"Node.js",
	 "run it as 'node --perf-basic-prof --interpreted-frames-native-stack', and record with "
	 "--user-stacks=dwarf",
	 {"node", "nodejs", "libnode.so*"},
	 {"libuv.so*"}},
	{"Java",
	 "run it as 'java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
	 "-XX:+DumpPerfMapAtExit', and record with --user-stacks=dwarf",
	 {"java", "libjvm.so", "libjava.so", "libjli.so", "libnio.so", "libnet.so", "libzip.so",
	  "libjimage.so"},
	 {NULL}},
	{"Python",
	 "run it as 'python3 -X perf' (3.12 or later), and record with --user-stacks=dwarf",
	 {"python*", "libpython*", "*/lib-dynload/*"},
	 {NULL}},
};

static bool glob_matches(const char *const *globs, const char *path)
{
	for (; *globs; globs++)
		if (!fnmatch(*globs, strchr(*globs, '/') ? path : path_base(path), 0))
			return true;
	return false;
}

size_t runtime_of_path(const char *path)
{
	size_t i = 0;

	while (i < NR_RUNTIMES && !glob_matches(runtimes[i].files, path))
		i++;
	return i;
}

bool runtime_uses_library(const char *path)
{
	for (size_t i = 0; i < NR_RUNTIMES; i++)
		if (glob_matches(runtimes[i].uses, path))
			return true;
	return false;
}
