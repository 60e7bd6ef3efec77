// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "openmetrics": figures as series, for Prometheus and programs that read its text format.
 *
 * It is version 0.0.4 of Prometheus' text exposition format. It has the columns of tables that are
 * metrics. All lines of a metric stand together, as the format requires.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "util/render/form.h"
#include "util/metrics/metrics.h"

struct openmetrics {
	struct metrics *metrics;
	const char *allocator;
};

static void open_section(void *state, const struct document_section *s)
{
	struct openmetrics *o = state;

	if (s->kind)
		o->allocator = s->id;
}

static void close_section(void *state, const struct document_section *s)
{
	struct openmetrics *o = state;

	if (s->kind)
		o->allocator = NULL;
}

static void take_table(void *state, const struct document_table *t)
{
	struct openmetrics *o = state;

	metrics_add(o->metrics, t, o->allocator);
}

/* Whole numbers have all their digits. */
static void write_number(FILE *out, double v)
{
	if (v == rint(v) && fabs(v) < 1e18)
		fprintf(out, " %.0f\n", v);
	else
		fprintf(out, " %.17g\n", v);
}

static void write_family(FILE *out, const struct metrics *m, const struct metrics_family *f)
{
	const char *name = f->metric->name;

	fprintf(out, "# HELP perf_kmem_%s %s\n# TYPE perf_kmem_%s %s\n", name, f->metric->help,
		name, metrics_is_counter(f->metric) ? "counter" : "gauge");
	for (size_t i = 0; i < f->nr; i++) {
		const char *labels = intern_get(&m->labels, f->samples[i].labels, NULL);

		fprintf(out, "perf_kmem_%s%s%s%s", name, *labels ? "{" : "", labels,
			*labels ? "}" : "");
		write_number(out, f->samples[i].value);
	}
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {.audience = FOR_METRICS,
					      .open = open_section,
					      .table = take_table,
					      .close = close_section};
	struct metrics own;
	struct openmetrics state = {.metrics = o->metrics};
	int ret;

	metrics_init(&own, METRICS_LIMIT_DEFAULT);
	if (!state.metrics)
		state.metrics = &own;
	metrics_begin(state.metrics);
	render_section(&ops, &state, &d->root);
	for (size_t i = 0; i < state.metrics->nr_families; i++)
		write_family(out, state.metrics, &state.metrics->families[i]);
	ret = state.metrics->failed ? -ENOMEM : 0;
	metrics_deinit(&own);
	return ret;
}

const struct form form_openmetrics = {.name = "openmetrics",
				      .audience = FOR_METRICS,
				      .needs = HAS_TABLES | HAS_METRICS,
				      .lacks = "figures to store over time",
				      .wants = WANTS_CALLSITES,
				      .render = render,
				      .replaces = true};
