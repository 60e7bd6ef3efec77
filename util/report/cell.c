// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/cell.h"

#include <inttypes.h>

#include "util/base/units.h"
#include "util/report/key_format.h"

void cell_add_grouped(struct strbuf *sb, const struct report_options *o, uint64_t v)
{
	char digits[UNITS_BUF];

	strbuf_addstr(sb, units_group(digits, sizeof(digits), v, o->thousands_sep));
}

void cell_add_bytes(struct strbuf *sb, const struct report_options *o, uint64_t bytes)
{
	char text[UNITS_BUF];

	if (o->human)
		strbuf_addstr(sb, units_bytes(text, sizeof(text), bytes));
	else
		cell_add_grouped(sb, o, bytes);
}

void cell_add_duration(struct strbuf *sb, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double v = (double)ns / (double)units[i].ns;

		if (ns < units[i].ns)
			continue;
		strbuf_addf(sb, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[i].name);
		return;
	}
	strbuf_addf(sb, "%" PRIu64 " ns", ns);
}

void cell_text(struct strbuf *sb, const struct kmem_analysis *a, const struct report_options *o,
	       const struct column *c, const struct row_view *row)
{
	switch (c->kind) {
	case COLUMN_KEY:
		key_format_text(sb, a, c->key, row_key(row, c->key), o->raw_ip);
		break;
	case COLUMN_COUNT:
		cell_add_grouped(sb, o, c->value(row));
		break;
	case COLUMN_BYTES:
		cell_add_bytes(sb, o, c->value(row));
		break;
	case COLUMN_NS:
		cell_add_duration(sb, c->value(row));
		break;
	case COLUMN_PERCENT:
		strbuf_addf(sb, "%.3f%%", c->percent(row));
		break;
	}
}

void cell_plain(struct strbuf *sb, const struct kmem_analysis *a, const struct column *c,
		const struct row_view *row)
{
	if (c->kind == COLUMN_KEY)
		key_format_text(sb, a, c->key, row_key(row, c->key), false);
	else if (c->kind == COLUMN_PERCENT)
		strbuf_addf(sb, "%.3f", c->percent(row));
	else
		strbuf_addf(sb, "%" PRIu64, c->value(row));
}
