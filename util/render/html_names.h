/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct html_names: strings, frames and stacks of a page, each written once.
 *
 * Cells contain their numbers. A frame is a call site, and stacks are a tree of frames. Long
 * strings are cut. Running out of memory is remembered in `failed`.
 */
#ifndef RENDER_HTML_NAMES_H
#define RENDER_HTML_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/document/value.h"
#include "util/render/json.h"

struct html_names {
	bool raw_ip; /* addresses instead of names */
	struct intern strings;
	struct table frames, named, nodes;
	struct strbuf cut; /* scratch */
	bool failed;
};

void html_names_init(struct html_names *n, bool raw_ip);
void html_names_deinit(struct html_names *n);

/* Returns -1 for NULL. */
int64_t html_names_string(struct html_names *n, const char *text);
uint64_t html_names_frame(struct html_names *n, const struct value_callsite *c);

/* The number of the stack's innermost frame in the tree. The stack must not be empty. */
uint64_t html_names_stack(struct html_names *n, const struct value_stack *stack);

/* Write all names as members "frames", "stacks" and "strings" of the open object. */
void html_names_write(const struct html_names *n, struct json *j);

#endif
