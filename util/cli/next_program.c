// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/next_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

/* "dev:inode," for each program tried in this chain. */
#define TRIED_ENV "PERF_KMEM_TRIED"
#define TRIED_MAX 1024

static void add_identity(struct strbuf *sb, const struct stat *st)
{
	strbuf_addf(sb, "%" PRIx64 ":%" PRIx64 ",", (uint64_t)st->st_dev, (uint64_t)st->st_ino);
}

static bool was_tried(const struct strbuf *tried, const struct stat *st)
{
	_cleanup_(strbuf_deinit) struct strbuf id = STRBUF_INIT;

	strbuf_addch(&id, ',');
	add_identity(&id, st);
	return strstr(tried->buf, id.buf);
}

/* Read the programs tried before us, and add this program, as ",id,id,". */
static void read_tried(struct strbuf *tried)
{
	const char *env = getenv(TRIED_ENV);
	/* qemu-user opens the program that it runs, but stat() is of qemu */
	_cleanup_close_ int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	struct stat self;

	strbuf_addstr(tried, env && *env == ',' ? env : ",");
	if (fd >= 0 && !fstat(fd, &self) && !was_tried(tried, &self))
		add_identity(tried, &self);
}

static bool is_candidate(const char *path, const struct strbuf *tried, struct stat *ret_st)
{
	return !stat(path, ret_st) && S_ISREG(ret_st->st_mode) && !access(path, X_OK) &&
	       !was_tried(tried, ret_st);
}

static bool find(const char *name, struct strbuf *tried, struct strbuf *path)
{
	const char *dir = getenv("PATH");
	size_t start = path->len;

	if (!dir || tried->len > TRIED_MAX)
		return false;
	for (;;) {
		size_t len = strcspn(dir, ":");
		struct stat st;

		strbuf_setlen(path, start);
		strbuf_add(path, dir, len);
		strbuf_addf(path, "/%s", name);
		if (path->failed)
			return false;
		/* skip an empty part: the current directory, which may belong to anybody */
		if (len && is_candidate(path->buf + start, tried, &st)) {
			add_identity(tried, &st);
			return true;
		}
		if (!dir[len])
			break;
		dir += len + 1;
	}
	strbuf_setlen(path, start);
	return false;
}

bool next_program_find(const char *name, struct strbuf *path)
{
	_cleanup_(strbuf_deinit) struct strbuf tried = STRBUF_INIT;

	read_tried(&tried);
	return find(name, &tried, path);
}

void next_program_forget(void)
{
	unsetenv(TRIED_ENV);
}

int next_program_exec(const char *name, const char **argv)
{
	_cleanup_(strbuf_deinit) struct strbuf tried = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	const char *name_typed = argv[0];
	int ret = -ENOENT;

	read_tried(&tried);
	while (find(name, &tried, &path)) {
		argv[0] = path.buf;
		setenv(TRIED_ENV, tried.buf, 1);
		execv(path.buf, (char **)(uintptr_t)argv);
		ret = -errno;
		strbuf_reset(&path);
	}
	argv[0] = name_typed;
	return ret;
}
