/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a person names for kernel symbols, read as kallsyms text.
 *
 * What a file is, its first bytes tell: kallsyms text; the same compressed with gzip
 * (built with zlib); or an ELF image of the kernel, vmlinux (built with libelf), of
 * which the functions are listed as kallsyms would.  An image has the addresses of
 * the link; symbol_table_init() moves them to where the recorded kernel ran.
 */
#ifndef SYMBOL_SYMBOL_FILE_H
#define SYMBOL_SYMBOL_FILE_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* No kernel has so much text of symbols; what unpacks to more is refused. Bytes. */
#define SYMBOL_FILE_MAX (256u << 20)

/* Append the text. Errors: the file cannot be read, is too large, or needs a library that is not
 * built in. */
int symbol_file_read(struct strbuf *text, const char *path, struct error *err);

#endif
