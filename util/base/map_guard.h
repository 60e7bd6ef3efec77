/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped files that shrink, or whose disk fails, while they are being read.
 *
 * Touching such a page raises SIGBUS, in any thread.  The guard replaces the page by one of zeroes
 * and counts it, so the reader can go on; it must then check the file's length and say what is
 * missing.  The handler is process-wide and stays installed; any other SIGBUS (a bad access by the
 * program itself) still kills the process.
 */
#ifndef BASE_MAP_GUARD_H
#define BASE_MAP_GUARD_H

/* Call it for each map, before its first page is touched. */
void map_guard_install(void);

/* Pages replaced so far, in all maps. */
unsigned int map_guard_pages(void);

#endif
