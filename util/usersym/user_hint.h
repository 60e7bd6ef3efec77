/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_hint_add(): why allocations of user space have no source line, and what to do.
 *
 * The chains without a line are grouped by the reason and by the program or library. The advice is
 * for the largest group. Run-time systems that generate code, or interpret it, are a table in
 * user_hint.c, with the option that makes each write the names of its functions.
 */
#ifndef USERSYM_USER_HINT_H
#define USERSYM_USER_HINT_H

#include <stdbool.h>

#include "util/base/strbuf.h"
#include "util/usersym/user_stacks.h"

/*
 * Append one line for the user. Returns false if lines were not requested, or if those of at least
 * four in five allocations are known.
 */
bool user_hint_add(struct user_stacks *u, struct strbuf *sb);

#endif
