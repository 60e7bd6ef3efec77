/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /tmp/perf-PID.map: the names of functions that a process has made at run time, which its run-time
 * system writes there, one a line: address and size in hexadecimal, and a name.
 *
 * Anybody may write to /tmp: what is used is a regular file, not a link, with one name, which
 * only its owner can write to; and that is root, the user who asks, or the user of the process
 * while it lives.  Larger files than JIT_MAP_MAX are refused, and lines that do not parse
 * are skipped.  Of two functions for one address the later line has it.
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
 * Errors: it is not there (ENOENT), or is refused.  process_uid: (uid_t)-1 if it is not known.
 */
int jit_map_read(struct strbuf *text, const char *path, uid_t process_uid, struct error *err);

/* The text is modified; the symbols' names are in it. Errors: -ENOMEM. */
int jit_map_parse(struct elf_symbols *symbols, struct strbuf *text, struct error *err);

#endif
