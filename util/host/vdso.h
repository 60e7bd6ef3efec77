/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso: the ELF library that the running kernel maps into each process.
 */
#ifndef HOST_VDSO_H
#define HOST_VDSO_H

#include <stddef.h>

/* Copy our own vdso; the caller frees it. Errors: -ENOENT if there is none; -ENOMEM. */
int vdso_copy(void **ret_image, size_t *ret_size);

#endif
