// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/pageblock.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "util/tracepoint/const_expr.h"

#define PAGEBLOCK_ORDER_MAX 30 /* larger values are misread text */

static int parse(const struct trace_text *format)
{
	static const char field[] = "REC->fallback_order";
	const char *p = format->text, *end = p + format->len;

	while ((p = memmem(p, end - p, field, sizeof(field) - 1))) {
		uint64_t order;

		p += sizeof(field) - 1;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end || *p != '<')
			continue;
		p++;
		if (!const_expr_read(&p, end, &order) && order && order <= PAGEBLOCK_ORDER_MAX)
			return (int)order;
	}
	return PAGEBLOCK_ORDER_UNKNOWN;
}

int pageblock_order_of(const struct tracing_data *formats)
{
	int order = PAGEBLOCK_ORDER_UNKNOWN;

	for (size_t i = 0; order == PAGEBLOCK_ORDER_UNKNOWN && i < formats->nr_formats; i++)
		order = parse(&formats->formats[i].text);
	return order;
}
