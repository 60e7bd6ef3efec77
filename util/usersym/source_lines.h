/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_lines: the line of an address in a file, and the functions inlined there.
 *
 * From DWARF, by libdw: of the file itself or of its debug file; the same for programs, libraries
 * and vmlinux.  The units of a file are indexed by address at the first lookup, the lines and
 * functions of a unit and what is inlined in a function when the first address in it is looked up,
 * so that later ones cost three binary searches and a walk over what is inlined.  How much of a
 * file that makes no sense is looked at is bounded.  Names and paths are as the file has them, not
 * printable, and valid until it is closed.
 */
#ifndef USERSYM_SOURCE_LINES_H
#define USERSYM_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/symbol/elf_file.h"

/* Deeper inlining is cut: the outermost functions are left out. */
#define SOURCE_FRAMES_MAX 64

struct source_frame {
	const char *function; /* mangled, if the mangled name is known; NULL: unknown */
	const char *file;     /* NULL: unknown */
	uint32_t line;	      /* 0: unknown */
};

struct source_lines;

/* The file must stay open. Errors: it has no DWARF (ENODATA), or this perf has no libdw (ENOTSUP),
 * -ENOMEM. */
int source_lines_open(const struct elf_file *f, const char *path, struct source_lines **ret_lines,
		      struct error *err);
void source_lines_close(struct source_lines *l);

/*
 * Innermost first: the function that was inlined last, with the line of the address; who called it,
 * with the line of the call; and so on to the function that has code of its own.  Returns how many;
 * 0: nothing is known.
 */
size_t source_lines_find(struct source_lines *l, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX]);

#endif
