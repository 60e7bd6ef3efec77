/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions (POSIX extended) from the user, in an option or a configuration file.
 *
 * regcomp() expands repetitions: "(.*){10,}{10,}{10,}{10,}" exhausts the memory or the stack. A
 * back-reference may take any time to match. So an expression may have at most PATTERN_PARTS_MAX
 * parts (characters, brackets, groups) once expanded, groups may be nested at most
 * PATTERN_DEPTH_MAX deep, and back-references are refused.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <regex.h>

#include "util/base/error.h"

#define PATTERN_PARTS_MAX 2000
#define PATTERN_DEPTH_MAX 32

/* Freed with regfree(). Errors: -EINVAL with the expression and the reason; -ENOMEM. */
int pattern_compile(regex_t *ret_regex, const char *text, struct error *err);

#endif
