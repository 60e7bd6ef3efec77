/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets keys in a configuration file, without changing the rest of it.
 *
 * Comments, blank lines and other keys are kept byte for byte. The last line with the key is
 * replaced, or one is added to the end of its section, or the section is added. The new file is
 * written beside the old one and renamed over it, so a reader sees either the old or the new one.
 * Symbolic links are followed. A file that cannot be parsed is not changed. Either all
 * keys are set or none.
 */
#ifndef CLI_CONFIG_EDIT_H
#define CLI_CONFIG_EDIT_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* Append the new text of a file to *out. The case of key does not matter. */
int config_edit(const char *path, const char *buf, size_t len, const char *key, const char *value,
		struct strbuf *out, struct error *err);

struct config_setting {
	const char *key, *value;
};

/* Set keys of a file, which is created if it does not exist, with one replacement of it. */
int config_set_all(const char *path, const struct config_setting *settings, size_t nr,
		   struct error *err);

int config_set(const char *path, const char *key, const char *value, struct error *err);

#endif
