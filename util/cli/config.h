/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct config: the entries of the configuration files, in git's format.
 *
 * Entries are kept in the order in which they were read; the last one with a key counts. A key is
 * "section.key" or "section.Sub.key": section and key in lower case, the subsection as written. A
 * key without "=" has the value "true". The struct owns all strings until config_deinit(). Errors
 * about the content are one line that starts with file and line: "/root/.perfconfig:3: ...". A file
 * has at most 1 MiB. Includes are not supported.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

#define CONFIG_FILE_MAX	   (1 << 20)
#define CONFIG_SYSTEM_PATH "/etc/perfconfig"

struct config_entry {
	char *key;
	char *value;
	const char *path; /* as passed to open(), owned by the config; NULL: no file */
	unsigned int line;
	/* offsets in the file: key, end of the value, end of its last line without newline */
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
 * Read this user's configuration: the file named by PERF_CONFIG, which must exist; else
 * /etc/perfconfig and then ~/.perfconfig. These two are skipped if they do not exist, belong to
 * somebody else, or are FIFOs, which would block. A symbolic link is followed if it belongs to the
 * user or to root.
 */
int config_load(struct config *cfg, struct error *err);

/* Append the name of the file that the user's settings are written to: PERF_CONFIG, or
 * ~/.perfconfig. Errors: -ENOENT if HOME is needed and not set. */
int config_user_path(struct strbuf *path, struct error *err);

/* Read one file. Errors: -ENOENT if it is missing. -EPERM if the file, or the symbolic link to it,
 * belongs neither to the user nor to root, or if anybody may write to it. */
int config_load_file(struct config *cfg, const char *path, struct error *err);

/* Add the entries of a text. path: for messages. On failure, the entries before the error are
 * kept. */
int config_parse(struct config *cfg, const char *path, const char *buf, size_t len,
		 struct error *err);

/* Returns the last entry with a key, ignoring case, or NULL if it is not set. */
const struct config_entry *config_get(const struct config *cfg, const char *key);

/* Sets the error "PATH:LINE: KEY is 'VALUE', want <want>", without the place if the entry is from
 * no file. Returns -EINVAL. */
int config_bad_value(const struct config_entry *entry, const char *want, struct error *err);

/* Parse the value as a number. Errors: config_bad_value(). */
int config_entry_u64(const struct config_entry *entry, uint64_t min, uint64_t max, uint64_t *ret,
		     struct error *err);

/* Get the key with section and name in lower case; the caller frees it. Errors: the key is
 * malformed. */
int config_key_canonical(const char *key, char **ret_key, struct error *err);

#endif
