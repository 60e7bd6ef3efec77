// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem top: shows at each interval who allocates, holds and gains kernel memory. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/command.h"
#include "builtin/kmem/blocks.h"
#include "builtin/kmem/common.h"
#include "builtin/kmem/top_settings.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/units.h"
#include "util/watch/live_kinds.h"
#include "util/top/report_top.h"
#include "util/top/screen.h"

#define DELAY_DEFAULT_NS 1000000000ULL
#define DELAY_MIN_NS	 50000000ULL

/* Default number of rows in a block of text. */
#define LINES_TEXT 20

struct top_command {
	struct kmem_cli cli;
	const struct kmem_top_settings *kept;
	uint64_t delay_ns;
	uint64_t count; /* number of intervals; 0: no limit */
	bool once;
	bool stacks;
	bool total;
	unsigned int order; /* index for top_column_at(); TOP_COLUMNS if not given */
	bool ascending;
};

/* ---- options --------------------------------------------------------------------------------- */

static int opt_delay(const struct option_use *use, struct error *err)
{
	struct top_command *t = use->into;
	uint64_t ns;

	if (units_parse_time(use->arg, 1000000000, &ns))
		return error_set(err, EINVAL, "'%s' is not a time (2, 500ms, 1m)", use->arg);
	if (ns < DELAY_MIN_NS)
		return error_set(err, ERANGE, "'%s' is too short: at least 50ms", use->arg);
	t->delay_ns = ns;
	return 0;
}

static int opt_by(const struct option_use *use, struct error *err)
{
	struct top_command *t = use->into;

	if (t->cli.tables.nr)
		return error_set(err, EINVAL, "top groups by one list of keys at a time");
	return kmem_tables_add(&t->cli.tables, TABLE_BY, use->arg, err);
}

