/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct debuginfod: servers that provide, by build-id, files that this machine lacks.
 *
 * Used only if the user asks for it; no environment variable alone causes a request. The requests
 * are made by libdebuginfod.so.1, which is loaded then. The library caches received files, and for
 * some minutes also that no server has a file, in a folder of the user's. A server that cannot be
 * reached, or is too slow, is not asked again. Errors are logged as warnings, because the work
 * continues without the file. The caller checks that a file is the right one.
 */
#ifndef USERSYM_DEBUGINFOD_H
#define USERSYM_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

enum debuginfod_kind { DEBUGINFOD_EXECUTABLE, DEBUGINFOD_DEBUG_FILE };

/* A handle of the library. */
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
	size_t nr_missing; /* files that no server had */
};

/*
 * Needs no deinit. urls: separated by blanks; NULL: those in DEBUGINFOD_URLS. DEBUGINFOD_TIMEOUT,
 * the seconds in which a server must begin to answer, is set to 30 if it is unset. Errors: there is
 * no URL (EINVAL), or no such library (ENOTSUP).
 */
int debuginfod_init(struct debuginfod *d, const char *urls, struct error *err);

/* The same when a file is first needed; errors are logged then. The URLs must stay valid. */
void debuginfod_init_later(struct debuginfod *d, const char *urls);

/*
 * name: the file that it is or belongs to, for messages. The path of the received file replaces
 * *path. Returns false if there is none, after logging the reason.
 */
bool debuginfod_find(struct debuginfod *d, enum debuginfod_kind kind, const uint8_t *build_id,
		     size_t size, const char *name, struct strbuf *path);

/* The received file at this path is wrong: remove it, so that it is requested again. */
void debuginfod_refuse(enum debuginfod_kind kind, const char *name, const char *path);

#endif
