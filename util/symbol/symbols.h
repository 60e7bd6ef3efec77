/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbols: kernel addresses to names, from a chain of sources.
 *
 * In this order: the names that the input consists of (util/source/site_names.h), a file given by
 * the user (symbol_file.h), the table inside the recording, and, only if the recording has none and
 * was made by the running kernel (same build-id, or same release if there is no build-id),
 * /proc/kallsyms.  An address that one source does not know is looked up in the next.  If no source
 * can be used, `why_not` says why, in one line for the user.
 *
 * Modules come and go, and what an address means depends on the time (module_lives.h).  An event's
 * address becomes an identity with symbols_identity() when the event is decoded; all other
 * functions take identities.
 */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/label.h"
#include "util/source/facts.h"
#include "util/symbol/module_lives.h"
#include "util/symbol/module_space.h"
#include "util/symbol/symbol_table.h"

#define SYMBOL_SOURCES_MAX 3

struct symbols {
	const struct site_names *site_names; /* the source's; NULL: its addresses are real */
	struct symbol_table tables[SYMBOL_SOURCES_MAX];
	size_t nr_tables;
	struct module_space modules;
	struct module_lives *lives; /* NULL: none are known */
	/* used only by the decoding thread, once per event: */
	const struct strbuf *module_lines; /* the source's lines, from which lives are built */
	size_t lines_read;		   /* bytes of them */
	bool has_lives;
	bool has_file; /* the first one is the file that was given */
	char why_not[256];
	char note[256]; /* something the user should know about a source in use; "" */
};

/*
 * kallsyms: the recording's own text (heap, NUL-terminated; NULL: it has none), which is taken
 * over, also on failure. kallsyms_path: NULL if no file was named. Errors: the named file cannot be
 * read, -ENOMEM.
 */
int symbols_init(struct symbols *s, const struct source_facts *recording, char *kallsyms,
		 size_t kallsyms_len, const char *kallsyms_path, struct error *err);
void symbols_deinit(struct symbols *s);

/* Is any address known? If not, each one stays a number. */
static inline bool symbols_any(const struct symbols *s)
{
	return s->nr_tables || s->site_names;
}

/* Has the source added module lines since symbols_read_modules()? */
static inline bool symbols_has_news(const struct symbols *s)
{
	return s->module_lines && s->lines_read < s->module_lines->len;
}

/* Read what the source has added to facts.modules. Errors: -ENOMEM. */
int symbols_read_modules(struct symbols *s);

/* The identity of an address in an event of this time. */
static inline uint64_t symbols_identity(const struct symbols *s, uint64_t address, uint64_t time_ns)
{
	return __builtin_expect(s->has_lives, false)
		       ? module_lives_identity(s->lives, address, time_ns)
		       : address;
}

/* Changes when an address may have another identity than before. */
static inline uint32_t symbols_epoch(const struct symbols *s, uint64_t time_ns)
{
	return s->has_lives ? module_lives_epoch(s->lives, time_ns) : 0;
}

/* The real address, to be shown. */
uint64_t symbols_address(const struct symbols *s, uint64_t identity);

/* Stands for all functions of the slab allocator that take pages (util/decode/callsite.h). */
#define SYMBOLS_SLAB_PAGES 1

const struct symbol *symbols_find(const struct symbols *s, uint64_t address);

/* The module of an address in module space that no symbol contains: a label (util/base/label.h). */
#define SYMBOLS_UNLOADED LABEL_UNLOADED

/*
 * The module of an address whose symbols_find() returned `sym`.  NULL: the kernel itself, or
 * nothing that is known.
 */
const char *symbols_module(const struct symbols *s, const struct symbol *sym, uint64_t address);

struct strbuf;

/*
 * The object that contains an address whose symbols_find() returned `sym`: "[kernel.kallsyms]", or
 * a module such as "[ext4]", which is written to `module` (emptied first; check its `failed`).
 * NULL: not the kernel.
 */
const char *symbols_dso(const struct symbols *s, const struct source_facts *facts,
			const struct symbol *sym, uint64_t address, struct strbuf *module);

#endif
