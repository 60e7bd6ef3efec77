// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[TOP_COLUMNS] = {
	"hits/s", "bytes/s", "frees/s", "hit", "bytes", "freed", "live", "live-hit", "growth",
};

const struct column *top_column_at(unsigned int i)
{
	return i < TOP_COLUMNS ? column_find(columns[i], strlen(columns[i])) : NULL;
}

unsigned int top_column_find(const char *name)
{
	const struct column *c = column_find(name, strlen(name));
	unsigned int i = 0;

	while (i < TOP_COLUMNS && (!c || strcmp(columns[i], c->name) != 0))
		i++;
	return i;
}

bool top_needs_live(const char *name)
{
	static const char *const of_live[] = {"live", "live-hit", "growth", "unseen"};

	for (size_t i = 0; i < sizeof(of_live) / sizeof(of_live[0]); i++)
		if (!strcmp(name, of_live[i]))
			return true;
	return false;
}

int top_grown_compare(const char *column, struct top_grown a, struct top_grown b)
{
	if (!strcmp(column, "live"))
		return (a.bytes > b.bytes) - (a.bytes < b.bytes);
	if (!strcmp(column, "live-hit"))
		return (a.hits > b.hits) - (a.hits < b.hits);
	return 0;
}

void top_frame_free(struct top_frame *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_rows; i++)
		free(f->rows[i].name);
	free(f->rows);
	free(f->lost);
	strbuf_deinit(&f->details);
	top_request_deinit(&f->request);
	free(f);
}

int top_request_copy(struct top_request *to, const struct top_request *from)
{
	char *details = from->details ? strdup(from->details) : NULL;

	if (from->details && !details)
		return -ENOMEM;
	free(to->details);
	*to = *from;
	to->details = details;
	return 0;
}

void top_request_deinit(struct top_request *r)
{
	free(r->details);
	r->details = NULL;
}
