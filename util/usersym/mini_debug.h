/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MiniDebugInfo: symbols inside of a stripped program, in the section .gnu_debugdata.
 *
 * Fedora and others ship such programs. The section is an ELF file compressed with xz; its .symtab
 * has the functions that are not in .dynsym. The unpacked size and the xz window are limited to
 * ELF_IMAGE_MAX.
 */
#ifndef USERSYM_MINI_DEBUG_H
#define USERSYM_MINI_DEBUG_H

#include "util/base/error.h"
#include "util/symbol/elf_file.h"

/* path: f's, for messages. Errors: there is none (ENODATA); it is damaged, too large, or of another
 * program; this perf has no liblzma (ENOTSUP); -ENOMEM. */
int mini_debug_open(struct elf_file *mini, const struct elf_file *f, const char *path,
		    struct error *err);

#endif
