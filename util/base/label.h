/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels: our own words in place of a name, if there is none or more than one.
 *
 * A name from a recording, a kernel or a file that equals one of these words, or starts with a
 * double quote, is put in double quotes when it is read. So a label is never quoted, a quoted name
 * is never a label, and different names never become equal. This holds for every output format and
 * for filters.
 *
 * Labels: "unknown", "none" (a memory cgroup), "kernel" and "unloaded module" (modules),
 * "[others]", "-", and ":TID" for a thread without a name.
 */
#ifndef BASE_LABEL_H
#define BASE_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/intern.h"
#include "util/base/strbuf.h"

#define LABEL_NONE     "none"
#define LABEL_KERNEL   "kernel"
#define LABEL_UNLOADED "unloaded module"
#define LABEL_OTHERS   "[others]"

/* Passed by a source instead of a name; compared as a pointer. */
extern const char label_unknown[];

/* Whether the name must be quoted. */
bool label_collides(const char *name, size_t len);

/* Intern a name, quoted if necessary, and return its number. passing: see intern_add_passing(). */
uint32_t label_intern(struct intern *it, const char *name, size_t len, bool passing);

/* Quote the strbuf's text from `start` on, if necessary. */
void label_strbuf(struct strbuf *sb, size_t start);

/* For a name that cannot grow: a double quote at its start becomes '?'. */
const char *label_fixed(char *name);

#endif
