/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dso_files: a search for a recorded program or library, and for its debug file.
 *
 * dso.h has the places and the reasons to refuse a file. Found files are open; the caller closes
 * them.
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

/* Where to look for files. The caller owns the strings. */
struct dso_search {
	const char *symfs;	       /* root directory of another machine's files; NULL: / */
	const char *cache;	       /* the build-id cache; NULL: ~/.debug */
	const char *debug_dir;	       /* NULL: /usr/lib/debug */
	struct debuginfod *debuginfod; /* NULL: servers are not asked */
};

struct dso_files {
	const struct mapped_file *file;
	const uint8_t *build_id;
	size_t build_id_size; /* 0 if unknown */
	uint64_t recorded_s;  /* time of the recording's end, since 1970; 0 if unknown */
	bool is_running;      /* it was recorded on the running kernel */
	const struct dso_search *search;
	struct strbuf path; /* path of a candidate */
	char *why_not;	    /* the reason for refusing a candidate; ERROR_MSG_MAX bytes */
	bool refused;	    /* a candidate was refused */
};

/*
 * build_id: from the recording, beside the map; may be NULL. All arguments must outlive the search.
 */
void dso_files_init(struct dso_files *l, const struct mapped_file *file,
		    const struct source_build_id *build_id, const struct source_facts *recording,
		    const struct dso_search *search, char *why_not);
void dso_files_deinit(struct dso_files *l);

/* Find the file itself. Returns false if there is no right one. */
bool dso_files_find(struct dso_files *l, struct elf_file *ret_file);

/* The vdso, which has no path: the running kernel's may be the same. Errors: -ENOMEM. */
int dso_files_find_vdso(struct dso_files *l, struct elf_file *ret_file, bool *ret_found);

/* Find the debug file of the file that was found. */
bool dso_files_find_debug(struct dso_files *l, const struct elf_file *of,
			  struct elf_file *ret_debug);

/* Nothing was found: set why_not, unless it has the reason for refusing a candidate. */
void dso_files_not_found(struct dso_files *l);

#endif
