/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dso: a recorded program or library, as found on this machine.
 *
 * The file must be the one that ran: its build-id must be the recorded one or, if none was
 * recorded, its inode and modification time must fit. Other files are refused, with the reason in
 * `why_not`, because names from a different file would be wrong.
 *
 * It is searched in the build-id cache (~/.debug) and at its path (below `symfs`, if given). If the
 * recording is of the running kernel, it is also searched below /proc/PID/root of its process and
 * in /proc/PID/map_files, which has deleted and replaced files while the process is running. Its
 * debug file is searched in the build-id cache, in /usr/lib/debug/.build-id, and by its debuglink.
 * Without a debug file, a stripped program may contain the names of its functions (mini_debug.h).
 * Servers may have what is missing, if allowed (debuginfod.h). The vdso is the running kernel's, if
 * that is the recorded one. Names in memory without a file may be in /tmp/perf-PID.map (jit_map.h),
 * if the recording is of the running kernel or `symfs` is given.
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
	struct source_lines *lines; /* NULL: none, or not requested yet */
	bool lines_opened;
	struct strbuf text; /* from a map of code generated at run time */
	bool absolute;	    /* addresses are those of the process: code generated at run time */
	char why_not[ERROR_MSG_MAX]; /* the reason why it has no names, for the user; "" */
};

#define DSO_INIT                                                                                   \
	{                                                                                          \
		.file.fd = -1, .debug.fd = -1, .mini.fd = -1, .text = STRBUF_INIT                  \
	}

/*
 * build_id: from the recording, beside the map; may be NULL. A file that cannot be found or read is
 * not an error. Errors: -ENOMEM.
 */
int dso_init(struct dso *d, const struct mapped_file *file, const struct source_build_id *build_id,
	     const struct source_facts *recording, const struct dso_search *search,
	     struct error *err);
void dso_deinit(struct dso *d);

/* The link-time address of an offset in the file. Returns false if it is unknown. */
bool dso_address(const struct dso *d, uint64_t offset, uint64_t *ret_address);

/* The code of the function that starts at this address. Returns false if the file lacks it. */
struct code_bytes;
bool dso_code(const struct dso *d, uint64_t function, struct code_bytes *ret_code);

/* Its source lines, opened at the first call. NULL if there are none. */
struct source_lines *dso_lines(struct dso *d);

#endif
