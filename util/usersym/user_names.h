/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct user_names: addresses of user space to names, each made once.
 *
 * While events are read, process_maps_find() makes of an address of a process a place in a file;
 * when everything has been read, user_names_find() makes of that place a name.  So only what is
 * printed gets a name, and a function in a library has one for all processes.  A file is opened
 * when the first address in it is looked up.  Names are printable, demangled, owned by the struct
 * and valid until it ends.
 *
 * A return address in a callchain is the one after the call, which may belong to the next line or
 * the next function: who wants the call looks up the address less 1.
 */
#ifndef USERSYM_USER_NAMES_H
#define USERSYM_USER_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"
#include "util/machine/process_maps.h"
#include "util/source/facts.h"
#include "util/usersym/dso.h"

struct user_names {
	const struct process_maps *maps;
	const struct source_facts *recording;
	struct dso_search search;
	struct user_dso *dsos; /* by the number of the file */
	uint32_t nr_dsos;
	struct table functions;			  /* file and start of a function -> its name */
	struct table lines;			  /* file and address -> its frames */
	struct table strings;			  /* what DWARF says -> how it is printed */
	const struct source_build_id **build_ids; /* by path */
	size_t nr_build_ids;
};

struct user_name {
	const char *dso;    /* the file's path, or what the memory is */
	const char *symbol; /* NULL: unknown */
	uint64_t offset;    /* of the address in the symbol */
	uint64_t address; /* which the file was linked for; if that is unknown, the offset in it */
};

/*
 * Once everything has been read, or before: files that are mapped later are known, too.  The maps
 * and the facts must outlive it; search may be NULL. Errors: -ENOMEM.
 */
int user_names_init(struct user_names *n, const struct process_maps *maps,
		    const struct source_facts *recording, const struct dso_search *search,
		    struct error *err);
void user_names_deinit(struct user_names *n);

/* Errors: -ENOMEM. */
int user_names_find(struct user_names *n, struct mapped_address at, struct user_name *ret_name);

/* A function that has the address, itself or inlined. */
struct user_frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown */
	uint32_t line;	      /* 0: unknown */
};

/*
 * Where the address is in the sources.  Innermost first: what was inlined there with the line of
 * the address, its callers with the lines of the calls, and last the function that
 * user_names_find() names. 0 frames: there is no debug information. Errors: -ENOMEM.
 */
int user_names_lines(struct user_names *n, struct mapped_address at,
		     const struct user_frame **ret_frames, size_t *ret_nr);

/* Why nothing is known of a file of which an address has been looked up, for the user: one line
 * that names it; NULL: its symbols are known. */
const char *user_names_why_not(const struct user_names *n, uint32_t file);

/* The file as it was found, opened at the first call; valid until a file that was mapped since is
 * looked up. NULL: no memory. */
struct dso *user_names_dso(struct user_names *n, uint32_t file);

#endif
