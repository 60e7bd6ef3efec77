/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++ and Rust names as they were written, by libiberty, if built with it.
 *
 * A name that is not mangled, or cannot be demangled, is not changed. A short mangled name may
 * stand for one of any length: if the result is too long the name stays mangled, and long names are
 * truncated. The result may contain any character.
 */
#ifndef USERSYM_DEMANGLE_H
#define USERSYM_DEMANGLE_H

#include "util/base/strbuf.h"

/* Bytes. Longer names are truncated, or not demangled. */
#define DEMANGLED_MAX 4096

void demangle(struct strbuf *out, const char *name);

#endif
