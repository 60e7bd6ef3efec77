// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/kallsyms_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/out_file.h"
#include "util/host/kallsyms.h"
#include "util/host/machine_id.h"

/* More than the symbols of any kernel. */
#define COPY_MAX (64u << 20)

/* Compared with the kernel's present lines. */
#define FIRST_BYTES 4096u

/* The first line of a copy. Empty if the boot is unknown. */
static void add_title(struct strbuf *title, const char *boot_id)
{
	struct machine_id id;

	machine_id_read(&id, "", boot_id);
	if (id.boot[0])
		strbuf_addf(title, "# /proc/kallsyms of boot %s, without modules\n", id.boot);
}

/* Check that it belongs to this user, and that nobody else can write to it. */
static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* A folder of ours; with `make` it is created. */
static bool has_folder(const char *path, bool make)
{
	struct stat st;

	if (make)
		mkdir(path, 0700);
	return !stat(path, &st) && S_ISDIR(st.st_mode) && is_ours(&st);
}

/* The copy's path. Returns false if there is no place for it. */
static bool find_path(struct strbuf *path, bool make)
{
	/* a program with privileges of its own must not follow its user's environment */
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (cache && *cache == '/')
		strbuf_addstr(path, cache);
	else if (home && *home == '/')
		strbuf_addf(path, "%s/.cache", home);
	if (!path->len || path->failed || !has_folder(path->buf, make) ||
	    strbuf_addstr(path, "/perf-kmem") || !has_folder(path->buf, make))
		return false;
	return !strbuf_addstr(path, "/kallsyms");
}

/* Read a copy of this boot, without its title. */
static bool read_copy(struct strbuf *text, const char *path, const char *boot_id)
{
	_cleanup_(strbuf_deinit) struct strbuf title = STRBUF_INIT, found = STRBUF_INIT;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	add_title(&title, boot_id);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_ours(&st) || !title.len)
		return false;
	if (strbuf_read_max(&found, fd, title.len) || found.len != title.len ||
	    memcmp(found.buf, title.buf, title.len) != 0)
		return false;
	return !strbuf_read_max(text, fd, COPY_MAX) && text->len;
}

/* Whether the kernel shows the same lines as the copy, as far as one read() goes. */
static bool shows_the_same(const struct strbuf *text, const char *kallsyms)
{
	_cleanup_close_ int fd = open(kallsyms, O_RDONLY | O_CLOEXEC);
	char first[FIRST_BYTES];
	ssize_t n = fd < 0 ? -1 : read(fd, first, sizeof(first));

	return n > 0 && !memcmp(text->buf, first, (size_t)n < text->len ? (size_t)n : text->len);
}

bool kallsyms_copy_read(struct strbuf *text, const char *kallsyms, const char *boot_id)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	if (find_path(&path, false) && read_copy(text, path.buf, boot_id) &&
	    shows_the_same(text, kallsyms)) {
		log_info("%s: symbols of the kernel, without modules", path.buf);
		return true;
	}
	strbuf_reset(text);
	return false;
}

/* Bytes of the lines before the first one of a module or program. */
static size_t own_lines(const struct strbuf *text)
{
	const char *module = memchr(text->buf, '[', text->len);
	const char *end = module ? memrchr(text->buf, '\n', (size_t)(module - text->buf)) : NULL;

	return module ? (end ? (size_t)(end + 1 - text->buf) : 0) : text->len;
}

/* Whether the last line has an address. Per-CPU symbols, the first ones, may have small ones. */
static bool has_addresses(const char *text, size_t len)
{
	const char *newline = len ? memrchr(text, '\n', len - 1) : NULL;
	const char *last = newline ? newline + 1 : text;
	struct kallsyms_line line;

	return kallsyms_next(&last, text + len, &line) && line.address;
}

void kallsyms_copy_keep(const struct strbuf *text, const char *boot_id)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT, title = STRBUF_INIT;
	_cleanup_(out_file_deinit) struct out_file file = OUT_FILE_INIT;
	struct error err = ERROR_INIT;
	const size_t len = own_lines(text);

	add_title(&title, boot_id);
	if (!title.len || title.failed || !has_addresses(text->buf, len) || !find_path(&path, true))
		return;
	if (out_file_open(&file, path.buf, NULL, &err) ||
	    out_file_append(&file, title.buf, title.len) ||
	    out_file_append(&file, text->buf, len) || out_file_publish(&file, &err))
		log_info("%s: not kept", path.buf);
}
