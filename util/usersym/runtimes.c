// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/runtimes.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "util/base/path.h"

/* Tried with Node.js 20, OpenJDK 17 and Python 3.12. */
const struct runtime runtimes[NR_RUNTIMES] = {
	{"Node.js",
	 "run it as 'node --perf-basic-prof --interpreted-frames-native-stack', and record with "
	 "--user-stacks=dwarf",
	 {"node", "nodejs", "libnode.so*"}},
	{"Java",
	 "run it as 'java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
	 "-XX:+DumpPerfMapAtExit', and record with --user-stacks=dwarf",
	 {"java", "libjvm.so", "libjava.so", "libjli.so", "libnio.so", "libnet.so", "libzip.so",
	  "libjimage.so"}},
	{"Python",
	 "run it as 'python3 -X perf' (3.12 or later), and record with --user-stacks=dwarf",
	 {"python*", "libpython*", "*/lib-dynload/*"}},
};

static bool matches(const char *glob, const char *path)
{
	return !fnmatch(glob, strchr(glob, '/') ? path : path_base(path), 0);
}

size_t runtime_of_path(const char *path)
{
	for (size_t i = 0; i < NR_RUNTIMES; i++)
		for (size_t n = 0; runtimes[i].files[n]; n++)
			if (matches(runtimes[i].files[n], path))
				return i;
	return NR_RUNTIMES;
}
