// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/pageblock.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "util/tracepoint/const_expr.h"

#define PAGEBLOCK_ORDER_MAX 30 /* larger is no order but a misread text */

int pageblock_order_parse(const char *text, size_t len)
{
	static const char field[] = "REC->fallback_order";
	const char *p = text, *end = text + len;

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
