/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_lines: the source line of an address in a file, and the functions inlined there.
 *
 * From DWARF, by libdw, in the file itself or its debug file. It serves programs, libraries and
 * vmlinux. The units of a file are indexed by address at the first lookup. The lines and functions
 * of a unit, and the functions inlined in a function, are indexed at the first lookup in them.
 * Later lookups cost three binary searches and a walk over the inlined functions. The work for an
 * invalid file is limited. Names and paths are those of the file: not printable, and valid until it
 * is closed.
 */
#ifndef USERSYM_SOURCE_LINES_H
#define USERSYM_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/symbol/elf_file.h"

/* Limit of frames; the outermost inlined functions beyond it are dropped. */
#define SOURCE_FRAMES_MAX 64

struct source_frame {
	const char *function; /* mangled, if the mangled name is known; NULL if unknown */
	const char *file;     /* NULL if unknown */
	uint32_t line;	      /* 0 if unknown */
};

struct source_lines;

/* The file must stay open. Errors: it has no DWARF (ENODATA), this perf has no libdw (ENOTSUP),
 * -ENOMEM. */
int source_lines_open(const struct elf_file *f, const char *path, struct source_lines **ret_lines,
		      struct error *err);
void source_lines_close(struct source_lines *l);

/*
 * Innermost first: the function that was inlined last, with the line of the address; its caller,
 * with the line of the call; and so on to the function with code of its own. Returns the number of
 * frames, 0 if unknown.
 */
size_t source_lines_find(struct source_lines *l, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX]);

#endif
