/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether an address follows the instruction that called the kernel.
 *
 * A process has this address while the kernel works for it. It may belong to the line after the one
 * that made the call.
 */
#ifndef USERSYM_AFTER_SYSCALL_H
#define USERSYM_AFTER_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/symbol/elf_file.h"

/* offset: in the file. */
bool is_after_syscall(const struct elf_file *f, uint64_t offset);

#endif
