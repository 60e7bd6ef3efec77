// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/report-options.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"

/* Stock's default limit, in percent: call tree entries below it are not shown. */
#define MIN_PERCENT 0.5

static int opt_format(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;

	c->form = form_find(use->arg);
	if (c->form != &form_text && c->form != &form_json && c->form != &form_csv)
		return error_set(err, EINVAL, "'%.200s' is not one of text, json, csv", use->arg);
	return 0;
}

/* 0 to 100, with digits and a point only. */
static int parse_percent(const char *text, double *ret_percent)
{
	char *end;
	double v;

	if (!*text || text[strspn(text, "0123456789.")])
		return -EINVAL;
	v = strtod(text, &end);
	if (*end || v > 100)
		return -EINVAL;
	*ret_percent = v;
	return 0;
}

static int opt_percent_limit(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;

	if (parse_percent(use->arg, &c->min_percent))
		return error_set(err, EINVAL, "'%.200s' is not a percentage", use->arg);
	c->shape.min_percent = c->min_percent;
	return 0;
}

static int opt_percentage(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;

	c->relative = !strcmp(use->arg, "relative");
	if (!c->relative && strcmp(use->arg, "absolute") != 0)
		return error_set(err, EINVAL, "'%.200s' is neither relative nor absolute",
				 use->arg);
	return 0;
}

static int opt_children(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;

	(void)err;
	c->children_given = true;
	c->children = !use->unset;
	return 0;
}

static int opt_widths(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;
	const char *at = use->arg;

	for (size_t i = 0; i < REPORT_WIDTHS_MAX && *at; i++) {
		char *end;
		unsigned long width = strtoul(at, &end, 10);

		if (*at < '0' || *at > '9' || width > 1000 || (*end && *end != ','))
			return error_set(err, EINVAL, "'%.200s' is not a list of widths", use->arg);
		c->widths[i] = (int)width;
		at = end + (*end == ',');
	}
	return 0;
}

/* The words of -g and the settings that each changes. */
static const struct graph_word {
	const char *word;
	enum { GRAPH_LOOK, GRAPH_NONE, GRAPH_ORDER, GRAPH_UNIT, GRAPH_KEY } what;
	int value;
} graph_words[] = {
	{"graph", GRAPH_LOOK, TREE_GRAPH},
	{"fractal", GRAPH_LOOK, TREE_FRACTAL},
	{"flat", GRAPH_LOOK, TREE_FLAT},
	{"folded", GRAPH_LOOK, TREE_FOLDED},
	{"none", GRAPH_NONE, 0},
	{"caller", GRAPH_ORDER, true},
	{"callee", GRAPH_ORDER, false},
	{"percent", GRAPH_UNIT, TREE_PERCENT},
	{"period", GRAPH_UNIT, TREE_WEIGHT},
	{"count", GRAPH_UNIT, TREE_NUMBER},
	{"function", GRAPH_KEY, 0},
};

static bool set_graph_word(struct report_command *c, const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(graph_words) / sizeof(graph_words[0]); i++) {
		const struct graph_word *w = &graph_words[i];

		if (strlen(w->word) != len || strncmp(w->word, word, len) != 0)
			continue;
		if (w->what == GRAPH_LOOK) {
			c->shape.look = (enum value_tree_look)w->value;
			c->no_graph = false;
		} else if (w->what == GRAPH_NONE) {
			c->no_graph = true;
		} else if (w->what == GRAPH_ORDER) {
			c->caller_first = w->value;
			c->order_given = true;
		} else if (w->what == GRAPH_UNIT) {
			c->shape.unit = (enum value_tree_unit)w->value;
		}
		return true;
	}
	return false;
}

/* "graph,0.5,caller,percent": the first number is the least percentage, the second one the limit.
 */
static int opt_graph(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;
	unsigned int nr_numbers = 0;

	for (const char *at = use->arg ? use->arg : ""; *at;
	     at += strcspn(at, ","), at += *at == ',') {
		size_t len = strcspn(at, ",");
		char number[32];

		if (set_graph_word(c, at, len))
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(len < 31 ? len : 31), at);
		if (nr_numbers == 0 ? parse_percent(number, &c->shape.min_percent) != 0
				    : units_parse_u64(number, &c->shape.limit) != 0)
			return error_set(err, EINVAL,
					 "'%.*s' is not one of graph, fractal, flat, folded, none, "
					 "caller, callee, percent, period, count, function, "
					 "or a number",
					 (int)(len < 80 ? len : 80), at);
		nr_numbers++;
	}
	return 0;
}

static int opt_inverted(const struct option_use *use, struct error *err)
{
	struct report_command *c = use->into;

	(void)err;
	c->caller_first = c->order_given = true;
	return 0;
}

static int opt_inline(const struct option_use *use, struct error *err)
{
	(void)err;
	((struct report_command *)use->into)->no_inline = use->unset;
	return 0;
}

#define FLAG(s, l, h, fn) OPT_CALLBACK_FLAGS(s, l, NULL, h, fn, OPTION_NOARG | OPTION_NEGATABLE)

