/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct user_stacks: the user part of callchains as numbers that stay valid, and their names.
 *
 * A user-space frame is a number that is not a kernel address. It stands for a place in a file that
 * the process had mapped at the time of the sample, so programs that have exited, or were loaded
 * elsewhere, have equal frames. A sample without a user callchain, but with registers and a copy of
 * the stack, is unwound. The result for a stack is kept, by a hash of all its inputs, and so is the
 * name of each place; names are made while the recording is read, because rows are grouped by them.
 *
 * The frame that made the kernel allocate is the innermost one that is not skipped (user_skip.h).
 *
 * Frames and places are limited by the size of the recording: a chain beyond the limit is left out
 * (frame_chains.h), and a place beyond it is unknown.
 */
#ifndef USERSYM_USER_STACKS_H
#define USERSYM_USER_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/frame_chains.h"
#include "util/base/hash.h"
#include "util/base/intern.h"
#include "util/base/table.h"
#include "util/machine/process_maps.h"
#include "util/source/sample.h"
#include "util/source/source_map.h"
#include "util/symbol/elf_file.h"
#include "util/usersym/unwind.h"
#include "util/usersym/user_names.h"
#include "util/usersym/user_skip.h"

#define USER_FRAMES_MAX 127

struct user_stacks {
	struct process_maps maps;
	struct user_names names;
	struct unwinder *unwinder; /* NULL if there is none */
	const char *no_unwinder;   /* the reason why a needed unwinder is missing; NULL if none is
				      needed */
	struct hash_key key;
	struct table processes; /* u64 pid -> number of changes of its maps */
	struct table known;	/* hash of a stack -> number of its chain */
	struct table places;	/* file and offset */
	uint64_t nr_left_out;	/* number of frames beyond the limit of places */
	struct frame_chains chains;
	struct user_skip skip;
	struct user_keys *keys; /* by number of the chain */
	size_t cap_keys;
	const struct source_facts *facts;
};

/* The keys of a chain: numbers of interned strings + 1; 0: not determined yet. */
struct user_keys {
	uint32_t symbol, dso, line;
	bool no_line;	   /* `line` is neither a source line nor generated code */
	uint64_t nr_lines; /* number of times that `line` was requested */
};

/* search: NULL for the default places of files.  The facts must outlive it.  Errors: -ENOMEM. */
int user_stacks_new(struct user_stacks **ret_stacks, const struct source_facts *facts,
		    const struct dso_search *search, struct error *err);
void user_stacks_free(struct user_stacks *u);

/*
 * Also skip libraries, functions and source files that match. Called before the first chain.
 * Errors: -EINVAL with the reason, -ENOMEM.
 */
int user_stacks_skip(struct user_stacks *u, const char *regex, struct error *err);

/* Changes of address spaces, in time order with the samples. Errors: -ENOMEM. */
int user_stacks_map(struct user_stacks *u, const struct source_map *map);
int user_stacks_process(struct user_stacks *u, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/*
 * The number of the chain of a sample's user frames; the chain may be empty. INTERN_NONE if out of
 * memory.
 */
uint32_t user_stacks_chain(struct user_stacks *u, const struct sample *sample);

/* Its frames, valid until the next chain. */
static inline struct frame_chain user_stacks_frames(const struct user_stacks *u, uint32_t chain)
{
	return frame_chains_get(&u->chains, chain);
}

/* The frame of an address that was interrupted itself. 0 if out of memory. */
uint64_t user_stacks_frame(struct user_stacks *u, uint32_t pid, uint64_t address);

/* The keys of a chain, interned in `strings`. INTERN_NONE if out of memory. */
uint32_t user_stacks_symbol(struct user_stacks *u, uint32_t chain, struct intern *strings);
uint32_t user_stacks_dso(struct user_stacks *u, uint32_t chain, struct intern *strings);
uint32_t user_stacks_line(struct user_stacks *u, uint32_t chain, struct intern *strings);

static inline bool user_stacks_is_frame(uint64_t address)
{
	return address >> 62 == 1;
}

/*
 * The frame that made the kernel allocate; if all are skipped, the innermost one. The chain is not
 * empty.
 */
uint64_t user_stacks_caller(struct user_stacks *u, const struct frame_chain *frames);

/* Whether a frame is skipped. */
bool user_stacks_skipped(struct user_stacks *u, uint64_t frame);

/* The frame's mapped file. Returns false if its mapping is unknown. */
bool user_stacks_file(const struct user_stacks *u, uint64_t frame, struct mapped_file *ret_file);

/* The number of that file. */
bool user_stacks_file_number(const struct user_stacks *u, uint64_t frame, uint32_t *ret_file);

/* The name of a frame. Returns false if out of memory. */
bool user_stacks_name(struct user_stacks *u, uint64_t frame, struct user_name *ret_name);

/* All functions of the frame, as user_names_lines(). Returns false if out of memory. */
bool user_stacks_lines(struct user_stacks *u, uint64_t frame, const struct user_frame **ret_lines,
		       size_t *ret_nr);

/*
 * Call fn with a line for the user about each file that has frames but no names, at most nr times.
 * Returns the number of such files.
 */
size_t user_stacks_unknown(struct user_stacks *u, size_t nr,
			   void (*fn)(void *ctx, const char *why_not), void *ctx);

/*
 * Whether the instruction before this offset in the file calls the kernel. A process in a system
 * call is at such an offset, which may belong to the line after the call.
 */
bool is_after_syscall(const struct elf_file *f, uint64_t offset);

#endif
