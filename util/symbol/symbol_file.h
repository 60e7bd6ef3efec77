/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbol files from the user, read as kallsyms text.
 *
 * The first bytes determine the format: kallsyms text; the same compressed with gzip (if built with
 * zlib); or an ELF image of the kernel, vmlinux (if built with libelf), whose functions are listed
 * in kallsyms format. An image has link-time addresses; symbol_table_init() moves them to the
 * recorded kernel's.
 */
#ifndef SYMBOL_SYMBOL_FILE_H
#define SYMBOL_SYMBOL_FILE_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* Bytes, more than the symbols of any kernel. A file that decompresses to more is refused. */
#define SYMBOL_FILE_MAX (256u << 20)

/* Append the text. Errors: the file cannot be read, is too large, or needs a library that is not
 * built in. */
int symbol_file_read(struct strbuf *text, const char *path, struct error *err);

#endif
