/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User callchains by frame pointers, with the caller of a function that only calls the kernel.
 *
 * The C library has no frame pointers on most machines. The kernel then misses the frame that
 * called the library: it is the word at the stack pointer, if the function has not moved that. It
 * has not if it returns right after the system call. So the program reads the code there.
 */
#ifndef BPF_USER_FRAMES_BPF_H
#define BPF_USER_FRAMES_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Bytes of a kind's user frames. */
const volatile uint32_t user_stack_bytes[BPF_KINDS];
#define USER_STACK (1u << 8) /* a flag of bpf_get_stack() (uapi/linux/bpf.h) */

/* x86-64: syscall; cmp $-4095 (or -4096), %rax; jae (or ja) error; ret.  The parts that differ are
 * masked. */
#define WRAPPER_CODE	  0xfffff0003d48050full
#define WRAPPER_MASK	  0xffffff00ffffffffull
#define WRAPPER_NEXT	  0x00c30073ull
#define WRAPPER_NEXT_MASK 0x00ff00fbull

static __always_inline bool is_wrapper(uint64_t address)
{
	uint64_t code[2] = {0};

	if (bpf_probe_read_user(code, 11, (void *)(address - 2)))
		return false;
	return (code[0] & WRAPPER_MASK) == WRAPPER_CODE &&
	       (code[1] & WRAPPER_NEXT_MASK) == WRAPPER_NEXT;
}

/* The caller of the function at the address, or 0. */
static __always_inline uint64_t caller_of_wrapper(uint64_t address)
{
	struct pt_regs *regs;
	uint64_t caller = 0;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) || /* since 5.15 */
	    !bpf_core_field_exists(((struct pt_regs *)0)->sp) || !is_wrapper(address))
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	bpf_probe_read_user(&caller, sizeof(caller), (void *)regs->sp);
	return caller;
}

/*
 * The number of frames and the frames. A word is left free before the first frame: with the
 * caller, the first frame moves there (BPF_USER_CALLER, wire.h).
 */
static __always_inline void add_user_frames(void *ctx, uint32_t kind, uint64_t *to)
{
	long got = bpf_get_stack(ctx, to + 2, user_stack_bytes[kind], USER_STACK);
	uint64_t nr = got < 0 ? 0 : (uint64_t)got / 8;
	uint64_t caller = nr ? caller_of_wrapper(to[2]) : 0;

	if (caller) {
		to[1] = to[2];
		to[2] = caller;
		nr |= BPF_USER_CALLER;
	}
	to[0] = nr;
}

#endif

#endif
