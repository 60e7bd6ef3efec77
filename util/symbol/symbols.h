/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbols: names of kernel addresses, from a chain of sources.
 *
 * The sources, in this order: the names that the input consists of (util/source/site_names.h); a
 * file given by the user (symbol_file.h); the table inside the recording; and /proc/kallsyms, only
 * if the recording has no table and was made by the running kernel (same build-id, or same release
 * without a build-id), or the copy of it that an earlier run kept. An address that one source lacks
 * is looked up in the next. If no source can be used, `why_not` has the reason, one line for the
 * user.
 *
 * Modules come and go, so the meaning of an address depends on the time (module_lives.h).
 * symbols_identity() turns an event's address into an identity when the event is decoded; all other
 * functions take identities.
 */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/label.h"
#include "util/source/facts.h"
#include "util/symbol/late_symbols.h"
#include "util/symbol/module_lives.h"
#include "util/symbol/module_space.h"
#include "util/symbol/symbol_table.h"

#define SYMBOL_SOURCES_MAX 3

struct symbols {
	const struct site_names
		*site_names; /* names of the source; NULL if its addresses are real */
	struct symbol_table tables[SYMBOL_SOURCES_MAX];
	size_t nr_tables;
	struct late_symbols *late; /* if the table is a copy; else NULL */
	struct module_space modules;
	struct module_lives *lives; /* NULL if there are none */
	/* used only by the decoding thread, once per event: */
	const struct source_facts *facts;
	uint64_t kernel_start, kernel_end; /* the kernel's code; 0, 0: unknown */
	const struct strbuf *module_lines; /* the source's lines, from which lives are built */
	size_t lines_read;		   /* number of bytes read */
	bool has_lives;
	bool has_file; /* the first table is the user's file */
	char why_not[256];
	char note[256]; /* a warning about a source in use; "" if none */
};

/*
 * kallsyms: the recording's own text (heap, NUL-terminated; may be NULL), which is taken over, also
 * on failure. kallsyms_path: the user's file; may be NULL. Errors: that file cannot be read,
 * -ENOMEM.
 */
int symbols_init(struct symbols *s, const struct source_facts *recording, char *kallsyms,
		 size_t kallsyms_len, const char *kallsyms_path, struct error *err);
void symbols_deinit(struct symbols *s);

/* Whether there are any names. Otherwise addresses are shown as numbers. */
static inline bool symbols_any(const struct symbols *s)
{
	return s->nr_tables || s->site_names;
}

/* Whether the source added module lines since symbols_read_modules(). */
static inline bool symbols_has_news(const struct symbols *s)
{
	return s->module_lines && s->lines_read < s->module_lines->len;
}

/* Read the lines added to facts.modules. Errors: -ENOMEM. */
int symbols_read_modules(struct symbols *s);

/* The identity of an address in an event of this time. */
static inline uint64_t symbols_identity(const struct symbols *s, uint64_t address, uint64_t time_ns)
{
	return __builtin_expect(s->has_lives, false)
		       ? module_lives_identity(s->lives, address, time_ns)
		       : address;
}

/* Changes whenever identities may have changed. */
static inline uint32_t symbols_epoch(const struct symbols *s, uint64_t time_ns)
{
	return s->has_lives ? module_lives_epoch(s->lives, time_ns) : 0;
}

/* The real address of an identity, for output. */
uint64_t symbols_address(const struct symbols *s, uint64_t identity);

/* Stands for all functions of the slab allocator that allocate pages (util/decode/callsite.h). */
#define SYMBOLS_SLAB_PAGES 1

const struct symbol *symbols_find(const struct symbols *s, uint64_t address);

/* A label (util/base/label.h): the module of an address in module space that no symbol contains. */
#define SYMBOLS_UNLOADED LABEL_UNLOADED

/*
 * The module of an address for which symbols_find() returned `sym`. NULL: the kernel itself, or
 * unknown.
 */
const char *symbols_module(const struct symbols *s, const struct symbol *sym, uint64_t address);

/* Find the code of the kernel (module: NULL) or of a module that contains an address. Returns false
 * if it is unknown. */
bool symbols_find_map(const struct symbols *s, const char *module, uint64_t address,
		      struct code_map *ret);

struct strbuf;

/*
 * The object that contains an address for which symbols_find() returned `sym`: "[kernel.kallsyms]",
 * or a module such as "[ext4]", written to `module` (which is emptied first; check its `failed`).
 * NULL if it is not a kernel address.
 */
const char *symbols_dso(const struct symbols *s, const struct source_facts *facts,
			const struct symbol *sym, uint64_t address, struct strbuf *module);

#endif
