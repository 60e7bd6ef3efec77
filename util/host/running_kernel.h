/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running kernel: its build-id, those of its modules, whether it is a given one or locked down,
 * and its migrate types.
 *
 * Kernels are compared by build-id if one is given and the running kernel exposes its own
 * (/sys/kernel/notes), else by release and machine as in uname.
 *
 * struct page_types: its /proc/pagetypeinfo. Only root may read it; missing values are unknown.
 */
#ifndef HOST_RUNNING_KERNEL_H
#define HOST_RUNNING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20 /* bytes of a SHA-1 */

/* Get the GNU build-id of the running kernel. Returns its size, 0 if the kernel exposes none. */
size_t running_kernel_build_id(uint8_t id[BUILD_ID_MAX]);

/* A loaded module. end - start: its code and data. */
struct running_module {
	const char *name;
	uint64_t start, end;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size;
};

#define MODULES_PATH "/proc/modules"

/*
 * Call fn with each module of a file like /proc/modules whose address is not hidden
 * (kernel.kptr_restrict). Ends at the first error, and returns it; 0 if there is none.
 */
int running_modules_for_each(const char *path, int (*fn)(void *ctx, const struct running_module *m),
			     void *ctx);

struct kernel_identity {
	const char *release, *machine; /* "6.1.0-13-amd64", "x86_64"; NULL: unknown */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: unknown */
};

bool running_kernel_is(const struct kernel_identity *k);

#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"

/* Whether this file says that the kernel is locked down for confidentiality: not even root may read
 * its memory then, nor tracefs. False if the file cannot be read. */
bool running_kernel_is_confidential(const char *path);

/*
 * A copy of the vdso, the ELF library that the running kernel maps into each process; the caller
 * frees it.  Errors: -ENOENT if there is none, or -ENOMEM.
 */
int running_kernel_vdso(void **ret_image, size_t *ret_size);

#define PAGE_TYPES_PATH "/proc/pagetypeinfo"

struct page_types {
	uint64_t pageblock_order; /* 0: unknown */
	char *migratetypes;	  /* names in numeric order, separated by blanks; NULL: unknown */
};

/* If the file cannot be read, everything is unknown. Errors: -ENOMEM. */
int page_types_init(struct page_types *p, const char *path);
void page_types_deinit(struct page_types *p);

#endif
