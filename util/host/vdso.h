/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso: the library that the running kernel maps into each process, an ELF image.
 */
#ifndef HOST_VDSO_H
#define HOST_VDSO_H

#include <stddef.h>

/* A copy of ours, which the caller frees. Errors: -ENOENT, there is none; -ENOMEM. */
int vdso_copy(void **ret_image, size_t *ret_size);

#endif
