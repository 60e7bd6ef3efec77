// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/host/kallsyms.h"
#include "util/host/kallsyms_copy.h"
#include "util/host/machine_id.h"
#include "util/source/site_names.h"
#include "util/symbol/symbol_file.h"

/* For a source that does not say where the kernel is: from its first symbol to _etext. */
static void find_kernel(struct symbols *s, const struct symbol_table *t)
{
	uint64_t start = 0;

	for (size_t i = 0; i < t->nr_lines && !s->kernel_end; i++) {
		const struct symbol *sym = symbol_table_at(t, i);

		if (!sym || sym->module)
			continue;
		start = start ? start : sym->start;
		if (sym->name[0] == '_' && !strcmp(sym->name, "_etext")) {
			s->kernel_start = start;
			s->kernel_end = sym->start;
		}
	}
}

static int add_table(struct symbols *s, const struct source_facts *r, const char *name, char *text,
		     size_t len, struct error *err)
{
	struct symbol_table *t = &s->tables[s->nr_tables];
	uint64_t moved_by = 0;

	if (symbol_table_init(t, text, len, r->kernel_text_symbol, r->kernel_text_address,
			      &moved_by))
		return error_nomem(err);
	log_info("%s: %zu kernel symbols", name, t->nr);
	if (t->hidden)
		snprintf(s->why_not, sizeof(s->why_not),
			 "%s hides its addresses (as root: sysctl kernel.kptr_restrict=0)", name);
	if (!t->nr) {
		symbol_table_deinit(t);
		return 0;
	}
	if (moved_by) {
		late_symbols_free(s->late);
		s->late = NULL;
		snprintf(s->note, sizeof(s->note),
			 "%s is of another boot: its kernel symbols were moved by 0x%" PRIx64
			 ", those of modules are left out",
			 name, moved_by);
	}
	module_space_add(&s->modules, t);
	find_kernel(s, t);
	s->nr_tables++;
	return 0;
}

static int add_text(struct symbols *s, const struct source_facts *r, const char *name,
		    struct strbuf *sb, struct error *err)
{
	size_t len = sb->len;
	char *text = strbuf_detach(sb);

	return text ? add_table(s, r, name, text, len, err) : error_nomem(err);
}

/* Whether the running kernel made the recording. If not, why_not has the reason. */
static bool is_running_kernel(struct symbols *s, const struct source_facts *r)
{
	if (source_facts_are_of_running_kernel(r))
		return true;
	snprintf(s->why_not, sizeof(s->why_not),
		 "the recording is of kernel '%s', not of the running one, and holds no symbols "
		 "(name its kallsyms with --kallsyms)",
		 r->osrelease ? r->osrelease : "unknown");
	return false;
}

static int add_named_file(struct symbols *s, const struct source_facts *r, const char *path,
			  struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret = symbol_file_read(&text, path, err);

	if (!ret)
		ret = add_text(s, r, path, &text, err);
	if (ret)
		return ret;
	s->has_file = s->nr_tables != 0;
	if (!s->has_file)
		snprintf(s->note, sizeof(s->note), "'%.200s' holds no kernel symbols%s", path,
			 s->why_not[0] ? ": their addresses are hidden" : "");
	return 0;
}

/* The copy of an earlier run, or else /proc/kallsyms, of which a copy is kept. */
static int read_kallsyms(struct symbols *s, struct strbuf *text, struct error *err)
{
	int ret;

	if (kallsyms_copy_read(text, KALLSYMS_PATH, BOOT_ID_PATH)) {
		s->late = late_symbols_new(KALLSYMS_PATH);
		return s->late ? 0 : error_nomem(err);
	}
	ret = symbol_file_read(text, KALLSYMS_PATH, err);
	if (!ret)
		kallsyms_copy_keep(text, BOOT_ID_PATH);
	return ret;
}

static int add_running_kernel(struct symbols *s, const struct source_facts *r, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret = 0;

	if (!access(KALLSYMS_PATH, F_OK)) {
		ret = read_kallsyms(s, &text, err);
		if (!ret)
			ret = add_text(s, r, KALLSYMS_PATH, &text, err);
	}
	if (!ret && !symbols_any(s) && !s->why_not[0])
		snprintf(s->why_not, sizeof(s->why_not),
			 "this kernel has no symbols in " KALLSYMS_PATH " (CONFIG_KALLSYMS)");
	return ret;
}

