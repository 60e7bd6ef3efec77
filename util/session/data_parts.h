/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct data_parts: the files data.N of a recording that is a directory.
 */
#ifndef SESSION_DATA_PARTS_H
#define SESSION_DATA_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct data_parts {
	unsigned int *v; /* each N, ascending; there may be gaps */
	size_t nr, cap;
};

/* List the files of the directory. Call data_parts_deinit() even after an error. Errors: -errno of
 * opendir(); -ENOMEM. */
int data_parts_list(const char *path, struct data_parts *p);
void data_parts_deinit(struct data_parts *p);

/* Returns the sum of the files' sizes, for the progress. Files whose size cannot be read count as
 * 0. */
uint64_t data_parts_bytes(const char *path);

#endif
