// SPDX-License-Identifier: GPL-2.0-or-later
/* Below a table by cache: the other names of merged caches. */
#include <errno.h>
#include <limits.h>

#include "util/base/printable.h"
#include "util/cli/wrap.h"
#include "util/report/key_format.h"
#include "util/report/text_columns.h"

#define INDENT 2

/* "  signal_cache = UNIX, UNIX-STREAM" in t->line; false: there are none. */
static bool format_cache(struct text_context *t, uint64_t cache)
{
	const struct kmem_analysis *a = t->a;
	struct strbuf alias = STRBUF_INIT;
	const char *at = NULL, *between = " = ";

	strbuf_reset(&t->line);
	key_format_text(&t->line, a, KEY_CACHE, cache, false);
	while (cache_aliases_next(&a->naming.cache_aliases, &a->naming.names.strings, cache, &at,
				  &alias)) {
		size_t start = t->line.len;

		strbuf_addstr(&t->line, between);
		strbuf_addstr(&t->line, alias.buf);
		printable_strbuf(&t->line, start);
		between = ", ";
	}
	t->line.failed |= alias.failed;
	strbuf_deinit(&alias);
	return at != NULL;
}

int text_aliases_print_once(struct text_context *t, struct table *seen, uint64_t cache)
{
	uint32_t nr = seen->nr;
	int columns = t->o->columns ? t->o->columns : INT_MAX;

	if (!format_cache(t, cache))
		return 0;
	if (!table_insert(seen, &cache))
		return -ENOMEM;
	if (seen->nr == nr)
		return 0;
	if (!nr)
		fputs(" Merged caches, which the kernel calls by one name:\n", t->out);
	fprintf(t->out, "%*s", INDENT, "");
	wrap_text(t->out, t->line.buf, INDENT, 2 * INDENT, columns);
	return 0;
}
