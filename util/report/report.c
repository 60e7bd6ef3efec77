// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report.h"

#include <errno.h>

#include "util/base/units.h"

void report_context_init(struct report_context *c, const struct kmem_pipeline *a,
			 const struct report_options *o)
{
	*c = (struct report_context){
		.naming = &a->naming,
		.accounts = &a->accounts,
		.facts = a->facts,
		.options = o,
		.kmem = &a->options,
		.span = kmem_pipeline_span(a),
		.length_ns = kmem_pipeline_length_ns(a),
		.first_ns = a->decoding.first_ns,
		.last_ns = a->decoding.last_ns,
	};
}

int report_write(FILE *out, const struct form *form, const struct report_options *o,
		 void (*build)(struct document *d, void *ctx), void *ctx, struct error *err)
{
	const struct render_options options = {
		.thousands_sep = o->thousands_sep,
		.columns = o->columns,
		.raw_ip = o->raw_ip,
		.command = o->command,
		.human = o->human,
		.ascii = o->ascii,
		.stock_style = o->stock_style,
		.colours = o->colours,
		.tables = o->tables,
		.metrics = o->metrics,
	};
	struct document d;
	int ret;

	document_init(&d, form->audience);
	build(&d, ctx);
	ret = document_failed(&d) ? error_nomem(err) : form_write(form, out, &options, &d, err);
	document_deinit(&d);
	return ret;
}

const char *report_number(const struct report_context *c, char *buf, uint64_t v)
{
	return units_group(buf, UNITS_BUF, v, c->options->thousands_sep);
}

bool report_table_at(const struct report_context *c, unsigned int i, struct report_table *ret_table)
{
	for (int id = 0; id < ACCOUNTS_NR; id++) {
		const struct allocator_accounts *a = accounts_allocator(c->accounts, id);
		unsigned int nr = a ? c->kmem->tables[id].nr : 0;

		if (i < nr) {
			*ret_table = (struct report_table){
				&a->tables[i], &c->options->by[id][i], &a->peak,
				account_table[id]->allocator->bit, a->count_unmatched_frees};
			return true;
		}
		i -= nr;
	}
	return false;
}
