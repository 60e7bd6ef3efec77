// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/demangle.h"

#include <string.h>

void demangle(struct strbuf *out, const char *name)
{
	strbuf_add(out, name, strnlen(name, DEMANGLED_MAX));
}
