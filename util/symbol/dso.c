// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

#define DEBUG_DIR "/usr/lib/debug"
#define DELETED	  " (deleted)"

/* What is being looked for, and the reason to refuse what was found. */
struct lookup {
	struct dso *dso;
	const struct mapped_file *file;
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not told */
	uint64_t recorded_s;  /* since 1970; 0: unknown */
	const struct dso_search *search;
	struct strbuf path; /* of a candidate */
	bool refused;	    /* one was found, and was not the right one */
};

static void add_hex(struct strbuf *sb, const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(sb, "%02x", bytes[i]);
}

static const char *hex(char *buf, const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
	buf[2 * nr] = '\0';
	return buf;
}

/* ---- is it the right one? ---- */

static bool has_build_id(const struct elf_file *f, const uint8_t *id, size_t size)
{
	/* some recordings have the 20 bytes that fit, of which those beyond the build-id are 0 */
	static const uint8_t zeroes[BUILD_ID_MAX];

	return f->build_id_size && f->build_id_size <= size &&
	       !memcmp(f->build_id, id, f->build_id_size) &&
	       !memcmp(id + f->build_id_size, zeroes, size - f->build_id_size);
}

static void refuse(struct lookup *l, const char *path, const char *why)
{
	l->refused = true;
	snprintf(l->dso->why_not, sizeof(l->dso->why_not), "'%s' %s", path, why);
}

static bool is_right(struct lookup *l, const char *path, const struct elf_file *f)
{
	char told[2 * BUILD_ID_MAX + 1], found[2 * BUILD_ID_MAX + 1], why[160];

	if (l->build_id_size) {
		if (has_build_id(f, l->build_id, l->build_id_size))
			return true;
		snprintf(why, sizeof(why),
			 "is not the file that was recorded: its build-id is %s, not %s",
			 f->build_id_size ? hex(found, f->build_id, f->build_id_size) : "missing",
			 hex(told, l->build_id, l->build_id_size));
		refuse(l, path, why);
		return false;
	}
	if (l->search->symfs)
		return true; /* the user says so */
	if (l->file->inode && l->file->inode != f->inode) {
		refuse(l, path, "was replaced since it was recorded (its inode is another one)");
		return false;
	}
	if (l->recorded_s && f->modified_s > 0 && (uint64_t)f->modified_s > l->recorded_s) {
		refuse(l, path, "was changed since it was recorded");
		return false;
	}
	return true;
}

/* ---- the file itself ---- */

/* Take the candidate, if it is right. */
static bool try_file(struct lookup *l)
{
	struct dso *d = l->dso;

	if (l->path.failed || elf_file_open(&d->file, l->path.buf, NULL))
		return false;
	d->has_file = is_right(l, l->path.buf, &d->file);
	if (!d->has_file)
		elf_file_close(&d->file);
	return d->has_file;
}

/* The path of what the cache has of the build-id. */
static bool cache_path(struct lookup *l, const char *what)
{
	const char *home = getenv("HOME");

	if (l->build_id_size < 2 || (!l->search->cache && !home))
		return false;
	strbuf_reset(&l->path);
	if (l->search->cache)
		strbuf_addstr(&l->path, l->search->cache);
	else
		strbuf_addf(&l->path, "%s/.debug", home);
	strbuf_addstr(&l->path, "/.build-id/");
	add_hex(&l->path, l->build_id, 1);
	strbuf_addch(&l->path, '/');
	add_hex(&l->path, l->build_id + 1, l->build_id_size - 1);
	strbuf_addstr(&l->path, what);
	return true;
}

/* The recorded path, below a directory. */
static void path_below(struct lookup *l, const char *dir)
{
	const char *path = l->file->path;
	size_t len = strlen(path), deleted = strlen(DELETED);

	if (len > deleted && !strcmp(path + len - deleted, DELETED))
		len -= deleted;
	strbuf_reset(&l->path);
	strbuf_addstr(&l->path, dir);
	strbuf_add(&l->path, path, len);
}

static void find_file(struct lookup *l, bool is_running)
{
	char root[32];

	if (cache_path(l, "/elf") && try_file(l))
		return;
	if (cache_path(l, "") && try_file(l)) /* as older versions of perf had it */
		return;
	if (l->file->path[0] == '/') {
		path_below(l, l->search->symfs ? l->search->symfs : "");
		if (try_file(l))
			return;
	}
	if (!is_running || l->search->symfs || l->file->path[0] != '/')
		return;
	/* in the process' own root, which may be a container's */
	snprintf(root, sizeof(root), "/proc/%u/root", l->file->pid);
	path_below(l, root);
	try_file(l);
}

