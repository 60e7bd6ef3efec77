// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/demangle.h"

#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>

struct demangling {
	struct strbuf *out;
	size_t start; /* offset of the name in it */
	jmp_buf too_long;
};

static void add_part(const char *part, size_t len, void *ctx)
{
	struct demangling *d = ctx;

	if (d->out->len - d->start + len > DEMANGLED_MAX)
		longjmp(d->too_long, 1);
	strbuf_add(d->out, part, len);
}

/*
 * With substitutions a name of 300 bytes can stand for gigabytes, and a callback cannot stop the
 * library. The library keeps its state on the stack, so it can be left by a long jump.
 */
static bool try_demangle(struct strbuf *out, const char *name)
{
	struct demangling d = {.out = out, .start = out->len};

	if (!setjmp(d.too_long)) {
		/* names without parameters, as in the stock tool */
		if (rust_demangle_callback(name, DMGL_NO_OPTS, add_part, &d))
			return true;
		strbuf_setlen(out, d.start);
		if (cplus_demangle_v3_callback(name, DMGL_NO_OPTS, add_part, &d))
			return true;
	}
	strbuf_setlen(out, d.start);
	return false;
}

void demangle(struct strbuf *out, const char *name)
{
	size_t len = strnlen(name, DEMANGLED_MAX);

	/* _Z: C++, and Rust before its v0; _R: Rust */
	if (len < 3 || len == DEMANGLED_MAX || name[0] != '_' ||
	    (name[1] != 'Z' && name[1] != 'R') || !try_demangle(out, name))
		strbuf_add(out, name, len);
}

#else

void demangle(struct strbuf *out, const char *name)
{
	strbuf_add(out, name, strnlen(name, DEMANGLED_MAX));
}

#endif