const struct option report_options[] = {
	OPT_GROUP("Output"),
	OPT_STRING('s', "sort", struct report_command, sort, "<list>",
		   "the fields that samples are grouped by:" FIELD_NAMES),
	OPT_STRING('F', "fields", struct report_command, fields, "<list>",
		   "the columns, from the same fields"),
	OPT_CALLBACK_FLAGS(
		'g', "call-graph", "<how>",
		"call trees: graph, fractal, flat, folded or none, the least percentage, "
		"caller or callee first, percent, period or count",
		opt_graph, OPTION_OPTARG | OPTION_NEXT_WORD),
	OPT_FLAG_CALLBACK('G', "inverted", "as -g caller", opt_inverted),
	FLAG(0, "children", "count what a function calls for it, too", opt_children),
	FLAG(0, "inline", "inlined functions in callchains, which is the default", opt_inline),
	OPT_BOOL('n', "show-nr-samples", struct report_command, show_samples,
		 "a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", struct report_command, show_period,
		 "a column with the sum of their periods"),
	OPT_CALLBACK(0, "percent-limit", "<percent>", "only rows and branches with at least this",
		     opt_percent_limit),
	OPT_CALLBACK(0, "percentage", "relative|absolute",
		     "of the samples that the filters let through, or of all", opt_percentage),
	OPT_CALLBACK('w', "column-widths", "<width,...>", "of the columns; 0: as wide as needed",
		     opt_widths),
	OPT_STRING('t', "field-separator", struct report_command, separator, "<separator>",
		   "between columns, instead of blanks"),
	OPT_BOOL(0, "full-source-path", struct report_command, full_source_path,
		 "whole paths of source files"),
	OPT_CALLBACK(0, "format", "<format>", "one of: text json csv", opt_format),
	OPT_STRING(0, "kallsyms", struct report_command, kallsyms, "<file>",
		   "kernel symbols, as /proc/kallsyms of the recorded boot has them"),
	OPT_STRING('k', "vmlinux", struct report_command, vmlinux, "<file>",
		   "the image of the recorded kernel: its functions and source lines"),
	OPT_BOOL(0, "stdio", struct report_command, stdio, "text, which is all there is"),
	OPT_BOOL(0, "tui", struct report_command, tui, "refused: there is only text"),
	OPT_BOOL(0, "gtk", struct report_command, gtk, "refused: there is only text"),
	OPT_GROUP("Which samples"),
	OPT_INCLUDE_FOR(struct report_command, filter, sample_filter_options),
	OPT_STRING('d', "dsos", struct report_command, dsos, "<dso,...>",
		   "in these programs and libraries"),
	OPT_STRING('S', "symbols", struct report_command, symbols, "<symbol,...>",
		   "in these functions"),
	OPT_BOOL('U', "hide-unresolved", struct report_command, hide_unresolved,
		 "only where the function is known"),
	OPT_INCLUDE_FOR(struct report_command, input, recording_input_options),
	OPT_INCLUDE_FOR(struct report_command, files, user_files_options),
	OPT_END(),
};

void report_command_init(struct report_command *c)
{
	*c = (struct report_command){.form = &form_text, .shape.min_percent = MIN_PERCENT};
	recording_input_init(&c->input);
	sample_filter_init(&c->filter);
}

int report_command_check(const struct report_command *c, struct error *err)
{
	struct histogram_fields f = {.nr = 0};

	if (c->tui || c->gtk)
		return error_set(err, EOPNOTSUPP, "there is no %s here, only text (--stdio)",
				 c->tui ? "browser (--tui)" : "window (--gtk)");
	if (c->sort && fields_parse(&f, c->sort + (*c->sort == '+'), err))
		return -EINVAL;
	return c->fields ? fields_parse(&f, c->fields, err) : 0;
}

/* ---- settings for a recording ---- */

static bool only_tracepoints(const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->type != PERF_TYPE_TRACEPOINT && !facts->events[i]->is_dummy)
			return false;
	return facts->nr_events > 0;
}

static bool has_callchains(const struct source_facts *facts)
{
	bool has = false;

	for (size_t i = 0; i < facts->nr_events; i++)
		has |= facts->events[i]->has_callchain;
	return has;
}

/* The default sort keys, as in stock. */
static int usual_fields(const struct report_command *c, const struct source_facts *facts,
			struct histogram_fields *f, struct error *err)
{
	if (c->sort && *c->sort != '+')
		return fields_parse(f, c->sort, err);
	if (c->fields && !c->sort)
		return 0;
	if (fields_parse(f, only_tracepoints(facts) ? "trace" : "comm,dso,symbol", err))
		return -EINVAL;
	return c->sort ? fields_parse(f, c->sort + 1, err) : 0;
}

int report_columns_init(struct profile_report *columns, const struct report_command *c,
			const struct source_facts *facts, struct histogram_options *rows,
			struct error *err)
{
	const bool callchains = has_callchains(facts);
	struct histogram_fields sort = {.nr = 0}, *show = &columns->columns, *order = &rows->order;

	if (usual_fields(c, facts, &sort, err))
		return -EINVAL;
	rows->children = callchains && (!c->children_given || c->children);
	rows->trees = callchains && !c->no_graph;
	rows->caller_first = c->order_given ? c->caller_first : rows->children;
	rows->hide_unresolved = c->hide_unresolved;
	rows->relative = c->relative;
	rows->min_percent = c->min_percent;
	rows->shape = c->shape;

	if (c->fields && fields_parse(show, c->fields, err))
		return -EINVAL;
	if (!c->fields) {
		if (rows->children)
			fields_add(show, FIELD_CHILDREN);
		fields_add(show, FIELD_OVERHEAD);
		if (c->show_samples)
			fields_add(show, FIELD_SAMPLES);
		if (c->show_period)
			fields_add(show, FIELD_PERIOD);
		*order = *show;
	}
	for (size_t i = 0; i < sort.nr; i++) {
		fields_add(show, sort.v[i]);
		fields_add(order, sort.v[i]);
	}
	for (size_t i = 0; i < show->nr; i++) {
		fields_add(order, show->v[i]);
		if (show->v[i] < HISTOGRAM_KEYS)
			fields_add(&rows->keys, show->v[i]);
	}
	columns->children = rows->children;
	columns->trees = rows->trees;
	columns->comments = !c->input.quiet;
	memcpy(columns->widths, c->widths, sizeof(columns->widths));
	return 0;
}
