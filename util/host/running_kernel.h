/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel: its build-id, those of its modules, and whether it is a given kernel.
 *
 * Kernels are compared by build-id if one is given and the running kernel exposes its own
 * (/sys/kernel/notes), else by release and machine as in uname.
 */
#ifndef HOST_RUNNING_KERNEL_H
#define HOST_RUNNING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20 /* bytes of a SHA-1 */

/* Get the GNU build-id of the running kernel. Returns its size, 0 if the kernel exposes none. */
size_t running_kernel_build_id(uint8_t id[BUILD_ID_MAX]);

/* The same for a loaded module, named as in /proc/modules. */
size_t running_module_build_id(const char *module, uint8_t id[BUILD_ID_MAX]);

struct kernel_identity {
	const char *release, *machine; /* "6.1.0-13-amd64", "x86_64"; NULL: unknown */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: unknown */
};

bool running_kernel_is(const struct kernel_identity *k);

/*
 * A copy of the vdso, the ELF library that the running kernel maps into each process; the caller
 * frees it.  Errors: -ENOENT if there is none, or -ENOMEM.
 */
int running_kernel_vdso(void **ret_image, size_t *ret_size);

#endif
