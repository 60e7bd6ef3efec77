// SPDX-License-Identifier: GPL-2.0-or-later
/* perf version: the version of this program, and its built-in libraries. */
#include <stdio.h>

#include "builtin/command.h"

#ifndef VERSION
#define VERSION "unknown"
#endif

/* A library's macro is 1 if the library is linked. */
#ifndef HAVE_LIBTRACEEVENT
#define HAVE_LIBTRACEEVENT 0
#endif
#ifndef HAVE_LIBELF
#define HAVE_LIBELF 0
#endif
#ifndef HAVE_LIBDW
#define HAVE_LIBDW 0
#endif
#ifndef HAVE_LIBLZMA
#define HAVE_LIBLZMA 0
#endif
#ifndef HAVE_LIBIBERTY
#define HAVE_LIBIBERTY 0
#endif
#ifndef HAVE_LIBUNWIND
#define HAVE_LIBUNWIND 0
#endif
#ifndef HAVE_LIBBPF
#define HAVE_LIBBPF 0
#endif
#ifndef HAVE_NCURSESW
#define HAVE_NCURSESW 0
#endif
#ifndef HAVE_D3
#define HAVE_D3 0
#endif
#ifndef HAVE_PROTOBUF_C
#define HAVE_PROTOBUF_C 0
#endif
#ifndef HAVE_ZLIB
#define HAVE_ZLIB 0
#endif
#ifndef HAVE_LIBZSTD
#define HAVE_LIBZSTD 0
#endif

static const struct {
	const char *name;
	bool on;
	const char *purpose;
} build_options[] = {
	{"libtraceevent", HAVE_LIBTRACEEVENT, "event formats of recordings"},
	{"libelf", HAVE_LIBELF, "symbols of ELF files"},
	{"libdw", HAVE_LIBDW, "source lines from DWARF"},
	{"liblzma", HAVE_LIBLZMA, "symbols that stripped programs have kept"},
	{"libiberty", HAVE_LIBIBERTY, "names of C++ and Rust"},
	{"libunwind", HAVE_LIBUNWIND, "user stacks from registers"},
	{"libbpf", HAVE_LIBBPF, "events of the running kernel"},
	{"ncursesw", HAVE_NCURSESW, "the screen of top"},
	{"d3", HAVE_D3, "the pages of --format html"},
	{"libprotobuf-c", HAVE_PROTOBUF_C, "the profiles of --format pprof"},
	{"zlib", HAVE_ZLIB, "compressed modules and kallsyms"},
	{"libzstd", HAVE_LIBZSTD, "compressed recordings"},
};

struct version_command {
	bool build_options;
};

static const struct option table[] = {
	OPT_BOOL(0, "build-options", struct version_command, build_options,
		 "show which libraries were built in"),
	OPT_END(),
};
static const char *const usage[] = {"perf version [--build-options]", NULL};
static const struct options options = {"perf version", usage, table};

static int run(int argc, const char **argv, void *context)
{
	struct version_command v = {.build_options = false};
	char name[BUILTIN_NAME_MAX];
	int status = builtin_options(&options, &v, &argc, argv, 0);

	(void)context;
	if (status >= 0)
		return status;
	if (argc)
		return builtin_takes_none(&options, argv[0]);
	printf("%s version %s (perf kmem%s%s)\n", builtin_called("perf", name, sizeof(name)),
	       VERSION, *COMMIT ? ", " : "", COMMIT);
	if (!v.build_options)
		return 0;
	for (size_t i = 0; i < sizeof(build_options) / sizeof(build_options[0]); i++)
		printf("%18s: [ %-3s ]  %s\n", build_options[i].name,
		       build_options[i].on ? "on" : "OFF", build_options[i].purpose);
	return 0;
}

const struct subcommand cmd_version = {
	.name = "version",
	.help = "show the version and what was built in",
	.options = &options,
	.run = run,
};
