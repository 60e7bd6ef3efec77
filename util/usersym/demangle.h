/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of C++ and Rust as their programmers wrote them, by libiberty, if built with it.
 *
 * A name that is not mangled, or cannot be demangled, stays as it is.  A short mangled name may
 * stand for one of any length: what becomes too long stays mangled, and a name of any length is
 * cut.  The result may contain any character.
 */
#ifndef USERSYM_DEMANGLE_H
#define USERSYM_DEMANGLE_H

#include "util/base/strbuf.h"

/* Longer names are cut, or not demangled. Bytes. */
#define DEMANGLED_MAX 4096

void demangle(struct strbuf *out, const char *name);

#endif
