/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions (POSIX extended) that somebody names, in an option or a configuration file.
 *
 * regcomp() writes repetitions out: "(.*){10,}{10,}{10,}{10,}" takes all memory or the stack, and
 * a back-reference may take any time to match.  So an expression has at most PATTERN_PARTS_MAX
 * parts (characters, brackets, groups) when it is written out, groups are nested at most
 * PATTERN_DEPTH_MAX deep, and there are no back-references.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <regex.h>

#include "util/base/error.h"

#define PATTERN_PARTS_MAX 2000
#define PATTERN_DEPTH_MAX 32

/* To be freed with regfree().  Errors: -EINVAL with the expression and what is wrong, -ENOMEM. */
int pattern_compile(regex_t *ret_regex, const char *text, struct error *err);

#endif
