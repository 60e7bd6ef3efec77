// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_columns.h"

#include "util/report/key_format.h"
#include "util/render/text_grid.h"

unsigned int text_name_cut(enum kmem_key key)
{
	static const enum kmem_key names[] = {KEY_CALLSITE, KEY_STACK,	KEY_CACHE,	KEY_GFP,
					      KEY_COMM,	    KEY_MODULE, KEY_MIGRATETYPE};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] == key)
			return i + 1;
	return TEXT_CUT_NEVER;
}

void text_stack_print(struct text_context *t, const struct text_grid *g, const uint64_t *frames,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		strbuf_reset(&t->line);
		key_format_address(&t->line, t->a, frames[i], t->o->raw_ip);
		text_grid_line(g, TEXT_STACK_INDENT, t->line.buf);
	}
}
