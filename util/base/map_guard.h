/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process's handler of SIGBUS, for mapped files that shrink, or whose disk fails, while they
 * are being read.
 *
 * Access to a missing page raises SIGBUS, in any thread. The guard replaces the page by one of
 * zeroes and counts it, so the reader can continue. The reader must then check the file's length
 * and report the missing part. The handler is process-wide and stays installed. Any other SIGBUS (a
 * bad access by the program itself) still kills the process.
 */
#ifndef BASE_MAP_GUARD_H
#define BASE_MAP_GUARD_H

/* Called for each map, before its first page is accessed. */
void map_guard_install(void);

/* Number of pages replaced so far, in all maps. */
unsigned int map_guard_pages(void);

#endif
