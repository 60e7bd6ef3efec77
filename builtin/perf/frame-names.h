/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_names: the function and the file of an address of a sample, for script and annotate.
 *
 * It is fed with what the source says about address spaces, and looks addresses up at the present
 * moment of the recording.  Kernel addresses are looked up as perf kmem does (util/symbol/symbols),
 * those of user space in the files that were mapped (util/symbol/user_names).
 */
#ifndef BUILTIN_PERF_FRAME_NAMES_H
#define BUILTIN_PERF_FRAME_NAMES_H

#include <stdbool.h>

#include "builtin/perf/kernel-names.h"
#include "util/source/event_source.h"
#include "util/usersym/user_names.h"

struct unwinder;

/* Deeper stacks are cut. */
#define FRAME_NAMES_MAX 128

struct frame_names {
	const struct source_facts *facts;
	const struct dso_search *search;
	struct kernel_names kernel; /* to be fed with the formats */
	struct process_maps maps;
	struct user_names user;
	struct unwinder *unwinder; /* NULL: not needed yet, or not possible */
	struct strbuf module;	   /* "[ext4]" */
	bool has_user, cannot_unwind;
};

struct frame_name {
	const char *symbol; /* NULL: unknown */
	uint64_t offset;
	uint64_t address; /* of the kernel; in user space, its offset in the file */
	const char *dso;  /* NULL: unknown; valid until the next look-up */
};

/* What it is given must outlive it. kallsyms_path: NULL: none was given. */
void frame_names_init(struct frame_names *n, const struct source_facts *facts,
		      const char *kallsyms_path, const struct dso_search *search);
void frame_names_deinit(struct frame_names *n);

/* As in struct event_sink. Errors: -ENOMEM. */
int frame_names_map(struct frame_names *n, const struct source_map *map);
int frame_names_process(struct frame_names *n, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/*
 * User space's frames from the registers and the stack of a sample: the address where it was, and
 * of each caller that of the call's last byte. Returns how many. Errors: -ENOMEM.
 */
int frame_names_unwind(struct frame_names *n, const struct sample *sample,
		       uint64_t frames[FRAME_NAMES_MAX], size_t *ret_nr, struct error *err);

/* address: an identity (kernel_names_identity()). Errors: unreadable symbol file; -ENOMEM. */
int frame_names_kernel(struct frame_names *n, uint64_t address, struct frame_name *ret_name,
		       struct error *err);
int frame_names_user(struct frame_names *n, uint32_t pid, uint64_t address,
		     struct frame_name *ret_name, struct error *err);

#endif