int symbols_init(struct symbols *s, const struct source_facts *recording, char *kallsyms,
		 size_t kallsyms_len, const char *kallsyms_path, struct error *err)
{
	_cleanup_free_ char *text = kallsyms;
	int ret = 0;

	*s = (struct symbols){.site_names = recording->site_names,
			      .facts = recording,
			      .kernel_start = recording->kernel_start,
			      .kernel_end = recording->kernel_end,
			      .module_lines = &recording->modules};
	module_space_init(&s->modules, recording);
	s->lives = module_lives_new(&recording->modules);
	if (!s->lives)
		return error_nomem(err);
	if (kallsyms_path)
		ret = add_named_file(s, recording, kallsyms_path, err);
	if (!ret && kallsyms_len)
		ret = add_table(s, recording, "the recording", steal_ptr(&text), kallsyms_len, err);
	if (!ret && !symbols_any(s) && is_running_kernel(s, recording))
		ret = add_running_kernel(s, recording, err);
	if (ret)
		symbols_deinit(s);
	return ret;
}

void symbols_deinit(struct symbols *s)
{
	for (size_t i = 0; i < s->nr_tables; i++)
		symbol_table_deinit(&s->tables[i]);
	late_symbols_free(s->late);
	module_lives_free(s->lives);
	*s = (struct symbols){0};
}

int symbols_read_modules(struct symbols *s)
{
	size_t len = symbols_has_news(s) ? s->module_lines->len : 0;
	int ret = 0;

	if (len) {
		ret = s->late ? module_lives_read(s->lives, late_symbols_table(s->late), 1)
			      : module_lives_read(s->lives, s->tables, s->nr_tables);
		s->lines_read = len;
		s->has_lives = !module_lives_none(s->lives);
	}
	return ret;
}

uint64_t symbols_address(const struct symbols *s, uint64_t identity)
{
	return s->lives ? module_lives_address(s->lives, identity) : identity;
}

static bool has_lives(const struct symbols *s)
{
	return s->lives && !module_lives_none(s->lives);
}

static const struct symbol *find_in_tables(const struct symbols *s, uint64_t address)
{
	for (size_t i = 0; i < s->nr_tables; i++) {
		const struct symbol *sym = symbol_table_find(&s->tables[i], address);

		if (sym)
			return sym;
	}
	return s->late && address ? symbol_table_find(late_symbols_table(s->late), address) : NULL;
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t address)
{
	static const struct symbol slab_pages = {.start = SYMBOLS_SLAB_PAGES,
						 .end = SYMBOLS_SLAB_PAGES + 1,
						 .name = "slab pages",
						 .type = 't'};
	const struct symbol *sym;

	if (address == SYMBOLS_SLAB_PAGES)
		return &slab_pages;
	if (s->site_names && site_names_has_range(address))
		return site_names_find(s->site_names, address);
	sym = has_lives(s) ? module_lives_find(s->lives, address) : NULL;
	if (sym)
		return sym;
	sym = find_in_tables(s, address);
	/* the tables describe the end of the recording, or the time when they were read */
	if (sym && sym->module && has_lives(s) && module_lives_replaced(s->lives, address))
		return NULL;
	return sym;
}

static bool in_module_space(const struct symbols *s, uint64_t address)
{
	return module_space_has(&s->modules, address) ||
	       (s->late && module_space_has(late_symbols_modules(s->late), address));
}

const char *symbols_module(const struct symbols *s, const struct symbol *sym, uint64_t address)
{
	if (sym)
		return sym->module;
	return symbols_any(s) && in_module_space(s, symbols_address(s, address)) ? SYMBOLS_UNLOADED
										 : NULL;
}

bool symbols_find_map(const struct symbols *s, const char *module, uint64_t address,
		      struct code_map *ret)
{
	const struct source_facts *f = s->facts;

	*ret = (struct code_map){s->kernel_start, s->kernel_end, f->kernel_build_id,
				 f->kernel_build_id_size};
	for (size_t i = f->nr_loaded; module && i-- > 0;) {
		const struct source_module *m = &f->loaded[i];

		if (strcmp(m->name, module) != 0 || address < m->start || address >= m->end)
			continue;
		*ret = (struct code_map){m->start, m->end, m->build_id, m->build_id_size};
		return true;
	}
	return !module && address >= ret->start && address < ret->end;
}

const char *symbols_dso(const struct symbols *s, const struct source_facts *facts,
			const struct symbol *sym, uint64_t address, struct strbuf *module)
{
	const char *name = symbols_module(s, sym, address);
	uint64_t real = symbols_address(s, address);

	if (name) {
		strbuf_reset(module);
		strbuf_addf(module, "[%s]", name);
		return module->buf;
	}
	if (sym || !facts->kernel_end || (real >= facts->kernel_start && real < facts->kernel_end))
		return "[kernel.kallsyms]";
	return NULL;
}
