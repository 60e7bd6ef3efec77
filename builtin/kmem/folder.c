// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

bool kmem_folder_is_one(const char *path)
{
	size_t len = strlen(path);

	return len && path[len - 1] == '/';
}

int kmem_folder_open(struct kmem_folder *f, const char *path, const char *suffix, struct error *err)
{
	*f = (struct kmem_folder){.path = path, .suffix = suffix};
	f->is_new = !mkdir(path, 0777);
	/* for a file, the trailing slash causes ENOTDIR */
	if (!f->is_new && (errno != EEXIST || access(path, W_OK | X_OK)))
		return error_set_errno(err, errno, "cannot write into '%s'", path);
	return 0;
}

static int add_file(struct kmem_folder *f, const char *name, FILE **ret_out)
{
	struct out_file *files = reallocarray(f->files, f->nr + 1, sizeof(*files));
	_cleanup_free_ char *path = NULL;
	int ret;

	if (!files)
		return error_nomem(&f->err);
	f->files = files;
	if (asprintf(&path, "%s%s.%s", f->path, name, f->suffix) < 0) {
		path = NULL;
		return error_nomem(&f->err);
	}
	ret = out_file_open(&files[f->nr], path, NULL, &f->err);
	if (!ret)
		ret = out_file_stream(&files[f->nr], ret_out, &f->err);
	f->nr++;
	return ret;
}

FILE *kmem_folder_add(void *ctx, const char *name)
{
	struct kmem_folder *f = ctx;
	FILE *out;

	return f->err.code || add_file(f, name, &out) ? NULL : out;
}

int kmem_folder_publish(struct kmem_folder *f, struct error *err)
{
	int ret = 0;

	if (f->err.code) {
		*err = f->err;
		return -f->err.code;
	}
	/* a full disk is noticed before any file is replaced */
	for (size_t i = 0; i < f->nr && !ret; i++)
		ret = out_file_flush(&f->files[i], err);
	for (size_t i = 0; i < f->nr && !ret; i++)
		ret = out_file_publish(&f->files[i], err);
	return ret;
}

void kmem_folder_deinit(struct kmem_folder *f)
{
	for (size_t i = 0; i < f->nr; i++)
		out_file_deinit(&f->files[i]);
	free(f->files);
	if (f->is_new)
		rmdir(f->path);
	*f = (struct kmem_folder){.nr = 0};
}
