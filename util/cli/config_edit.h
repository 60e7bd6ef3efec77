/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets one key in a configuration file, without changing the rest of it.
 *
 * Comments, blank lines and other keys are kept byte for byte. The last line with the key is
 * replaced, or one is added to the end of its section, or the section is added. The new file is
 * written beside the old one and renamed over it, so a reader sees either the old or the new one.
 * Symbolic links are followed. A file that cannot be parsed is not changed.
 */
#ifndef CLI_CONFIG_EDIT_H
#define CLI_CONFIG_EDIT_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* Append the new text of a file to *out. The case of key does not matter. */
int config_edit(const char *path, const char *buf, size_t len, const char *key, const char *value,
		struct strbuf *out, struct error *err);

/* The same for a file, which is created if it does not exist. */
int config_set(const char *path, const char *key, const char *value, struct error *err);

#endif
