/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User-space registers in samples, for unwinding (PERF_SAMPLE_REGS_USER).
 *
 * A mask has the recorded registers by their number in the kernel's asm/perf_regs.h; values are
 * stored lowest number first. The numbers are part of the ABI, so a recording can be read on a
 * machine of another architecture.
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
#define USER_REG_X86_64_NR 24
#define USER_REGS_X86_64   0xff0fffull /* without ds es fs gs, which tracers cannot read */

/* arm64: x0 to x28, x29 (the frame pointer), lr, sp, pc. */
#define USER_REG_ARM64_SP 31
#define USER_REG_ARM64_PC 32
#define USER_REGS_ARM64	  ((1ull << 33) - 1)

/* The registers to record on this machine; 0 if its stacks cannot be unwound. */
#if defined(__x86_64__)
#define USER_REGS_HERE USER_REGS_X86_64
#elif defined(__aarch64__)
#define USER_REGS_HERE USER_REGS_ARM64
#else
#define USER_REGS_HERE 0ull
#endif

/* Read the register with this number. Returns false if it was not recorded. */
static inline bool user_regs_find(const struct sample_user *user, unsigned int number, bool swap,
				  uint64_t *ret)
{
	const uint64_t below = (1ull << number) - 1;

	if (!user->regs || !(user->mask >> number & 1))
		return false;
	*ret = load_u64(user->regs + 8 * (size_t)__builtin_popcountll(user->mask & below), swap);
	return true;
}

/* The instruction pointer on a machine of this kind ("x86_64"). Returns false if it was not
 * recorded. */
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
