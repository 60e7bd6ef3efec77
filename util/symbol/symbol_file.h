/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbol files given by the user, read as kallsyms text.
 *
 * The first bytes tell what a file is: kallsyms text; the same compressed with gzip (if built with
 * zlib); or an ELF image of the kernel, vmlinux (if built with libelf), whose functions are listed
 * as kallsyms would.  An image has link-time addresses; symbol_table_init() moves them to where the
 * recorded kernel ran.
 */
#ifndef SYMBOL_SYMBOL_FILE_H
#define SYMBOL_SYMBOL_FILE_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* No kernel has this much symbol text; a file that decompresses to more is refused. Bytes. */
#define SYMBOL_FILE_MAX (256u << 20)

/* Append the text. Errors: the file cannot be read, is too large, or needs a library that is not
 * built in. */
int symbol_file_read(struct strbuf *text, const char *path, struct error *err);

#endif
