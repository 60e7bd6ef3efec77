// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/dso_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/host/running_kernel.h"

#define DEBUG_DIR "/usr/lib/debug"
#define DELETED	  " (deleted)"

/* A path below a directory: "/.build-id/ab/cdef..." */
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

/* ---- checking candidates ---- */

static bool has_build_id(const struct elf_file *f, const uint8_t *id, size_t size)
{
	/* some recordings pad build-ids with zeroes to 20 bytes */
	static const uint8_t zeroes[BUILD_ID_MAX];

	return f->build_id_size && f->build_id_size <= size &&
	       !memcmp(f->build_id, id, f->build_id_size) &&
	       !memcmp(id + f->build_id_size, zeroes, size - f->build_id_size);
}

static void refuse(struct dso_files *l, const char *path, const char *why)
{
	l->refused = true;
	snprintf(l->why_not, ERROR_MSG_MAX, "'%s' %s", path, why);
}

static bool is_right(struct dso_files *l, const char *path, const struct elf_file *f)
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
		return true; /* the user asserts it */
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

static bool fetch(struct dso_files *l, enum debuginfod_kind kind, const uint8_t *build_id,
		  size_t size, struct elf_file *f)
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

/* Accept the candidate if it is right. */
static bool try_file(struct dso_files *l, struct elf_file *f)
{
	if (l->path.failed || elf_file_open(f, l->path.buf, NULL))
		return false;
	if (is_right(l, l->path.buf, f))
		return true;
	elf_file_close(f);
	return false;
}

/* The path of the build-id in the cache. */
static bool cache_path(struct dso_files *l, const char *what)
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

/* The length of the path without the kernel's " (deleted)". */
static size_t name_length(const char *path)
{
	size_t len = strlen(path), deleted = strlen(DELETED);

	return len > deleted && !strcmp(path + len - deleted, DELETED) ? len - deleted : len;
}

/* The recorded path, below a directory. */
static void path_below(struct dso_files *l, const char *dir)
{
	strbuf_reset(&l->path);
	strbuf_addstr(&l->path, dir);
	strbuf_add(&l->path, l->file->path, name_length(l->file->path));
}

/* Whether the link of /proc/PID/map_files has, or had, the recorded path as its target. */
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

/* While the process is running, its mapped files can be read even if they were deleted. */
static bool find_in_process(struct dso_files *l, struct elf_file *f)
{
	char dir_path[32];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(dir_path, sizeof(dir_path), "/proc/%u/map_files", l->file->pid);
	dir = opendir(dir_path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (!is_link_to(dirfd(dir), entry->d_name, l->file->path))
			continue;
		strbuf_reset(&l->path);
		strbuf_addf(&l->path, "%s/%s", dir_path, entry->d_name);
		found = try_file(l, f);
	}
	closedir(dir);
	return found;
}

static bool find_here(struct dso_files *l, struct elf_file *f)
{
	char root[32];

	if (cache_path(l, "/elf") && try_file(l, f))
		return true;
	if (cache_path(l, "") && try_file(l, f)) /* the layout of older versions of perf */
		return true;
	if (l->file->path[0] != '/')
		return false;
	path_below(l, l->search->symfs ? l->search->symfs : "");
	if (try_file(l, f))
		return true;
	if (!l->is_running || l->search->symfs)
		return false;
	/* in the process's own root, possibly a container's */
	snprintf(root, sizeof(root), "/proc/%u/root", l->file->pid);
	path_below(l, root);
	return try_file(l, f) || find_in_process(l, f);
}

bool dso_files_find(struct dso_files *l, struct elf_file *ret_file)
{
	return find_here(l, ret_file) ||
	       fetch(l, DEBUGINFOD_EXECUTABLE, l->build_id, l->build_id_size, ret_file);
}

int dso_files_find_vdso(struct dso_files *l, struct elf_file *ret_file, bool *ret_found)
{
	void *image;
	size_t size;
	int ret;

	*ret_found = cache_path(l, "/vdso") && try_file(l, ret_file);
	if (*ret_found || (!l->build_id_size && !l->is_running))
		return 0;
	ret = running_kernel_vdso(&image, &size);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (elf_file_open_image(ret_file, image, size, l->file->path, NULL))
		return 0;
	*ret_found = !l->build_id_size || is_right(l, l->file->path, ret_file);
	if (!*ret_found)
		elf_file_close(ret_file);
	return 0;
}

