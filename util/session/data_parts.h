/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct data_parts: which files data.N a recording that is a directory has.
 */
#ifndef SESSION_DATA_PARTS_H
#define SESSION_DATA_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct data_parts {
	unsigned int *v; /* the N of each, ascending; there may be gaps */
	size_t nr, cap;
};

/* Those in the directory; data_parts_deinit() even after an error. Errors: -errno of opendir();
 * -ENOMEM. */
int data_parts_list(const char *path, struct data_parts *p);
void data_parts_deinit(struct data_parts *p);

/* The bytes of all of them. What cannot be determined counts as nothing: this is for the
 * progress. */
uint64_t data_parts_bytes(const char *path);

#endif
