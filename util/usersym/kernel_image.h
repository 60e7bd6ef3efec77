/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kernel_image: the code of the recorded kernel, from a vmlinux.
 *
 * The user names the file, or it is searched where distributions and builds put it: by build-id in
 * the build-id cache and in /usr/lib/debug; by release in /usr/lib/debug, in /lib/modules and in
 * /boot; and at last on debuginfod servers, if allowed. Its build-id must be the recording's. A
 * file found by its release is refused if the recording has no build-id. An address in the
 * recording is moved_by more than in the file: kernels are loaded at random addresses. Modules are
 * not part of it.
 */
#ifndef USERSYM_KERNEL_IMAGE_H
#define USERSYM_KERNEL_IMAGE_H

#include "util/usersym/dso.h"

struct kernel_image {
	struct dso dso;
	uint64_t moved_by;
};

/* path: the user's file; may be NULL. Errors: the user's file cannot be used; none was found
 * (ENOENT). */
int kernel_image_open(struct kernel_image *k, const char *path, const struct source_facts *facts,
		      const struct dso_search *search, struct error *err);
void kernel_image_close(struct kernel_image *k);

#endif
