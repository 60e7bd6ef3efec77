/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MiniDebugInfo: the symbols that a stripped program has kept, in the section .gnu_debugdata.
 *
 * Fedora and others ship programs like that: the section is an ELF file, packed with xz, of which
 * only .symtab matters, and that leaves out the functions of .dynsym.  What is unpacked is not
 * larger than ELF_IMAGE_MAX, and neither is the window that xz needs for it.
 */
#ifndef USERSYM_MINI_DEBUG_H
#define USERSYM_MINI_DEBUG_H

#include "util/base/error.h"
#include "util/symbol/elf_file.h"

/* path: f's, for messages.  Errors: it has none (ENODATA), it is damaged, too large, or of another
 * program; this perf has no liblzma (ENOTSUP); -ENOMEM. */
int mini_debug_open(struct elf_file *mini, const struct elf_file *f, const char *path,
		    struct error *err);

#endif
