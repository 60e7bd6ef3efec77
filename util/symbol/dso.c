// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/dso.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/host/vdso.h"
#include "util/symbol/disassembly.h"
#include "util/symbol/elf_functions.h"
#include "util/symbol/jit_map.h"
#include "util/symbol/mini_debug.h"

#define DEBUG_DIR "/usr/lib/debug"
#define DELETED	  " (deleted)"

/* What is being looked for, and the reason to refuse what was found. */
struct lookup {
	struct dso *dso;
	const struct mapped_file *file;
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not told */
	uint64_t recorded_s;  /* when the recording ended, since 1970; 0: unknown */
	bool is_running;      /* it is of the running kernel */
	const struct dso_search *search;
	struct strbuf path; /* of a candidate */
	bool refused;	    /* one was found, and was not the right one */
};

/* Below a directory: "/.build-id/ab/cdef..." */
static void add_build_id(struct strbuf *path, const uint8_t *id, size_t size)
{
	strbuf_addstr(path, "/.build-id/");
	for (size_t i = 0; i < size; i++)
		strbuf_addf(path, "%s%02x", i == 1 ? "/" : "", id[i]);
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

/* ---- from a server ---- */

static bool fetch(struct lookup *l, enum debuginfod_kind kind, const uint8_t *build_id, size_t size,
		  struct elf_file *f)
{
	struct debuginfod *server = l->search->debuginfod;

	if (!server || !size ||
	    !debuginfod_find(server, kind, build_id, size, l->file->path, &l->path))
		return false;
	if (!elf_file_open(f, l->path.buf, NULL)) {
		if (has_build_id(f, build_id, size))
			return true;
		elf_file_close(f);
	}
	debuginfod_refuse(kind, l->file->path, l->path.buf);
	return false;
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
	add_build_id(&l->path, l->build_id, l->build_id_size);
	strbuf_addstr(&l->path, what);
	return true;
}

/* The length of a path without what the kernel says of a file that has no name any more. */
static size_t name_length(const char *path)
{
	size_t len = strlen(path), deleted = strlen(DELETED);

	return len > deleted && !strcmp(path + len - deleted, DELETED) ? len - deleted : len;
}

/* The recorded path, below a directory. */
static void path_below(struct lookup *l, const char *dir)
{
	strbuf_reset(&l->path);
	strbuf_addstr(&l->path, dir);
	strbuf_add(&l->path, l->file->path, name_length(l->file->path));
}

/* Does the link of /proc/PID/map_files lead, or has it led, to the recorded path? */
static bool is_link_to(int dir, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	size_t len = name_length(path);

	if (n <= 0)
		return false;
	target[n] = '\0';
	return name_length(target) == len && !memcmp(target, path, len);
}

/* While the process lives, what it has mapped can be read whether or not it has a name. */
static void find_in_process(struct lookup *l)
{
	char dir_path[32];
	const struct dirent *entry;
	DIR *dir;

	snprintf(dir_path, sizeof(dir_path), "/proc/%u/map_files", l->file->pid);
	dir = opendir(dir_path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!is_link_to(dirfd(dir), entry->d_name, l->file->path))
			continue;
		strbuf_reset(&l->path);
		strbuf_addf(&l->path, "%s/%s", dir_path, entry->d_name);
		if (try_file(l))
			break;
	}
	closedir(dir);
}

static void find_file_here(struct lookup *l)
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
	if (!l->is_running || l->search->symfs || l->file->path[0] != '/')
		return;
	/* in the process' own root, which may be a container's */
	snprintf(root, sizeof(root), "/proc/%u/root", l->file->pid);
	path_below(l, root);
	if (!try_file(l))
		find_in_process(l);
}

static void find_file(struct lookup *l)
{
	struct dso *d = l->dso;

	find_file_here(l);
	if (!d->has_file)
		d->has_file =
			fetch(l, DEBUGINFOD_EXECUTABLE, l->build_id, l->build_id_size, &d->file);
}

/* The vdso has no path: ours may be the same. */
static int find_vdso(struct lookup *l)
{
	struct dso *d = l->dso;
	void *image;
	size_t size;
	int ret;

	if (cache_path(l, "/vdso") && try_file(l))
		return 0;
	if (!l->build_id_size && !l->is_running)
		return 0;
	ret = vdso_copy(&image, &size);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (elf_file_open_image(&d->file, image, size, l->file->path, NULL))
		return 0;
	d->has_file = !l->build_id_size || is_right(l, l->file->path, &d->file);
	if (!d->has_file)
		elf_file_close(&d->file);
	return 0;
}

/* ---- code that was made at run time ---- */

/* The user of a process that lives; (uid_t)-1: it does not. */
static uid_t user_of(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) ? (uid_t)-1 : st.st_uid;
}

