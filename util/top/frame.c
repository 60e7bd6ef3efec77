// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[TOP_COLUMNS] = {
	"hits/s", "bytes/s", "frees/s",	 "hit",	   "bytes",
	"freed",  "live",    "live-hit", "growth", "suspect",
};

uint64_t top_suspect(const struct row_view *row)
{
	const struct leak_row *verdict = top_figures_of(row)->verdict;

	return verdict ? suspect_value(suspect_rank(verdict), (int64_t)row_growth(row)) : 0;
}

static const struct column suspect_column = {
	.name = "suspect", .heading = "Behaviour", .kind = COLUMN_COUNT, .value = top_suspect};

static const struct column *find(const char *name)
{
	return strcmp(name, suspect_column.name) ? column_find(name, strlen(name))
						 : &suspect_column;
}

const struct column *top_column_at(unsigned int i)
{
	return i < TOP_COLUMNS ? find(columns[i]) : NULL;
}

unsigned int top_column_find(const char *name)
{
	const struct column *c = find(name);
	unsigned int i = 0;

	while (i < TOP_COLUMNS && (!c || strcmp(columns[i], c->name) != 0))
		i++;
	return i;
}

bool top_needs_live(const char *name)
{
	static const char *const of_live[] = {"live", "live-hit", "growth", "unseen", "suspect"};

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
