/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A value as text: as shown in text output, or plain for a CSV field.
 *
 * Text is made printable here (util/base/printable.h).
 */
#ifndef RENDER_VALUE_TEXT_H
#define RENDER_VALUE_TEXT_H

#include "util/base/strbuf.h"
#include "util/render/render.h"

/* As shown: "1,234", "12.5 %", "1.50 ms", "vfree+52", "-" if unknown. */
void value_add_text(struct strbuf *sb, const struct render_options *o, const struct value *v);

/* Plain: "1234", "12.500", "1500000", "vfree+52", nothing if unknown. */
void value_add_plain(struct strbuf *sb, const struct value *v);

/* The mark of the sorted column, for the end of its heading: " ▾" or " ▴", in ASCII " v" or " ^";
 * "" for other columns. */
const char *sort_mark(const struct render_options *o, const struct document_table *t,
		      const struct document_column *c);

/* "vfree+52", "0xffff1234", "unknown". */
void value_add_callsite(struct strbuf *sb, const struct value_callsite *c, bool raw_ip);

#endif