/* ---- its debug file ---- */

/* Take the candidate, if it has the file's build-id. */
static bool try_debug(struct lookup *l)
{
	struct dso *d = l->dso;

	if (l->path.failed || elf_file_open(&d->debug, l->path.buf, NULL))
		return false;
	d->has_debug = d->file.build_id_size && d->debug.build_id_size == d->file.build_id_size &&
		       !memcmp(d->debug.build_id, d->file.build_id, d->file.build_id_size);
	if (!d->has_debug)
		elf_file_close(&d->debug);
	return d->has_debug;
}

static const char *debug_dir(const struct lookup *l)
{
	return l->search->debug_dir ? l->search->debug_dir : DEBUG_DIR;
}

/* Beside the file, in .debug there, in the same place below the directory of debug files. */
static bool try_debuglink(struct lookup *l, const char *name, const char *file_path)
{
	const char *slash = strrchr(file_path, '/');
	int dir_len = slash ? (int)(slash - file_path) : 0;

	if (strchr(name, '/'))
		return false;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%.*s/%s", dir_len, file_path, name);
	if (try_debug(l))
		return true;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%.*s/.debug/%s", dir_len, file_path, name);
	if (try_debug(l))
		return true;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%s%.*s/%s", debug_dir(l), dir_len, file_path, name);
	return try_debug(l);
}

static void find_debug(struct lookup *l)
{
	const struct elf_file *f = &l->dso->file;
	const char *name;
	uint32_t crc;

	if (elf_file_has_section(f, ".symtab") && elf_file_has_section(f, ".debug_info"))
		return;
	if (f->build_id_size >= 2) {
		if (cache_path(l, "/debug") && try_debug(l))
			return;
		strbuf_reset(&l->path);
		strbuf_addf(&l->path, "%s/.build-id/", debug_dir(l));
		add_hex(&l->path, f->build_id, 1);
		strbuf_addch(&l->path, '/');
		add_hex(&l->path, f->build_id + 1, f->build_id_size - 1);
		strbuf_addstr(&l->path, ".debug");
		if (try_debug(l))
			return;
	}
	name = elf_file_debuglink(f, &crc);
	if (name && l->file->path[0] == '/')
		try_debuglink(l, name, l->file->path);
}

/* ---- all of it ---- */

static void not_found(struct lookup *l)
{
	if (!l->refused && !l->dso->why_not[0])
		snprintf(l->dso->why_not, sizeof(l->dso->why_not), "'%s' was not found",
			 l->file->path);
}

int dso_init(struct dso *d, const struct mapped_file *file, const struct source_build_id *build_id,
	     const struct source_facts *recording, const struct dso_search *search,
	     struct error *err)
{
	struct lookup l = {.dso = d, .file = file, .search = search, .path = STRBUF_INIT};
	int ret = 0;

	*d = (struct dso){.file.fd = -1, .debug.fd = -1};
	l.recorded_s = source_facts_wall_clock_ns(recording) / 1000000000;
	if (file->build_id_size) {
		l.build_id = file->build_id;
		l.build_id_size = file->build_id_size;
	} else if (build_id) {
		l.build_id = build_id->id;
		l.build_id_size = build_id->size;
	}
	if (!file->is_private)
		find_file(&l, source_facts_are_of_running_kernel(recording));
	if (d->has_file) {
		d->why_not[0] = '\0';
		find_debug(&l);
		ret = elf_symbols_init(&d->symbols, &d->file, d->has_debug ? &d->debug : NULL, err);
	} else {
		not_found(&l);
	}
	strbuf_deinit(&l.path);
	if (ret)
		dso_deinit(d);
	return ret;
}

void dso_deinit(struct dso *d)
{
	source_lines_close(d->lines);
	elf_symbols_deinit(&d->symbols);
	if (d->has_debug)
		elf_file_close(&d->debug);
	if (d->has_file)
		elf_file_close(&d->file);
	*d = (struct dso){.file.fd = -1, .debug.fd = -1};
}

bool dso_address(const struct dso *d, uint64_t offset, uint64_t *ret_address)
{
	if (d->absolute) {
		*ret_address = offset;
		return true;
	}
	return d->has_file && elf_file_address(&d->file, offset, ret_address);
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