static int error_not_a_column(const char *name, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (unsigned int i = 0; i < TOP_COLUMNS; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", top_column_at(i)->name);
	ret = error_set(err, EINVAL, "'%s' is not a column of top (those are: %s)", name,
			known.buf);
	strbuf_deinit(&known);
	return ret;
}

static int opt_sort(const struct option_use *use, struct error *err)
{
	struct top_command *t = use->into;

	t->ascending = use->arg[0] == '-';
	t->order = top_column_find(use->arg + t->ascending);
	return t->order == TOP_COLUMNS ? error_not_a_column(use->arg + t->ascending, err) : 0;
}

static const struct option table[] = {
	OPT_GROUP("Contents"),
	OPT_INCLUDE_FOR(struct top_command, cli.kmem, kmem_allocator_options),
	OPT_CALLBACK(0, "by", "<key>[,<key>...]",
		     "group by these first (callsite); any of:" KMEM_KEY_NAMES, opt_by),
	OPT_BOOL('g', "stacks", struct top_command, stacks,
		 "also collect call stacks of the kernel and of programs: groupings, and in a "
		 "row's details"),
	OPT_CALLBACK('s', "sort", "<column>",
		     "sort by this column, largest first; -column: smallest first. One of: hits/s "
		     "bytes/s frees/s hit bytes freed live live-hit growth suspect",
		     opt_sort),
	OPT_BOOL(0, "total", struct top_command, total,
		 "begin with sums since the start, not with rates"),
	OPT_INCLUDE_FOR(struct top_command, cli.filters, kmem_filter_options),
	OPT_GROUP("How often, and how to show it"),
	OPT_CALLBACK('d', "delay", "<time>", "length of an interval (1s; 500ms, 1m)", opt_delay),
	OPT_U64_BOUNDED('n', "count", struct top_command, count, "<n>", "end after n intervals", 1,
			UINT64_MAX),
	OPT_BOOL(0, "once", struct top_command, once, "one interval, not redrawn"),
	OPT_INCLUDE_FOR(struct top_command, cli, kmem_interval_format_options),
	OPT_INCLUDE_FOR(struct top_command, cli, kmem_print_options),
	OPT_INCLUDE_FOR(struct top_command, cli.live, kmem_live_options),
	OPT_BOOL(
		0, "in-kernel", struct top_command, cli.live.in_kernel,
		"let the kernel count slab objects by call site and cache, and send no events: for "
		"machines too busy for that; what is live is not known then"),
	OPT_INCLUDE_FOR(struct top_command, cli.input, kmem_input_options),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem top [<options>] [-- <command> [<args>]]", NULL};
static const struct options options = {"perf kmem top", usage, table, .siblings = kmem_subcommands};

/* ---- intervals ------------------------------------------------------------------------------- */

struct top_run {
	const struct top_command *command;
	struct top_groupings groupings[ACCOUNTS_NR];
	struct top_collector collector;
	struct tick_interval interval; /* the latest interval */
	uint64_t nr;		       /* number of intervals */
	bool is_replay;		       /* reading a recording: waiting loses no events */
	/* on a terminal */
	struct top_screen *screen;
	struct top_view view;
	struct top_mailbox mailbox;
	/* without a terminal */
	struct kmem_blocks blocks;
	struct top_block block;
	const struct kmem_pipeline *pipeline; /* while a block is written */
};

/* Send the frame that the view requested last. */
static int put_frame(struct top_run *r, struct kmem_pipeline *p, const struct top_request *request)
{
	struct top_frame *frame;
	int ret = top_collect(&r->collector, p, request, r->interval, &frame);

	if (!ret)
		top_mailbox_put(&r->mailbox, frame);
	return ret;
}

/* Answer the user's requests. Returns > 0 to quit. */
static int answer(struct top_run *r, struct kmem_pipeline *p, bool always, bool *ret_paused)
{
	struct top_request request;
	enum top_action action = top_mailbox_look(&r->mailbox, &request, ret_paused);
	int ret = action == TOP_STOP;

	if (!ret && r->nr && (always || action == TOP_ANSWER)) {
		ret = kmem_pipeline_settle(p);
		if (!ret)
			ret = put_frame(r, p, &request);
	}
	top_request_deinit(&request);
	return ret;
}

/* A recording is played at the pace of the intervals. At its end, wait until the user quits. */
static int play(struct top_run *r, struct kmem_pipeline *p)
{
	uint64_t until_ns = now_ns() + r->command->delay_ns;
	struct pollfd wake = {.fd = r->mailbox.wake_fd, .events = POLLIN};
	bool paused = false;
	int ret = 0;

	while (!ret) {
		uint64_t now = now_ns();
		int wait_ms = -1;

		if (!r->interval.last && !paused && now >= until_ns)
			break;
		if (!r->interval.last && !paused)
			wait_ms = (int)((until_ns - now) / 1000000) + 1;
		/* a signal stops the reading */
		if (poll(&wake, 1, wait_ms) < 0)
			return 1;
		ret = answer(r, p, false, &paused);
	}
	return ret;
}

static int show(struct top_run *r, struct kmem_pipeline *p)
{
	bool paused;
	int ret = answer(r, p, true, &paused);

	if (!ret && r->interval.last)
		top_mailbox_close(&r->mailbox);
	if (!ret && r->is_replay)
		ret = play(r, p);
	return ret;
}

/* A kmem_block_fn. */
static int write_interval(FILE *out, void *ctx)
{
	struct top_run *r = ctx;
	const struct kmem_cli *cli = &r->command->cli;

	return top_report_write(out, cli->form, &cli->report, &r->collector, &r->block, r->pipeline,
				r->interval);
}

static int write_block(struct top_run *r, struct kmem_pipeline *p)
{
	r->pipeline = p;
	r->block.nr_skipped = r->blocks.nr_skipped;
	return kmem_blocks_put(&r->blocks,
			       r->is_replay || r->interval.last || r->nr == r->command->count,
			       write_interval, r);
}

static void end_screen(struct top_run *r)
{
	top_screen_close(r->screen);
	r->screen = NULL;
}

static int on_interval(void *ctx, struct kmem_pipeline *p, struct tick_interval interval)
{
	struct top_run *r = ctx;
	int ret;

	r->interval = interval;
	r->nr++;
	ret = top_collector_next(&r->collector, p, interval);
	if (!ret)
		ret = r->screen ? show(r, p) : write_block(r, p);
	if (!ret && r->nr == r->command->count)
		ret = 1;
	/* messages after the reading must not disturb the screen */
	if (ret || interval.last)
		end_screen(r);
	return ret;
}

static int on_tick(void *ctx, struct kmem_pipeline *p)
{
	struct top_run *r = ctx;
	bool paused;
	int ret = r->screen ? answer(r, p, false, &paused) : 0;

	if (ret)
		end_screen(r);
	return ret;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check(void *command, int argc, const char **argv, struct error *err)
{
	struct top_command *t = command;
	int ret = kmem_blocks_check(&t->cli, "top has", t->once || t->count == 1, err);

	(void)argc, (void)argv;
	if (ret)
		return ret;
	if (t->cli.live.in_kernel && t->stacks)
		return error_set(err, EINVAL, "--in-kernel collects no call stacks: no -g");
	if (t->cli.live.in_kernel && t->order < TOP_COLUMNS &&
	    top_needs_live(top_column_at(t->order)->name))
		return error_set(err, EINVAL,
				 "--in-kernel does not know what is live: sort by hits/s, bytes/s, "
				 "frees/s, hit, bytes or freed");
	if (t->once)
		t->count = 1;
	return 0;
}

/* The first account that was asked for; the default one if there is none. */
static int first_account(const struct kmem_options *o)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (o->wanted[i])
			return i;
	return 0;
}

/* Let leak judge the rows, as far as the source has the keys for it. */
static void judge_rows(struct kmem_options *o, int account)
{
	struct table_spec *t = &o->tables[account].v[0];
	const unsigned int nr_by = t->nr_by;

	leak_grouped_prepare(t, account_table[account]->allocator->leak);
	for (unsigned int i = nr_by; i < t->nr_by; i++)
		o->optional_keys |= KEY_BIT(t->by[i]);
}

/* Select the tables and the initial view. */
static void choose(struct top_run *r, struct kmem_cli *cli)
{
	const struct top_command *t = r->command;
	static const struct kmem_table none = {.nr_by = 0};
	const struct kmem_table *by = cli->tables.nr ? &cli->tables.v[0] : &none;
	struct kmem_options *o = &cli->kmem;
	key_mask_t keys = cli->live.in_kernel ? LIVE_COUNTED_KEYS : ~(key_mask_t)0;

	if (!t->stacks && !r->is_replay)
		keys &= ~KEY_BIT(KEY_STACK);
	/* those of a recording may have to be unwound */
	if (!t->stacks)
		keys &= ~KEY_BIT(KEY_USTACK);
	top_view_init(&r->view);
	o->optional_keys = KEY_BIT(KEY_CGROUP) | KEY_BIT(KEY_USTACK);
	for (unsigned int k = 0; k < by->nr_by; k++)
		o->optional_keys &= ~KEY_BIT(by->by[k]);
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		enum allocator allocator = account_allocator_bit(i);
		bool fits = true;

		if (!allocator)
			continue;
		for (unsigned int k = 0; k < by->nr_by; k++)
			fits &= (kmem_key_allocators(by->by[k]) & allocator) != 0;
		top_groupings_init(&r->groupings[i], allocator, by->by, fits ? by->nr_by : 0, keys);
		o->tables[i].v[0] = r->groupings[i].table;
		if (!cli->live.in_kernel)
			judge_rows(o, i);
		o->tables[i].nr = 1;
		r->collector.groupings[i] = &r->groupings[i];
		r->block.requests[i] = (struct top_request){
			.account = i, .grouping = r->groupings[i].first, .ascending = t->ascending};
		r->view.groupings[i] = r->groupings[i].names;
		r->view.nr_groupings[i] = r->groupings[i].nr;
	}
	r->collector.raw_ip = cli->report.raw_ip;
	r->view.total = r->block.total = t->total;
	r->view.live_unknown = cli->live.in_kernel;
	r->view.ascending = t->ascending;
	r->view.interval_ns = t->delay_ns;
	r->view.source = r->is_replay ? cli->input.path : NULL;
	if (t->order < TOP_COLUMNS)
		r->view.order[t->total] = t->order;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		r->block.requests[i].order = r->view.order[t->total];
	r->view.request = r->block.requests[first_account(o)];
}

/* The kept settings are the screen's only, so that text stays what scripts expect. */
static void apply_kept(struct top_run *r, const struct kmem_cli *cli)
{
	const struct kmem_top_settings *kept = r->command->kept;
	struct top_request *request = &r->view.request;

	r->view.keep = top_settings_keep;
	top_settings_apply(kept, &r->view, r->command->order < TOP_COLUMNS || r->command->total);
	request->order = r->view.order[r->view.total];
	request->ascending = r->view.ascending;
	if (!cli->tables.nr)
		request->grouping = top_settings_grouping(kept, &r->groupings[request->account]);
}

static bool wants_screen(const struct top_command *t)
{
	const char *term = getenv("TERM");

	return top_screen_exists() && !t->once && !t->cli.output &&
	       t->cli.form->audience == FOR_PEOPLE && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static int open_screen(struct top_run *r, struct error *err)
{
	int ret = top_mailbox_init(&r->mailbox, &r->view.request);

	if (ret)
		return error_set_errno(err, -ret, "cannot start the screen");
	ret = top_screen_open(&r->screen, stdin, stdout, &r->view, &r->mailbox, err);
	if (ret)
		top_mailbox_deinit(&r->mailbox);
	return ret;
}

static int open_output(struct top_run *r, struct kmem_cli *cli, struct error *err)
{
	r->block.lines = kmem_tables_lines(&cli->tables);
	if (r->block.lines == LINES_ALL && cli->form->audience == FOR_PEOPLE)
		r->block.lines = LINES_TEXT;
	return kmem_blocks_open(&r->blocks, cli, err);
}

static int follow(struct top_run *r, struct kmem_cli *cli, struct error *err)
{
	struct event_source *source;
	struct kmem_pipeline p;
	int ret;

	cli->kmem.ticks = (struct kmem_ticks){.interval_ns = r->command->delay_ns,
					      .interval = on_interval,
					      .poll = on_tick,
					      .ctx = r};
	/* dead rows whose sparkline is empty */
	cli->kmem.bounds.idle_ticks = RECENT_MOMENTS;
	ret = kmem_cli_read(cli, &source, &p, err);
	end_screen(r);
	if (ret)
		return ret;
	kmem_pipeline_deinit(&p);
	event_source_free(source);
	return 0;
}

static int run(void *command, const char **argv, struct error *err)
{
	struct top_command *t = command;
	struct kmem_cli *cli = &t->cli;
	struct top_run r = {.command = t, .is_replay = !kmem_live_wanted(&cli->live)};
	bool screen = wants_screen(t);
	int ret = kmem_cli_prepare(cli, err);

	(void)argv;
	if (ret)
		return ret;
	choose(&r, cli);
	if (screen)
		apply_kept(&r, cli);
	ret = screen ? open_screen(&r, err) : 0;
	if (ret == -ENOTTY) {
		log_warn("%s: printing text instead", err->msg);
		screen = false;
		ret = 0;
	}
	if (!ret && !screen)
		ret = open_output(&r, cli, err);
	if (!ret) {
		ret = follow(&r, cli, err);
		if (screen)
			top_mailbox_deinit(&r.mailbox);
		else
			ret = kmem_blocks_close(&r.blocks, ret, err);
	}
	top_collector_deinit(&r.collector);
	top_view_deinit(&r.view);
	return ret;
}

static int run_top(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {
		"top",		 .options = &options, .takes_command = true,
		.is_live = true, .human = true,	      .check = check,
		.run = run};
	const struct kmem_config *kmem_config = config;
	struct top_command t = {
		.kept = &kmem_config->top, .delay_ns = DELAY_DEFAULT_NS, .order = TOP_COLUMNS};

	return kmem_cli_run(&report, &t.cli, &t, config, argc, argv);
}

const struct subcommand kmem_top = {
	.name = "top",
	.help = "who allocates, holds and gains memory, redrawn at each interval",
	.options = &options,
	.run = run_top,
};
