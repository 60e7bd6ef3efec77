/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kernel_symbols: the running kernel's text symbols, and a selection of them for a
 * recording.
 *
 * kernel_symbols_init() reads /proc/kallsyms: text symbols only (t, T, w, W), sorted by address,
 * modules included. kernel_symbols_select() writes kallsyms lines for the symbols that contain the
 * recorded addresses. All names of an address are written, so that a reader chooses as from the
 * whole table. Each is followed by the next higher symbol, so that sizes are right. The anchors
 * _text, _stext, _etext are written, too. A kernel shows none of them if it hides addresses
 * (kernel.kptr_restrict), or was built without CONFIG_KALLSYMS. Facts:
 * Documentation/admin-guide/sysctl/kernel.rst, kernel/kallsyms.c.
 */
#ifndef OUTPUT_KERNEL_SYMBOLS_H
#define OUTPUT_KERNEL_SYMBOLS_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* In the order of how much is shown, the most first. */
enum symbol_visibility { SYMBOLS_SHOWN, SYMBOLS_HIDDEN, SYMBOLS_MISSING };

struct kernel_symbol {
	uint64_t addr;
	const char *line; /* in text; excluding its newline */
	uint32_t len;
	uint32_t order; /* position in the kernel's own list */
};

struct kernel_symbols {
	struct strbuf text;
	struct kernel_symbol *v;
	size_t nr;
	uint64_t text_at, stext_at; /* _text and _stext; 0 if unknown */
	uint64_t start;		    /* the first of them that is known */
	uint64_t end;		    /* _etext; 0 if unknown */
	enum symbol_visibility visibility;
};

/* path: NULL for /proc/kallsyms. Returns 0, too, if there is no such file. */
int kernel_symbols_init(struct kernel_symbols *ks, const char *path, struct error *err);

/* The same, of the running kernel, for kernel_symbols_select() of these addresses. If all are in
 * the kernel itself, the copy of an earlier run will do; without one, keep one
 * (util/host/kallsyms_copy.h). */
int kernel_symbols_init_for(struct kernel_symbols *ks, const uint64_t *addrs, size_t nr,
			    struct error *err);

/*
 * Only the kernel's location and the visibility of its symbols, without keeping symbols. etext: the
 * address of _etext, which is late in the kernel's list; 0 if unknown.
 */
int kernel_symbols_locate(struct kernel_symbols *ks, const char *path, uint64_t etext,
			  struct error *err);
void kernel_symbols_deinit(struct kernel_symbols *ks);

/* addrs in any order; addresses outside of text symbols are skipped. Returns 0, or -ENOMEM. */
int kernel_symbols_select(const struct kernel_symbols *ks, const uint64_t *addrs, size_t nr,
			  struct strbuf *out);

/* All symbols. */
int kernel_symbols_all(const struct kernel_symbols *ks, struct strbuf *out);

#endif