/* ---- its debug file ---- */

/* The file that was found, and the wanted debug file. */
struct debug_lookup {
	struct dso_files *l;
	const struct elf_file *of;
	struct elf_file *debug;
};

/* Accept the candidate if it has the file's build-id. */
static bool try_debug(const struct debug_lookup *d)
{
	if (d->l->path.failed || elf_file_open(d->debug, d->l->path.buf, NULL))
		return false;
	if (d->of->build_id_size && d->debug->build_id_size == d->of->build_id_size &&
	    !memcmp(d->debug->build_id, d->of->build_id, d->of->build_id_size))
		return true;
	elf_file_close(d->debug);
	return false;
}

static const char *debug_dir(const struct dso_files *l)
{
	return l->search->debug_dir ? l->search->debug_dir : DEBUG_DIR;
}

/* Candidates: beside the file, in .debug there, and at the same path below the directory of debug
 * files. */
static bool try_debuglink(const struct debug_lookup *d, const char *name, const char *file_path)
{
	struct dso_files *l = d->l;
	const char *slash = strrchr(file_path, '/');
	int dir_len = slash ? (int)(slash - file_path) : 0;

	if (strchr(name, '/'))
		return false;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%.*s/%s", dir_len, file_path, name);
	if (try_debug(d))
		return true;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%.*s/.debug/%s", dir_len, file_path, name);
	if (try_debug(d))
		return true;
	strbuf_reset(&l->path);
	strbuf_addf(&l->path, "%s%.*s/%s", debug_dir(l), dir_len, file_path, name);
	return try_debug(d);
}

static bool find_debug_here(const struct debug_lookup *d)
{
	const struct elf_file *f = d->of;
	struct dso_files *l = d->l;
	const char *name;

	if (f->build_id_size >= 2) {
		if (cache_path(l, "/debug") && try_debug(d))
			return true;
		strbuf_reset(&l->path);
		strbuf_addstr(&l->path, debug_dir(l));
		add_build_id(&l->path, f->build_id, f->build_id_size);
		strbuf_addstr(&l->path, ".debug");
		if (try_debug(d))
			return true;
	}
	name = elf_file_debuglink(f);
	return name && l->file->path[0] == '/' && try_debuglink(d, name, l->file->path);
}

bool dso_files_find_debug(struct dso_files *l, const struct elf_file *of,
			  struct elf_file *ret_debug)
{
	const struct debug_lookup d = {l, of, ret_debug};

	return find_debug_here(&d) ||
	       fetch(l, DEBUGINFOD_DEBUG_FILE, of->build_id, of->build_id_size, ret_debug);
}

void dso_files_not_found(struct dso_files *l)
{
	int n;

	/* memory without a file has no missing names, unless a map of it was refused */
	if (l->refused || l->why_not[0] || l->file->is_private)
		return;
	n = snprintf(l->why_not, ERROR_MSG_MAX, "'%s' was not found", l->file->path);
	if (l->build_id_size && n < ERROR_MSG_MAX) {
		char id[2 * BUILD_ID_MAX + 1];

		snprintf(l->why_not + n, ERROR_MSG_MAX - (size_t)n, " (build-id %s)",
			 hex(id, l->build_id, l->build_id_size));
	}
}

/* The end of the recording, in seconds since 1970, rounded up. 0 if unknown. */
static uint64_t end_of(const struct source_facts *recording)
{
	uint64_t start_ns = source_facts_wall_clock_ns(recording);

	return start_ns ? (start_ns + recording->last_ns - recording->first_ns) / 1000000000 + 1
			: 0;
}

void dso_files_init(struct dso_files *l, const struct mapped_file *file,
		    const struct source_build_id *build_id, const struct source_facts *recording,
		    const struct dso_search *search, char *why_not)
{
	*l = (struct dso_files){.file = file,
				.search = search,
				.path = STRBUF_INIT,
				.recorded_s = end_of(recording),
				.is_running = source_facts_are_of_running_kernel(recording),
				.why_not = why_not};
	if (file->build_id_size) {
		l->build_id = file->build_id;
		l->build_id_size = file->build_id_size;
	} else if (build_id) {
		l->build_id = build_id->id;
		l->build_id_size = build_id->size;
	}
}

void dso_files_deinit(struct dso_files *l)
{
	strbuf_deinit(&l->path);
}
