/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets one key in a configuration file, without touching the rest of it.
 *
 * Comments, blank lines and other keys stay byte for byte.  The last line with the key is replaced,
 * or one is added to the end of its section, or the section is added.  The new file is written
 * beside the old one and renamed over it, so a reader sees either the old or the new one; symbolic
 * links are followed.  A file that does not parse is not touched.
 */
#ifndef CLI_CONFIG_EDIT_H
#define CLI_CONFIG_EDIT_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* The new text of a file, appended to *out. The case of key does not matter. */
int config_edit(const char *path, const char *buf, size_t len, const char *key, const char *value,
		struct strbuf *out, struct error *err);

/* The same for a file, which is created if it does not exist. */
int config_set(const char *path, const char *key, const char *value, struct error *err);

#endif
