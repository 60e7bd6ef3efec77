// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/row_name.h"

#include "util/render/value_text.h"
#include "util/report/key_column.h"

static void add_key(struct strbuf *sb, const struct naming *naming, enum kmem_key key,
		    uint64_t value, bool raw_ip)
{
	const struct render_options plain = {.thousands_sep = "", .raw_ip = raw_ip};
	struct strbuf scratch = STRBUF_INIT;
	struct value v = key_value(naming, key, value, &scratch);

	value_add_text(sb, &plain, &v);
	strbuf_deinit(&scratch);
}

char *top_row_name(const struct naming *naming, const struct row_view *row, bool raw_ip)
{
	struct strbuf name = STRBUF_INIT;
	char *text;

	for (unsigned int i = 0; i < row->table->nr_by; i++) {
		if (i)
			strbuf_addch(&name, ' ');
		add_key(&name, naming, row->table->by[i], row->key[i], raw_ip);
	}
	strbuf_addch(&name, '\0'); /* on the heap, even if empty */
	text = name.failed ? NULL : strbuf_detach(&name);
	strbuf_deinit(&name);
	return text;
}
