/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct user_names: names of user-space addresses, each made once.
 *
 * While events are read, process_maps_find() turns an address of a process into a place in a file.
 * When everything has been read, user_names_find() turns that place into a name. So only printed
 * addresses get a name, and a function in a library has one name for all processes. A file is
 * opened at the first lookup in it. Names are printable, demangled, owned by the struct and valid
 * until it ends.
 *
 * A return address in a callchain is the address after the call, which may belong to the next line
 * or the next function: to name the call, look up the address less 1.
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
	struct table strings;			  /* DWARF name -> printed name */
	const struct source_build_id **build_ids; /* by path */
	size_t nr_build_ids;
};

struct user_name {
	const char *dso;    /* the file's path, or the kind of memory */
	const char *symbol; /* NULL if unknown */
	uint64_t offset;    /* offset of the address in the symbol */
	uint64_t address;   /* link-time address; if that is unknown, the offset in the file */
};

/*
 * Called at any time: files mapped later are known, too. The maps and the facts must outlive it;
 * search may be NULL. Errors: -ENOMEM.
 */
int user_names_init(struct user_names *n, const struct process_maps *maps,
		    const struct source_facts *recording, const struct dso_search *search,
		    struct error *err);
void user_names_deinit(struct user_names *n);

/* Errors: -ENOMEM. */
int user_names_find(struct user_names *n, struct mapped_address at, struct user_name *ret_name);

/* A function that contains the address, itself or inlined. */
struct user_frame {
	const char *function; /* NULL if unknown */
	const char *file;     /* NULL if unknown */
	uint32_t line;	      /* 0 if unknown */
};

/*
 * The source location of an address. Innermost first: the inlined function with the line of the
 * address, its callers with the lines of the calls, and last the function of user_names_find(). 0
 * frames without debug information. Errors: -ENOMEM.
 */
int user_names_lines(struct user_names *n, struct mapped_address at,
		     const struct user_frame **ret_frames, size_t *ret_nr);

/* The reason why a file in which an address was looked up has no symbols: one line for the user
 * that names it. NULL if its symbols are known. */
const char *user_names_why_not(const struct user_names *n, uint32_t file);

/* The file as it was found, opened at the first call. Valid until the first lookup in a file that
 * was mapped later. NULL if out of memory. */
struct dso *user_names_dso(struct user_names *n, uint32_t file);

#endif
