/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /tmp/perf-PID.map: names of functions that a process generated at run time.
 *
 * Written by its run-time system: a line for each, with address and size in hexadecimal, and a
 * name. Anybody may write to /tmp. So the file must be a regular file with one link, writable only
 * by its owner, who must be root, the user of this program, or the user of the process while it
 * runs. Files larger than JIT_MAP_MAX are refused, and invalid lines are skipped. If two functions
 * have one address, the later line is used.
 */
#ifndef USERSYM_JIT_MAP_H
#define USERSYM_JIT_MAP_H

#include <stdint.h>
#include <sys/types.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/symbol/elf_symbols.h"

#define JIT_MAP_MAX (256u << 20) /* bytes */

/*
 * Errors: it does not exist (ENOENT), or is refused.  process_uid: (uid_t)-1 if unknown.
 */
int jit_map_read(struct strbuf *text, const char *path, uid_t process_uid, struct error *err);

/* Modifies the text, which the symbols' names point into. Errors: -ENOMEM. */
int jit_map_parse(struct elf_symbols *symbols, struct strbuf *text, struct error *err);

#endif
