/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_names: the function and the file of an address in a sample, for script and annotate.
 *
 * Fed with changes of address spaces; lookups refer to the current time of the recording. Kernel
 * addresses are looked up as in perf kmem (util/symbol/symbols), user-space addresses in the mapped
 * files (util/usersym/user_names).
 */
#ifndef BUILTIN_PERF_FRAME_NAMES_H
#define BUILTIN_PERF_FRAME_NAMES_H

#include <stdbool.h>

#include "builtin/perf/kernel-names.h"
#include "util/source/event_source.h"
#include "util/usersym/user_names.h"

struct unwinder;

/* Deeper stacks are truncated. */
#define FRAME_NAMES_MAX 128

struct frame_names {
	const struct source_facts *facts;
	const struct dso_search *search;
	struct kernel_names kernel; /* the caller feeds it with the formats */
	struct process_maps maps;
	struct user_names user;
	struct unwinder *unwinder; /* NULL: not needed yet, or not possible */
	struct strbuf module;	   /* "[ext4]" */
	bool has_user, cannot_unwind;
};

struct frame_name {
	const char *symbol; /* NULL if unknown */
	uint64_t offset;
	uint64_t address; /* address in the kernel; in user space, offset in the file */
	const char *dso;  /* NULL if unknown; valid until the next lookup */
};

/* The arguments must outlive it. kallsyms_path may be NULL. */
void frame_names_init(struct frame_names *n, const struct source_facts *facts,
		      const char *kallsyms_path, const struct dso_search *search);
void frame_names_deinit(struct frame_names *n);

/* As in struct event_sink. Errors: -ENOMEM. */
int frame_names_map(struct frame_names *n, const struct source_map *map);
int frame_names_process(struct frame_names *n, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/*
 * Unwind user space from the registers and the stack of a sample: the sampled address, and for each
 * caller the address of the last byte of its call. Returns the number of frames. Errors: -ENOMEM.
 */
int frame_names_unwind(struct frame_names *n, const struct sample *sample,
		       uint64_t frames[FRAME_NAMES_MAX], size_t *ret_nr, struct error *err);

/* address: an identity (kernel_names_identity()). Errors: unreadable symbol file; -ENOMEM. */
int frame_names_kernel(struct frame_names *n, uint64_t address, struct frame_name *ret_name,
		       struct error *err);
int frame_names_user(struct frame_names *n, uint32_t pid, uint64_t address,
		     struct frame_name *ret_name, struct error *err);

#endif
