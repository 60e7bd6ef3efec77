// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, for flame graph tools: "outermost;...;innermost WEIGHT" a line.  The keys of a
 * table come in their order, a stack frame by frame; the weight is bytes, hits or what is live.
 */
#include <errno.h>
#include <inttypes.h>

#include "util/report/cell.h"
#include "util/report/key_format.h"
#include "util/report/report.h"
#include "util/report/sort.h"

/* A frame must hold neither the separator nor a line's end. */
static void add_frame(struct strbuf *line, const char *frame)
{
	if (line->len)
		strbuf_addch(line, ';');
	for (; *frame; frame++)
		strbuf_addch(line, *frame == ';'		  ? ':'
				   : (unsigned char)*frame < 0x20 ? '?'
								  : *frame);
}

static void add_address(struct strbuf *line, struct strbuf *name, const struct kmem_analysis *a,
			const struct report_options *o, uint64_t address)
{
	const struct symbol *sym = o->raw_ip ? NULL : symbols_find(&a->naming.symbols, address);

	strbuf_reset(name);
	if (sym)
		strbuf_addstr(name, sym->name); /* a flame graph joins by function */
	else
		key_format_address(name, a, address, true);
	add_frame(line, name->buf);
}

static void add_key(struct strbuf *line, struct strbuf *name, const struct kmem_analysis *a,
		    const struct report_options *o, enum kmem_key key, uint64_t value)
{
	if (key == KEY_STACK) {
		size_t nr;
		const uint64_t *frames = key_stack_frames(a, value, &nr);

		while (nr--)
			add_address(line, name, a, o, frames[nr]);
	} else if (key == KEY_CALLSITE) {
		add_address(line, name, a, o, value);
	} else {
		strbuf_reset(name);
		key_format_text(name, a, key, value, o->raw_ip);
		add_frame(line, name->buf);
	}
}

static int write_table(FILE *out, const struct kmem_analysis *a, const struct report_options *o,
		       const struct report_table *t)
{
	struct strbuf line = STRBUF_INIT, name = STRBUF_INIT;
	struct sorted_rows rows;
	struct row_view row;
	int ret;

	if (sorted_rows_init(&rows, t->table, &t->options->sort, o->live, t->options->lines))
		return -ENOMEM;
	for (uint64_t n = 0; sorted_rows_get(&rows, n, &row); n++) {
		uint64_t weight = o->weight->value(&row);

		if (!weight)
			continue;
		strbuf_reset(&line);
		for (unsigned int i = 0; i < t->table->nr_by; i++)
			add_key(&line, &name, a, o, t->table->by[i], row.key[i]);
		fprintf(out, "%s %" PRIu64 "\n", line.len ? line.buf : "unknown", weight);
	}
	ret = line.failed || name.failed ? -ENOMEM : 0;
	strbuf_deinit(&line);
	strbuf_deinit(&name);
	sorted_rows_deinit(&rows);
	return ret;
}

int report_folded(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	struct report_table t;
	int ret = 0;

	for (unsigned int i = 0; !ret && report_table_at(a, o, i, &t); i++)
		ret = write_table(out, a, o, &t);
	return ret;
}
