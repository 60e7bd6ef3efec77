// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/merged_caches.h"

#include "util/base/printable.h"

void merged_caches_init(struct merged_caches *m, struct document_section *in,
			const struct naming *naming)
{
	*m = (struct merged_caches){.in = in, .naming = naming};
	table_init(&m->seen, sizeof(uint64_t), sizeof(uint64_t));
}

void merged_caches_deinit(struct merged_caches *m)
{
	table_deinit(&m->seen);
}

/* Add "signal_cache = UNIX, UNIX-STREAM". Adds nothing if there are no other names. */
static void format(struct strbuf *sb, const struct naming *n, uint64_t cache)
{
	const char *at = NULL, *between = " = ";
	struct strbuf alias = STRBUF_INIT;

	while (cache_aliases_next(&n->cache_aliases, &n->names.strings, cache, &at, &alias)) {
		if (!sb->len)
			strbuf_addstr(sb, intern_get(&n->names.strings, (uint32_t)cache, NULL));
		strbuf_addstr(sb, between);
		strbuf_addstr(sb, alias.buf);
		between = ", ";
	}
	printable_strbuf(sb, 0);
	sb->failed |= alias.failed;
	strbuf_deinit(&alias);
}

void merged_caches_add(struct merged_caches *m, uint64_t cache)
{
	struct strbuf line = STRBUF_INIT;
	uint32_t nr = m->seen.nr;

	format(&line, m->naming, cache);
	if (line.len && !table_insert(&m->seen, &cache))
		line.failed = true;
	m->in->document->failed |= line.failed;
	if (m->seen.nr > nr) {
		if (!nr)
			document_add_line(m->in,
					  "Merged caches, which the kernel calls by one name:");
		document_add_item(m->in, NULL, line.buf);
	}
	strbuf_deinit(&line);
}
