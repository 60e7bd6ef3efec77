/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document as text: each section a heading, its notes wrapped, its tables with a rule below the
 * headings.
 *
 * Columns are as wide as they say or as what stands in them, whichever is more; names are cut.
 */
#ifndef RENDER_RENDER_TEXT_H
#define RENDER_RENDER_TEXT_H

#include <stdio.h>

#include "util/base/strbuf.h"
#include "util/render/render.h"

/* Returns 0 or -ENOMEM. */
int render_text_section(FILE *out, const struct render_options *o,
			const struct document_section *s);

/* A value as people read it: "1,234", "12.5 %", "vfree+52", "-" for what is not known. */
void render_text_value(struct strbuf *sb, const struct render_options *o, const struct value *v);

#endif
