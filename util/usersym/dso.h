/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dso: the program or library that a recording names, as it is found on this machine.
 *
 * What is used must be what ran: its build-id is the one that the recording tells; if that tells
 * none, its inode and its time of modification must fit.  Anything else is refused, and `why_not`
 * says so, because a name from a different file would be wrong.  It is looked for in the build-id
 * cache (~/.debug), at its path (below `symfs`, if given), and, if the recording is of the running
 * kernel, below /proc/PID/root of the process that had it and in /proc/PID/map_files, which has
 * files that were deleted or replaced while the process lives.  Its debug file is looked for in the
 * build-id cache, in /usr/lib/debug/.build-id, and by its debuglink; without one, a stripped
 * program may still have the names of its functions in itself (mini_debug.h).  What is not found of
 * the two may come from a server, if one may be asked (debuginfod.h).  The vdso is the
 * running kernel's, if it is the one that was recorded; and for memory that is of no file, names
 * may be in /tmp/perf-PID.map (jit_map.h), if the recording is of the running kernel or `symfs` is
 * given.
 */
#ifndef USERSYM_DSO_H
#define USERSYM_DSO_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/usersym/dso_files.h"
#include "util/symbol/elf_file.h"
#include "util/symbol/elf_symbols.h"
#include "util/usersym/source_lines.h"

struct dso {
	struct elf_file file, debug;
	struct elf_file mini; /* unpacked, if the other two have no symbols */
	bool has_file, has_debug, has_mini;
	struct elf_symbols symbols;
	struct source_lines *lines; /* NULL: none, or not asked for yet */
	bool lines_opened;
	struct strbuf text; /* of a map of code that was made at run time */
	bool absolute;	    /* addresses are those of the process: code that was made at run time */
	char why_not[ERROR_MSG_MAX]; /* why nothing is known of it, for the user; "" */
};

#define DSO_INIT                                                                                   \
	{                                                                                          \
		.file.fd = -1, .debug.fd = -1, .mini.fd = -1, .text = STRBUF_INIT                  \
	}

/*
 * build_id: what the recording says beside the map, or NULL. What cannot be found or read is not
 * an error. Errors: -ENOMEM.
 */
int dso_init(struct dso *d, const struct mapped_file *file, const struct source_build_id *build_id,
	     const struct source_facts *recording, const struct dso_search *search,
	     struct error *err);
void dso_deinit(struct dso *d);

/* The address that the file was linked for of an offset in it; false: it is not known. */
bool dso_address(const struct dso *d, uint64_t offset, uint64_t *ret_address);

/* The code of the function that starts at this address; false: there is none in the file. */
struct code_bytes;
bool dso_code(const struct dso *d, uint64_t function, struct code_bytes *ret_code);

/* Its source lines, opened at the first call; NULL: there are none. */
struct source_lines *dso_lines(struct dso *d);

#endif
