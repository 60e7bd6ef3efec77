/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dso_files: a search for the program or library that a recording names, and for its debug
 * file.
 *
 * dso.h says where they are looked for and what is refused.  What a search finds is open; the
 * caller closes it.
 */
#ifndef USERSYM_DSO_FILES_H
#define USERSYM_DSO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/machine/process_maps.h"
#include "util/source/facts.h"
#include "util/usersym/debuginfod.h"
#include "util/symbol/elf_file.h"

/* Where files are looked for; the strings are the caller's. */
struct dso_search {
	const char *symfs;     /* a directory instead of /: of another machine's files; NULL: / */
	const char *cache;     /* the build-id cache; NULL: ~/.debug */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	struct debuginfod *debuginfod; /* NULL: no server is asked */
};

struct dso_files {
	const struct mapped_file *file;
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not told */
	uint64_t recorded_s;  /* when the recording ended, since 1970; 0: unknown */
	bool is_running;      /* it is of the running kernel */
	const struct dso_search *search;
	struct strbuf path; /* of a candidate */
	char *why_not;	    /* the reason to refuse what was found; ERROR_MSG_MAX bytes */
	bool refused;	    /* one was found, and was not the right one */
};

/*
 * build_id: what the recording says beside the map, or NULL. All of it is the caller's, and must
 * outlive the search.
 */
void dso_files_init(struct dso_files *l, const struct mapped_file *file,
		    const struct source_build_id *build_id, const struct source_facts *recording,
		    const struct dso_search *search, char *why_not);
void dso_files_deinit(struct dso_files *l);

/* The file itself; false: none that is right. */
bool dso_files_find(struct dso_files *l, struct elf_file *ret_file);

/* The vdso, which has no path: the running kernel's may be the same. Errors: -ENOMEM. */
int dso_files_find_vdso(struct dso_files *l, struct elf_file *ret_file, bool *ret_found);

/* The debug file of the file that was found. */
bool dso_files_find_debug(struct dso_files *l, const struct elf_file *of,
			  struct elf_file *ret_debug);

/* Nothing was found: let why_not say so, unless it tells of what was refused. */
void dso_files_not_found(struct dso_files *l);

#endif
