// SPDX-License-Identifier: GPL-2.0-or-later
/* The text report: the loss first, then each allocator's part. */
#include <errno.h>
#include <inttypes.h>

#include "util/render/form.h"
#include "util/report/cell.h"
#include "util/report/internals.h"
#include "util/report/text_header.h"
#include "util/report/text_table.h"

static void print_lost(struct text_context *t, const char *name, uint64_t lost, uint64_t samples)
{
	strbuf_reset(&t->line);
	cell_add_grouped(&t->line, t->o, lost);
	strbuf_addstr(&t->line, " of ");
	cell_add_grouped(&t->line, t->o, lost + samples);
	fprintf(t->out, "#   %-28s %s (%.1f%%)\n", name, t->line.buf,
		100.0 * (double)lost / (double)(lost + samples));
}

static void print_stop(struct text_context *t)
{
	const struct source_facts *r = t->a->recording;
	char far[SOURCE_STOP_BUF];

	if (r->stop.stopped)
		fprintf(t->out,
			"#\n# PARTIAL REPORT\n# --------------\n"
			"# Reading was stopped at %s of the recording, the last event at %.6f s:\n"
			"# what came later is missing from all figures.\n\n",
			source_facts_stop_text(r, far, sizeof(far)), (double)r->last_ns / 1e9);
}

/* record -c N */
static void print_period(struct text_context *t)
{
	const struct source_facts *r = t->a->recording;

	if (source_facts_period(r) > 1)
		fprintf(t->out,
			"#\n# ONE EVENT OF %" PRIu64 "\n# --------------\n"
			"# Each figure counts only the events that were recorded (record -c), "
			"nothing "
			"is scaled.\n"
			"# Most frees of what is live here were not recorded.\n\n",
			source_facts_period(r));
}

/* What is missing, and what that does to the figures: before anything else. */
static void print_loss(struct text_context *t)
{
	const struct source_facts *r = t->a->recording;
	uint64_t lost = r->nr_lost;

	if (!lost)
		return;
	fputs("#\n# LOST EVENTS\n# -----------\n", t->out);
	print_lost(t, "all events", lost, r->nr_samples);
	for (size_t i = 0; i < r->nr_events; i++) {
		const struct source_event *ev = r->events[i];
		uint64_t n = ev->nr_lost;

		if (n && ev->name && !ev->is_dummy)
			print_lost(t, ev->name, n, ev->nr_samples);
	}
	fputs("# Hits and bytes are too low by about as much; what is live, alloc-only, free-only "
	      "or\n"
	      "# ping-pong is wrong wherever one half of a pair was lost.  Larger buffers lose "
	      "less\n"
	      "# (record -m 64M).\n\n",
	      t->out);
}

/* A summary alone: what can be asked for beside it. */
static void print_hint(struct text_context *t)
{
	const struct kmem_analysis *a = t->a;

	if (!t->o->header || a->options.nr_slab_tables || a->options.nr_page_tables ||
	    a->accounts.do_percpu || a->accounts.do_extfrag)
		return;
	fputc('\n', t->out);
	text_header_line(t->out, "Next:",
			 "--caller tells who allocates, --by cache,comm (or any other keys) which "
			 "caches for whom, --live what was not freed, --lifetime for how long it "
			 "was kept.",
			 t->o);
}

static int print_internals(struct text_context *t)
{
	const struct render_options options = {
		.thousands_sep = t->o->thousands_sep,
		.columns = t->o->columns,
		.raw_ip = t->o->raw_ip,
	};
	struct document d;
	int ret;

	document_init(&d, form_text.audience);
	report_internals(&d.root, t->a, t->o);
	ret = document_failed(&d) ? -ENOMEM : form_text.render(t->out, &options, &d);
	document_deinit(&d);
	return ret;
}

int report_text(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	struct text_context t = {.out = out, .a = a, .o = o, .line = STRBUF_INIT};
	struct report_table table;
	int ret;

	ret = text_header_print(out, a, o);
	/* a summary by itself begins with an empty line */
	if (o->header && (report_table_at(a, o, 0, &table) || a->recording->nr_lost ||
			  a->recording->stop.stopped))
		fputc('\n', out);
	print_stop(&t);
	print_period(&t);
	print_loss(&t);
	if (!ret && a->accounts.do_slab)
		ret = text_slab_print(&t);
	if (!ret && a->accounts.do_page)
		ret = text_page_print(&t);
	if (!ret)
		ret = print_internals(&t);
	print_hint(&t);
	ret |= t.line.failed;
	strbuf_deinit(&t.line);
	return ret ? -ENOMEM : 0;
}
