// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/report_profile.h"

#include <inttypes.h>

#include "util/source/facts.h"

void profile_report_begin(struct document_section *in, const struct profile_report *r,
			  const struct source_facts *facts)
{
	document_add_versions(in->document);
	document_add_figure(in, "lost_samples", value_u64(facts->nr_lost), FOR_PROGRAMS);
	if (r->comments)
		document_add_labelled(document_add_styled(in, NULL, STYLE_COMMENTS),
				      "Total Lost Samples", value_id(facts->nr_lost));
}

struct document_section *profile_report_events(struct document_section *in)
{
	struct document_section *events = document_add_section(in, "events", NULL, FOR_ALL);

	if (events)
		events->is_list = true;
	return events;
}

/* 10646 is 10K. */
static uint64_t in_thousands(uint64_t nr, char *ret_unit)
{
	static const char units[] = {' ', 'K', 'M', 'G'};
	size_t i = 0;

	for (; nr > 1000 && i + 1 < sizeof(units); i++)
		nr /= 1000;
	*ret_unit = units[i];
	return nr;
}

static void add_comments(struct document_section *in, const char *name, const struct histogram *h)
{
	struct document_section *comments = document_add_styled(in, NULL, STYLE_COMMENTS);
	uint64_t nr = h->options->relative ? h->wanted_nr : h->nr;
	char unit;

	nr = in_thousands(nr, &unit);
	document_add_labelled(
		comments, "Samples",
		document_text(in, "%" PRIu64 "%c of event%s '%s'", nr, unit,
			      histogram_fields_have(&h->options->keys, FIELD_EVENT) ? "s" : "",
			      name));
	document_add_labelled(comments, "Event count (approx.)", value_id(histogram_whole(h)));
}

static const void *shown_row(const struct document_table *t, uint64_t i, void *buf)
{
	const struct fields_context *c = t->context;

	(void)buf;
	return histogram_shown(c->histogram, (uint32_t)i);
}

void profile_report_event(struct document_section *events, const struct profile_report *r,
			  const char *name, struct fields_context *context)
{
	const struct histogram *h = context->histogram;
	struct document_section *in = document_add_section(events, name, NULL, FOR_ALL);
	struct document_columns columns;

	if (!in)
		return;
	in->kind = "event";
	if (r->comments)
		in->style = STYLE_EVENT;
	document_columns_init(&columns, in->document, HISTOGRAM_FIELDS + 1);
	for (size_t i = 0; i < r->columns.nr; i++) {
		struct document_column c = fields_column(r->columns.v[i], r->children);

		if (i < REPORT_WIDTHS_MAX && r->widths[i])
			c.width = r->widths[i];
		document_columns_add(&columns, &c);
	}
	if (r->trees) {
		struct document_column c = fields_tree_column();

		document_columns_add(&columns, &c);
	}
	document_add_figure(in, "event", value_text(name), FOR_PROGRAMS);
	document_add_figure(in, "samples", value_u64(h->nr), FOR_PROGRAMS);
	document_add_figure(in, "period", value_u64(h->period), FOR_PROGRAMS);
	document_add_figure(in, "shown_samples", value_u64(h->wanted_nr), FOR_PROGRAMS);
	document_add_figure(in, "shown_period", value_u64(h->wanted_period), FOR_PROGRAMS);
	if (r->comments)
		add_comments(in, name, h);
	document_add_table(in,
			   &(struct document_table){
				   .id = "rows",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .row = shown_row,
				   .nr_rows = h->nr_shown,
				   .rows_total = h->rows.nr,
				   .context = context,
				   .look = LOOK_COMMENTED,
			   },
			   FOR_ALL);
}
