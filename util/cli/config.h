/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct config: what the configuration files say, in git's format.
 *
 * Entries are kept in the order in which they were read; of several with one key the last counts. A
 * key is "section.key" or "section.Sub.key": section and key in lower case, the subsection as
 * written.  A key without "=" has the value "true". The struct owns all strings until
 * config_deinit().  Errors about the content are one line that begins with file and line:
 * "/root/.perfconfig:3: ...". A file is at most 1 MiB; there are no includes, and nothing recurses.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

#define CONFIG_FILE_MAX	   (1 << 20)
#define CONFIG_SYSTEM_PATH "/etc/perfconfig"

struct config_entry {
	char *key;
	char *value;
	const char *path; /* as given to open(), owned by the config; NULL: of no file */
	unsigned int line;
	/* where it is in the file: key, end of the value, end of its last line without newline */
	size_t offset, value_end, end;
};

struct config {
	struct config_entry *entries;
	size_t nr, room;
	char **paths;
	size_t nr_paths;
};

#define CONFIG_INIT                                                                                \
	{                                                                                          \
		0                                                                                  \
	}

void config_deinit(struct config *cfg);

/*
 * Read the configuration of this user: the file that PERF_CONFIG names, which must exist; else
 * /etc/perfconfig and then ~/.perfconfig, if they exist, do not belong to somebody else and are not
 * a FIFO, which would block.  A symbolic link is followed if it is the user's or root's.
 */
int config_load(struct config *cfg, struct error *err);

/* Read one file. Errors: -ENOENT if it is missing; -EPERM if it, or the symbolic link to it,
 * belongs neither to the user nor to root, or anybody may write to it. */
int config_load_file(struct config *cfg, const char *path, struct error *err);

/* Add the entries of a text; path is for messages. On failure, those before the error stay. */
int config_parse(struct config *cfg, const char *path, const char *buf, size_t len,
		 struct error *err);

/* The entry that counts for a key, without regard to case; NULL: not set. */
const struct config_entry *config_get(const struct config *cfg, const char *key);

/* "PATH:LINE: KEY is 'VALUE', want <want>", of no file without its place; -EINVAL. */
int config_bad_value(const struct config_entry *entry, const char *want, struct error *err);

/* The value as a number; else config_bad_value(). */
int config_entry_u64(const struct config_entry *entry, uint64_t min, uint64_t max, uint64_t *ret,
		     struct error *err);

/* The key with section and name in lower case, to be freed by the caller; err says what is
 * wrong. */
int config_key_canonical(const char *key, char **ret_key, struct error *err);

#endif
