/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mapped files that become shorter, or whose disk fails, while they are read.
 *
 * Touching such a page is a SIGBUS, in whatever thread.  With the guard the page becomes one of
 * zeroes and is counted, so that the reader goes on; it must then ask the file for its length, and
 * say what is missing.  The handler is the process's and stays; a SIGBUS of another kind (a bad
 * access by the program itself) ends it as before.
 */
#ifndef BASE_MAP_GUARD_H
#define BASE_MAP_GUARD_H

/* Before the first page of a map is touched, for each. */
void map_guard_install(void);

/* Pages that were replaced so far, of all maps. */
unsigned int map_guard_pages(void);

#endif
