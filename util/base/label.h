/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels: words of ours that stand where a name stands, if there is none or if there are several.
 *
 * A name of a recording, a kernel or a file that is one of these words, or that begins with a
 * double quote, is put in double quotes where it is read.  So a label is never quoted, a quoted
 * name is never a label, and no two names become one.  That holds for every form of output, and for
 * filters.
 *
 * Labels: "unknown", "none" (a memory cgroup), "kernel" and "unloaded module" (modules),
 * "[others]",
 * "-", and ":TID" for a thread without a name.
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

/* In place of a name where a source hands over names: compared as a pointer. */
extern const char label_unknown[];

/* Must the name be quoted? */
bool label_collides(const char *name, size_t len);

/* The number of a name, which is quoted if it must be; `passing`: see intern_add_passing(). */
uint32_t label_intern(struct intern *it, const char *name, size_t len, bool passing);

/* Quote what is in the strbuf from `start` on, if it must be. */
void label_strbuf(struct strbuf *sb, size_t start);

/* The same for a name that cannot grow, with a '?' for a double quote at its start. */
const char *label_fixed(char *name);

#endif
