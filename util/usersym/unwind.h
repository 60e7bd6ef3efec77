/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unwinder: the callers of an address, from registers and a copy of the stack.
 *
 * libunwind unwinds, with the tables of the programs and libraries in process_maps that user_names
 * finds. It supports the machine that this program runs on; recordings of others are not unwound.
 * Hostile files and stacks cannot make it run for long: frames, and words read for a stack, are
 * limited. Without libunwind there is no unwinder.
 */
#ifndef USERSYM_UNWIND_H
#define USERSYM_UNWIND_H

#include "util/source/sample.h"
#include "util/usersym/user_names.h"

struct unwinder;

/* The reason why stacks of this machine ("x86_64") cannot be unwound here. NULL if they can. */
const char *unwinder_why_not(const char *arch);

/* The arguments must outlive it. Errors: ENOTSUP (no libunwind), -ENOMEM. */
int unwinder_new(struct unwinder **ret_unwinder, const struct process_maps *maps,
		 struct user_names *names, struct error *err);
void unwinder_free(struct unwinder *u);

/* The mappings of the process have changed: drop cached addresses. */
void unwinder_forget(struct unwinder *u, uint32_t pid);

/*
 * At most max addresses: the sampled one, then return addresses. Returns their number: unwinding
 * ends where data are missing. user->regs is not NULL.
 */
size_t unwinder_frames(struct unwinder *u, uint32_t pid, const struct sample_user *user, bool swap,
		       uint64_t *ret_frames, size_t max);

#endif
