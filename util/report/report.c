// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report.h"

#include <errno.h>

#include "util/base/units.h"

#define FORMAT_VERSION 1

void report_context_init(struct report_context *c, const struct kmem_pipeline *a,
			 const struct report_options *o)
{
	*c = (struct report_context){
		.naming = &a->naming,
		.accounts = &a->accounts,
		.facts = a->facts,
		.options = o,
		.kmem = &a->options,
		.nr_slab_tables = a->options.nr_slab_tables,
		.nr_page_tables = a->options.nr_page_tables,
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
		.human = o->human,
		.ascii = o->ascii,
		.stock_style = o->stock_style,
		.tables = o->tables,
	};
	struct document d;
	int ret;

	document_init(&d, form->audience);
	build(&d, ctx);
	ret = document_failed(&d) ? error_nomem(err) : form_write(form, out, &options, &d, err);
	document_deinit(&d);
	return ret;
}

void report_add_version(struct document_section *root)
{
	document_add_figure(root, "format_version", value_u64(FORMAT_VERSION), FOR_PROGRAMS);
}

const char *report_number(const struct report_context *c, char *buf, uint64_t v)
{
	return units_group(buf, UNITS_BUF, v, c->options->thousands_sep);
}

bool report_table_at(const struct report_context *c, unsigned int i, struct report_table *ret_table)
{
	const struct kmem_accounts *a = c->accounts;
	unsigned int nr_slab = a->slab ? c->nr_slab_tables : 0;
	unsigned int nr_page = a->page ? c->nr_page_tables : 0;

	if (i < nr_slab)
		*ret_table = (struct report_table){&a->slab->common.tables[i], &c->options->slab[i],
						   ALLOCATOR_SLAB};
	else if (i < nr_slab + nr_page)
		*ret_table = (struct report_table){&a->page->common.tables[i - nr_slab],
						   &c->options->page[i - nr_slab], ALLOCATOR_PAGE};
	else
		return false;
	return true;
}

const struct live_peak *report_peak(const struct report_context *c, enum allocator allocator)
{
	return allocator == ALLOCATOR_SLAB ? &c->accounts->slab->common.peak
					   : &c->accounts->page->common.peak;
}