static int find_jit_map(struct lookup *l)
{
	const char *symfs = l->search->symfs;
	struct error err = ERROR_INIT;
	struct dso *d = l->dso;
	int ret;

	if (!l->is_running && !symfs)
		return 0; /* that process was another one */
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

static void find_debug_here(struct lookup *l)
{
	const struct elf_file *f = &l->dso->file;
	const char *name;
	uint32_t crc;

	if (f->build_id_size >= 2) {
		if (cache_path(l, "/debug") && try_debug(l))
			return;
		strbuf_reset(&l->path);
		strbuf_addstr(&l->path, debug_dir(l));
		add_build_id(&l->path, f->build_id, f->build_id_size);
		strbuf_addstr(&l->path, ".debug");
		if (try_debug(l))
			return;
	}
	name = elf_file_debuglink(f, &crc);
	if (name && l->file->path[0] == '/')
		try_debuglink(l, name, l->file->path);
}

static void find_debug(struct lookup *l)
{
	struct dso *d = l->dso;

	if (elf_file_has_section(&d->file, ".symtab") &&
	    elf_file_has_section(&d->file, ".debug_info"))
		return;
	find_debug_here(l);
	if (!d->has_debug)
		d->has_debug = fetch(l, DEBUGINFOD_DEBUG_FILE, d->file.build_id,
				     d->file.build_id_size, &d->debug);
}

/* ---- what a stripped file has kept ---- */

static int find_mini(struct lookup *l)
{
	struct error err = ERROR_INIT;
	struct dso *d = l->dso;
	int ret;

	if (elf_functions_has_table(&d->file) ||
	    (d->has_debug && elf_functions_has_table(&d->debug)))
		return 0;
	ret = mini_debug_open(&d->mini, &d->file, l->file->path, &err);
	d->has_mini = !ret;
	if (ret && ret != -ENODATA)
		snprintf(d->why_not, sizeof(d->why_not), "%s", err.msg);
	return ret == -ENOMEM ? ret : 0;
}

/* ---- all of it ---- */

static void not_found(struct lookup *l)
{
	struct dso *d = l->dso;
	size_t n;

	/* memory of no file has no names to be missed, unless a map of it was refused */
	if (l->refused || d->why_not[0] || l->file->is_private)
		return;
	n = (size_t)snprintf(d->why_not, sizeof(d->why_not), "'%s' was not found", l->file->path);
	if (l->build_id_size && n < sizeof(d->why_not)) {
		char id[2 * BUILD_ID_MAX + 1];

		snprintf(d->why_not + n, sizeof(d->why_not) - n, " (build-id %s)",
			 hex(id, l->build_id, l->build_id_size));
	}
}

static int find_symbols(struct lookup *l)
{
	struct dso *d = l->dso;
	int ret = 0;

	if (l->file->is_private)
		return find_jit_map(l);
	if (!strcmp(l->file->path, "[vdso]"))
		ret = find_vdso(l);
	else
		find_file(l);
	if (ret || !d->has_file)
		return ret;
	d->why_not[0] = '\0'; /* of what was looked at before */
	find_debug(l);
	ret = find_mini(l);
	return ret ? ret
		   : elf_functions_read(&d->symbols, &d->file, d->has_debug ? &d->debug : NULL,
					d->has_mini ? &d->mini : NULL, NULL);
}

/* When the recording ended, for whoever reads a calendar. */
static uint64_t end_of(const struct source_facts *recording)
{
	uint64_t start_ns = source_facts_wall_clock_ns(recording);

	return start_ns ? (start_ns + recording->last_ns - recording->first_ns) / 1000000000 + 1
			: 0;
}

int dso_init(struct dso *d, const struct mapped_file *file, const struct source_build_id *build_id,
	     const struct source_facts *recording, const struct dso_search *search,
	     struct error *err)
{
	struct lookup l = {.dso = d,
			   .file = file,
			   .search = search,
			   .path = STRBUF_INIT,
			   .recorded_s = end_of(recording),
			   .is_running = source_facts_are_of_running_kernel(recording)};
	int ret;

	*d = (struct dso)DSO_INIT;
	if (file->build_id_size) {
		l.build_id = file->build_id;
		l.build_id_size = file->build_id_size;
	} else if (build_id) {
		l.build_id = build_id->id;
		l.build_id_size = build_id->size;
	}
	ret = find_symbols(&l);
	if (!d->has_file && !d->absolute)
		not_found(&l);
	strbuf_deinit(&l.path);
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
	uint64_t size = elf_symbols_end(&d->symbols, function) - function;
	const uint8_t *bytes =
		d->has_file && size ? elf_file_bytes(&d->file, function, size) : NULL;

	if (!bytes)
		return false;
	*ret_code = (struct code_bytes){bytes, size, function, d->file.machine, d->file.big_endian};
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
