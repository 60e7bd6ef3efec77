// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"

#define LIBRARY	      "libdebuginfod.so.1"
#define URLS	      "DEBUGINFOD_URLS"
#define TIMEOUT	      "DEBUGINFOD_TIMEOUT"
#define TIMEOUT_USUAL "30"

/* With -v each of them is reported. */
#define MISSING_TOLD 3

static int load(struct debuginfod *d, struct error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return error_set(err, ENOTSUP, "%s (package libdebuginfod1) cannot be loaded: %s",
				 LIBRARY, dlerror());
	*(void **)&d->begin = dlsym(library, "debuginfod_begin");
	*(void **)&d->end = dlsym(library, "debuginfod_end");
	*(void **)&d->find[DEBUGINFOD_EXECUTABLE] = dlsym(library, "debuginfod_find_executable");
	*(void **)&d->find[DEBUGINFOD_DEBUG_FILE] = dlsym(library, "debuginfod_find_debuginfo");
	d->is_loaded = d->begin && d->end && d->find[0] && d->find[1];
	if (d->is_loaded)
		return 0;
	dlclose(library);
	return error_set(err, ENOTSUP, "%s lacks a function", LIBRARY);
}

int debuginfod_init(struct debuginfod *d, const char *urls, struct error *err)
{
	const char *usual = getenv(URLS);

	*d = (struct debuginfod){.given_up = false};
	if (!urls && (!usual || !*usual))
		return error_set(err, EINVAL, "which server? Name its URL, or set " URLS);
	/* set before the library reads it; the default would wait three times for a slow server */
	if ((urls && setenv(URLS, urls, true)) || setenv(TIMEOUT, TIMEOUT_USUAL, false) ||
	    setenv("DEBUGINFOD_RETRY_LIMIT", "0", false))
		return error_nomem(err);
	return load(d, err);
}

void debuginfod_init_later(struct debuginfod *d, const char *urls)
{
	*d = (struct debuginfod){.urls = urls};
}

/* Returns false if no server can be asked. */
static bool is_ready(struct debuginfod *d)
{
	struct error err = ERROR_INIT;

	if (!d->is_loaded && !d->given_up && debuginfod_init(d, d->urls, &err)) {
		log_warn("debuginfod: %s", err.msg);
		d->given_up = true;
	}
	return !d->given_up;
}

static const char *what(enum debuginfod_kind kind)
{
	return kind == DEBUGINFOD_EXECUTABLE ? "" : "the debug file of ";
}

static void tell_missing(struct debuginfod *d, enum debuginfod_kind kind, const char *name)
{
	if (d->nr_missing++ < MISSING_TOLD || log_level() >= LOG_INFO)
		log_warn("debuginfod: no server has sent %s'%s'", what(kind), name);
	else if (d->nr_missing == MISSING_TOLD + 1)
		log_warn("debuginfod: no server has sent some more files (-v: which)");
}

/* Other errors would repeat for each file. */
static void give_up(struct debuginfod *d, int code)
{
	d->given_up = true;
	if (code == ETIME || code == ETIMEDOUT)
		log_warn("debuginfod: the server is too slow (" TIMEOUT
			 " is %s s): it is not asked again",
			 getenv(TIMEOUT));
	else
		log_warn("debuginfod: %s: the server is not asked again", strerror(code));
}

bool debuginfod_find(struct debuginfod *d, enum debuginfod_kind kind, const uint8_t *build_id,
		     size_t size, const char *name, struct strbuf *path)
{
	struct debuginfod_client *client;
	char *found = NULL;
	int fd;

	if (!is_ready(d))
		return false;
	log_info("debuginfod: asking for %s'%s'", what(kind), name);
	client = d->begin();
	if (!client) {
		give_up(d, ENOMEM);
		return false;
	}
	fd = d->find[kind](client, build_id, (int)size, &found);
	d->end(client);
	if (fd == -ENOENT)
		tell_missing(d, kind, name);
	else if (fd < 0)
		give_up(d, -fd);
	else
		close(fd);
	/* never a file that was refused: the caller removes wrong ones */
	strbuf_reset(path);
	if (found)
		strbuf_addstr(path, found);
	free(found);
	return fd >= 0 && path->len && !path->failed;
}

void debuginfod_refuse(enum debuginfod_kind kind, const char *name, const char *path)
{
	log_warn("debuginfod: what the server sent for %s'%s' is another file", what(kind), name);
	unlink(path);
}
