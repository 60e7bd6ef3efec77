// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/page_types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

/* Parse the heading of the last table: "Number of blocks type  Unmovable  Movable ..." */
static int read_migratetypes(struct page_types *p, const char *text)
{
	static const char heading[] = "Number of blocks type";
	_cleanup_(strbuf_deinit) struct strbuf names = STRBUF_INIT;
	const char *s = strstr(text, heading);

	if (!s)
		return 0;
	for (s += sizeof(heading) - 1; *s && *s != '\n';) {
		size_t len;

		s += strspn(s, " ");
		len = strcspn(s, " \n");
		if (len && names.len)
			strbuf_addch(&names, ' ');
		strbuf_add(&names, s, len);
		s += len;
	}
	if (!names.len)
		return names.failed ? -ENOMEM : 0;
	p->migratetypes = strbuf_detach(&names);
	return p->migratetypes ? 0 : -ENOMEM;
}

int page_types_init(struct page_types *p, const char *path)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret = strbuf_read_file(&text, path);
	const char *order;

	*p = (struct page_types){0};
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	order = strstr(text.buf, "Page block order:");
	if (order)
		sscanf(order, "Page block order: %" SCNu64, &p->pageblock_order);
	return read_migratetypes(p, text.buf);
}

void page_types_deinit(struct page_types *p)
{
	free(p->migratetypes);
	*p = (struct page_types){0};
}
