/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct debuginfod: servers that are asked, by build-id, for the files that this machine lacks.
 *
 * Only for who has one: no variable of the environment makes a request by itself.  It is done by
 * libdebuginfod.so.1, which is loaded then, and which keeps what it has received, and for some
 * minutes what no server has, in a folder of the user's.  Servers that cannot be reached, or are
 * too slow, are not asked again.  What goes wrong is logged as a warning, since the work goes on
 * without the file; the caller checks that it is the right one.
 */
#ifndef USERSYM_DEBUGINFOD_H
#define USERSYM_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_FILE };

/* The library's. */
struct debuginfod_client;
typedef int debuginfod_fn(struct debuginfod_client *client, const unsigned char *build_id, int size,
			  char **ret_path);

struct debuginfod {
	/* functions of the library, which stays loaded */
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	debuginfod_fn *find[2]; /* by enum debuginfod_kind */
	const char *urls;	/* until it is loaded; NULL: those in DEBUGINFOD_URLS */
	bool is_loaded, given_up;
	size_t nr_missing; /* what no server has sent */
};

/*
 * Nothing is to be released.  urls: separated by blanks; NULL: those in DEBUGINFOD_URLS.
 * DEBUGINFOD_TIMEOUT, seconds in which a server has to begin, is set to 30 if it is not.  Errors:
 * there is no URL (EINVAL), or no such library (ENOTSUP).
 */
int debuginfod_init(struct debuginfod *d, const char *urls, struct error *err);

/* The same when a file is needed first; what goes wrong then is logged. The URLs must stay. */
void debuginfod_init_later(struct debuginfod *d, const char *urls);

/*
 * name: the file that it is or belongs to, for messages.  The path of what has come replaces that
 * in *path.  False: nothing has, and that has been logged.
 */
bool debuginfod_find(struct debuginfod *d, enum debuginfod_kind kind, const uint8_t *build_id,
		     size_t size, const char *name, struct strbuf *path);

/* What has come at this path is something else: it is removed, so that it is asked for again. */
void debuginfod_refuse(enum debuginfod_kind kind, const char *name, const char *path);

#endif
