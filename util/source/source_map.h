/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_map: a recorded memory map of a process, and other changes of its address space.
 *
 * A map replaces earlier maps of the same addresses. Sources have no records of unmapping. The
 * source owns the strings and bytes, which are valid only until the function that receives them
 * returns.
 */
#ifndef SOURCE_SOURCE_MAP_H
#define SOURCE_SOURCE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct source_map {
	uint32_t pid, tid;
	uint64_t start, length; /* bytes; the sum may overflow in a broken recording */
	uint64_t file_offset;	/* offset of `start` in the file */
	const char *path;	/* or "[vdso]", "[heap]", "//anon" and the like */
	uint32_t prot, flags;	/* PROT_*, MAP_*; 0 if not recorded */
	uint32_t major, minor;	/* device; recorded together with the inode */
	uint64_t inode;		/* 0 if not recorded */
	const uint8_t *build_id;
	size_t build_id_size; /* at most BUILD_ID_MAX; 0 if not recorded */
};

enum source_process_change {
	PROCESS_FORKED, /* a new process, with a copy of its parent's address space */
	PROCESS_NEW,	/* a process from before the recording: its maps follow */
	PROCESS_EXEC,	/* another program replaces its whole address space */
	PROCESS_EXITED, /* its first thread has ended, which usually is also the last one */
};

#endif
