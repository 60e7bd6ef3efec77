/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of tests/programs, as the Makefile has built them beside the tests. */
#ifndef TESTS_UNIT_PROGRAMS_H
#define TESTS_UNIT_PROGRAMS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The caller frees the path; NULL: it was not built, since there is no C++ compiler. */
static inline char *program_path(const char *name)
{
	char self[2048], *path;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	for (int up = 0; up < 3; up++) /* from tests/unit/FOLDER/NAME */
		*strrchr(self, '/') = '\0';
	if (asprintf(&path, "%s/programs/%s", self, name) < 0)
		return NULL;
	if (access(path, R_OK)) {
		free(path);
		return NULL;
	}
	return path;
}

#endif
