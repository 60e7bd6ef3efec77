/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of user space that samples carry for unwinding (PERF_SAMPLE_REGS_USER).
 *
 * A mask says which registers of the machine are there, by their number in the kernel's
 * asm/perf_regs.h, lowest first; these numbers are the same everywhere, so that a recording can be
 * read on a machine of another kind.
 */
#ifndef MACHINE_USER_REGS_H
#define MACHINE_USER_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/source/sample.h"

/* x86: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs, r8 to r15. */
#define USER_REG_X86_SP	   7
#define USER_REG_X86_IP	   8
#define USER_REG_X86_R8	   16
#define USER_REG_X86_64_NR 24
#define USER_REGS_X86_64   0xff0fffull /* without ds es fs gs, which tracers cannot have */

/* arm64: x0 to x28, x29 (the frame pointer), lr, sp, pc. */
#define USER_REG_ARM64_SP 31
#define USER_REG_ARM64_PC 32
#define USER_REGS_ARM64	  ((1ull << 33) - 1)

/* What this machine's samples are to have; 0: how its stacks are unwound is not known. */
#if defined(__x86_64__)
#define USER_REGS_HERE USER_REGS_X86_64
#elif defined(__aarch64__)
#define USER_REGS_HERE USER_REGS_ARM64
#else
#define USER_REGS_HERE 0ull
#endif

/* The register with this number; false: it was not recorded. */
static inline bool user_regs_find(const struct sample_user *user, unsigned int number, bool swap,
				  uint64_t *ret)
{
	const uint64_t below = (1ull << number) - 1;

	if (!user->regs || !(user->mask >> number & 1))
		return false;
	*ret = load_u64(user->regs + 8 * (size_t)__builtin_popcountll(user->mask & below), swap);
	return true;
}

/* Where the process was, on a machine of this kind ("x86_64"); false: that was not recorded. */
static inline bool user_regs_ip(const struct sample_user *user, const char *arch, bool swap,
				uint64_t *ret)
{
	if (arch && !strcmp(arch, "x86_64"))
		return user_regs_find(user, USER_REG_X86_IP, swap, ret);
	if (arch && !strcmp(arch, "aarch64"))
		return user_regs_find(user, USER_REG_ARM64_PC, swap, ret);
	return false;
}

#endif
