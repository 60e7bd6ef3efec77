/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unwinder: the callers of an address, from registers and a copy of the stack.
 *
 * libunwind does it, by the tables of the programs and libraries that process_maps says were mapped
 * and user_names finds.  It is of the machine that this program runs on: recordings of others are
 * not unwound.  Nothing that a file or a stack says makes it go on for long: frames and the words
 * that are read for one stack are counted.  Without libunwind there is no unwinder.
 */
#ifndef USERSYM_UNWIND_H
#define USERSYM_UNWIND_H

#include "util/source/sample.h"
#include "util/usersym/user_names.h"

struct unwinder;

/* Why registers and stacks of this machine ("x86_64") cannot be unwound here; NULL: they can. */
const char *unwinder_why_not(const char *arch);

/* Both must outlive it. Errors: ENOTSUP (no libunwind), memory. */
int unwinder_new(struct unwinder **ret_unwinder, const struct process_maps *maps,
		 struct user_names *names, struct error *err);
void unwinder_free(struct unwinder *u);

/* What the process has mapped has changed: what was remembered of its addresses is wrong. */
void unwinder_forget(struct unwinder *u, uint32_t pid);

/*
 * At most max addresses: where the process was and, from the second on, to where functions return.
 * Returns how many: the unwinding ends where something is missing. user->regs is not NULL.
 */
size_t unwinder_frames(struct unwinder *u, uint32_t pid, const struct sample_user *user, bool swap,
		       uint64_t *ret_frames, size_t max);

#endif
