/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Setting one key in a configuration file, without touching the rest of it.
 *
 * Comments, blank lines and other keys stay byte for byte.  The last line with the
 * key is replaced, or one is added to the end of its section, or the section is
 * added.  The new file is written beside the old one and renamed over it, so a
 * reader sees the old or the new; a symbolic link is followed.  A file that does not
 * parse is not touched.
 */
#ifndef CLI_CONFIG_EDIT_H
#define CLI_CONFIG_EDIT_H

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* The new text of a file, appended to *out. key is any case. */
int config_edit(const char *path, const char *buf, size_t len, const char *key, const char *value,
		struct strbuf *out, struct error *err);

/* The same on a file, which is made when it is missing. */
int config_set(const char *path, const char *key, const char *value, struct error *err);

#endif
