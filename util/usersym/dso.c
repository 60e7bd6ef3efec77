// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/usersym/disassembly.h"
#include "util/usersym/elf_functions.h"
#include "util/usersym/jit_map.h"
#include "util/usersym/mini_debug.h"

/* ---- code generated at run time ---- */

/* The user of a running process; (uid_t)-1 if it has ended. */
static uid_t user_of(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? (uid_t)-1 : st.st_uid;
}

static int find_jit_map(struct dso *d, struct dso_files *l)
{
	const char *symfs = l->search->symfs;
	struct error err = ERROR_INIT;
	int ret;

	if (!l->is_running && !symfs)
		return 0; /* the pid is of another boot or machine */
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%s/tmp/perf-%u.map", symfs ? symfs : "", l->file->pid);
	if (l->path.failed)
		return -ENOMEM;
	ret = jit_map_read(&d->text, l->path.buf, symfs ? (uid_t)-1 : user_of(l->file->pid), &err);
	if (ret) {
		if (ret != -ENOENT)
			snprintf(d->why_not, sizeof(d->why_not), "%s", err.msg);
		return 0;
	}
	d->absolute = true;
	return jit_map_parse(&d->symbols, &d->text, NULL);
}

/* ---- symbols inside of a stripped file ---- */

static int find_mini(struct dso *d, const char *path)
{
	struct error err = ERROR_INIT;
	int ret;

	if (elf_functions_has_table(&d->file) ||
	    (d->has_debug && elf_functions_has_table(&d->debug)))
		return 0;
	ret = mini_debug_open(&d->mini, &d->file, path, &err);
	d->has_mini = !ret;
	if (ret && ret != -ENODATA)
		snprintf(d->why_not, sizeof(d->why_not), "%s", err.msg);
	return ret == -ENOMEM ? ret : 0;
}

/* ---- all sources of symbols ---- */

static int find_symbols(struct dso *d, struct dso_files *l)
{
	int ret = 0;

	if (l->file->is_private)
		return find_jit_map(d, l);
	if (!strcmp(l->file->path, "[vdso]"))
		ret = dso_files_find_vdso(l, &d->file, &d->has_file);
	else
		d->has_file = dso_files_find(l, &d->file);
	if (ret || !d->has_file)
		return ret;
	d->why_not[0] = '\0'; /* drop the reason of an earlier candidate */
	if (!elf_file_has_section(&d->file, ".symtab") ||
	    !elf_file_has_section(&d->file, ".debug_info"))
		d->has_debug = dso_files_find_debug(l, &d->file, &d->debug);
	ret = find_mini(d, l->file->path);
	return ret ? ret
		   : elf_functions_read(&d->symbols, &d->file, d->has_debug ? &d->debug : NULL,
					d->has_mini ? &d->mini : NULL, NULL);
}

int dso_init(struct dso *d, const struct mapped_file *file, const struct source_build_id *build_id,
	     const struct source_facts *recording, const struct dso_search *search,
	     struct error *err)
{
	struct dso_files files;
	int ret;

	*d = (struct dso)DSO_INIT;
	dso_files_init(&files, file, build_id, recording, search, d->why_not);
	ret = find_symbols(d, &files);
	if (!d->has_file && !d->absolute)
		dso_files_not_found(&files);
	dso_files_deinit(&files);
	if (!ret)
		return 0;
	dso_deinit(d);
	return error_nomem(err);
}

void dso_deinit(struct dso *d)
{
	source_lines_close(d->lines);
	elf_symbols_deinit(&d->symbols);
	if (d->has_mini)
		elf_file_close(&d->mini);
	if (d->has_debug)
		elf_file_close(&d->debug);
	if (d->has_file)
		elf_file_close(&d->file);
	strbuf_deinit(&d->text);
	*d = (struct dso)DSO_INIT;
}

bool dso_address(const struct dso *d, uint64_t offset, uint64_t *ret_address)
{
	if (d->absolute) {
		*ret_address = offset;
		return true;
	}
	return d->has_file && elf_file_address(&d->file, offset, ret_address);
}

bool dso_code(const struct dso *d, uint64_t function, struct code_bytes *ret_code)
{
	const struct elf_symbol *sym = elf_symbols_find(&d->symbols, function);
	uint64_t size = elf_symbols_end(&d->symbols, function) - function;
	const uint8_t *bytes =
		d->has_file && size ? elf_file_bytes(&d->file, function, size) : NULL;

	if (!bytes)
		return false;
	*ret_code = (struct code_bytes){.bytes = bytes,
					.size = size,
					.address = function,
					.machine = d->file.machine,
					.big_endian = d->file.big_endian,
					.is_thumb = sym && sym->is_thumb};
	return true;
}

struct source_lines *dso_lines(struct dso *d)
{
	if (d->lines_opened || !d->has_file)
		return d->lines;
	d->lines_opened = true;
	if (source_lines_open(&d->file, "", &d->lines, NULL) && d->has_debug &&
	    source_lines_open(&d->debug, "", &d->lines, NULL))
		d->lines = NULL;
	return d->lines;
}
