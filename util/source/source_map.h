/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_map: memory that a process maps, as a source tells it; and what else becomes of an
 * address space.
 *
 * A map replaces what was mapped there before.  What a process unmaps is not told by any source.
 * The strings and bytes are the source's, and valid only until the function that gets them returns.
 */
#ifndef SOURCE_SOURCE_MAP_H
#define SOURCE_SOURCE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct source_map {
	uint32_t pid, tid;
	uint64_t start, length; /* bytes; the sum may overflow in a broken recording */
	uint64_t file_offset;	/* of start */
	const char *path;	/* or "[vdso]", "[heap]", "//anon" and the like */
	uint32_t prot, flags;	/* PROT_*, MAP_*; 0: not told */
	uint32_t major, minor;	/* of the device; told along with the inode */
	uint64_t inode;		/* 0: not told */
	const uint8_t *build_id;
	size_t build_id_size; /* at most BUILD_ID_MAX; 0: not told */
};

enum source_process_change {
	PROCESS_FORKED, /* a new process, with a copy of its parent's address space */
	PROCESS_NEW,	/* one that ran before the recording was begun: its maps follow */
	PROCESS_EXEC,	/* another program replaces all of it */
	PROCESS_EXITED, /* its first thread has ended; usually it is the last one, too */
};

#endif
