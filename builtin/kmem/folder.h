/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_folder: a report as a folder with a file for each table (-o FOLDER/).
 *
 * The files are renamed to their names together, when all of them are complete
 * (util/base/out_file.h).
 */
#ifndef BUILTIN_KMEM_FOLDER_H
#define BUILTIN_KMEM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/error.h"
#include "util/base/out_file.h"
#include "util/render/render.h"

struct kmem_folder {
	const char *path;   /* ends with a slash */
	const char *suffix; /* extension of the files: "csv" */
	bool is_new;
	struct out_file *files;
	size_t nr;
	struct error err; /* error of the first file that failed */
};

/* Whether the path ends with a slash, which means a folder. */
bool kmem_folder_is_one(const char *path);

/* Create the folder if it does not exist. The caller owns the strings. */
int kmem_folder_open(struct kmem_folder *f, const char *path, const char *suffix,
		     struct error *err);

/* For struct render_tables; ctx is the folder. */
FILE *kmem_folder_add(void *ctx, const char *name);

/* Rename the files to their names. */
int kmem_folder_publish(struct kmem_folder *f, struct error *err);

/* Removes the folder if it is new and empty. */
void kmem_folder_deinit(struct kmem_folder *f);

#endif
