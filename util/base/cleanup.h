/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Releases resources at the end of a scope:
 *
 *	_cleanup_free_ char *path = NULL;
 *	_cleanup_close_ int fd = -1;
 *	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
 *
 * Always initialize the variable where it is declared. To pass ownership to the caller, return
 * steal_ptr(&path).
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn)	 __attribute__((cleanup(fn)))
#define _cleanup_free_	 _cleanup_(cleanup_free)
#define _cleanup_close_	 _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void *steal_ptr_(void *pp)
{
	void *p = *(void **)pp;

	*(void **)pp = NULL;
	return p;
}

#define steal_ptr(pp) ((__typeof__(*(pp)))steal_ptr_(pp))

#endif
