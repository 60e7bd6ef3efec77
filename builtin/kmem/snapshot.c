// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem snapshot: saves the data that the kernel exports about its memory. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/out_file.h"
#include "util/base/units.h"
#include "util/dump/series_file.h"
#include "util/dump/take.h"
#include "util/where/collect.h"

#define NS_PER_SEC UINT64_C(1000000000)

/* Limits of --every and --for. */
#define MIN_NS (NS_PER_SEC / 10)
#define MAX_NS (3650 * 86400 * NS_PER_SEC)

struct snapshot_command {
	const char *output;
	uint64_t every_ns; /* 0: one snapshot */
	uint64_t for_ns;   /* 0: until a signal */
	uint64_t max_bytes;
	bool quiet;
	/* while it is running */
	struct out_file file;
	unsigned int nr_parts;
	struct strbuf archive; /* the next snapshot of a series */
	uint64_t nr;	       /* snapshots of the series so far */
};

static int take_time(const char *arg, uint64_t *ret_ns, struct error *err)
{
	if (units_parse_time(arg, NS_PER_SEC, ret_ns) || *ret_ns < MIN_NS || *ret_ns > MAX_NS)
		return error_set(err, EINVAL, "'%s' is not a time such as 10s, 5m or 1d", arg);
	return 0;
}

static int opt_every(const struct option_use *use, struct error *err)
{
	struct snapshot_command *c = use->into;

	return take_time(use->arg, &c->every_ns, err);
}

static int opt_for(const struct option_use *use, struct error *err)
{
	struct snapshot_command *c = use->into;

	return take_time(use->arg, &c->for_ns, err);
}

static const struct option table[] = {
	OPT_CALLBACK(0, "every", "<time>",
		     "a series: append a snapshot to the file at this interval (10s, 5m), without "
		     "the large texts",
		     opt_every),
	OPT_CALLBACK(0, "for", "<time>", "end the series after this time (30m, 1d)", opt_for),
	OPT_SIZE_BOUNDED(0, "max-size", struct snapshot_command, max_bytes, "<size>",
			 "end the series before the file becomes larger", 1, INT64_MAX),
	OPT_STRING('o', "output", struct snapshot_command, output, "<file>",
		   "the file to write (kmem.snapshot; - for standard output)"),
	OPT_BOOL('q', "quiet", struct snapshot_command, quiet, "print nothing but errors"),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem snapshot [<options>]", NULL};
static const struct options options = {"perf kmem snapshot", usage, table,
				       .siblings = kmem_subcommands};

static int write_bytes(void *ctx, const uint8_t *data, size_t len)
{
	struct snapshot_command *c = ctx;

	return out_file_append(&c->file, data, len);
}

static void report(void *ctx, const char *name, uint64_t bytes, const char *why)
{
	struct snapshot_command *c = ctx;
	char text[UNITS_BUF];

	c->nr_parts += !why;
	if (c->quiet)
		return;
	if (why)
		fprintf(stderr, "[ %s: %s ]\n", name, why);
	else
		log_info("%s: %s", name, units_bytes(text, sizeof(text), bytes));
}

static const struct snapshot_part holders = {COLLECT_PART, collect_holders};

static int take_one(struct snapshot_command *c, struct error *err)
{
	const struct snapshot_taking how = {
		.root = "", .part = &holders, .write = write_bytes, .report = report, .ctx = c};
	const struct out_file_how to_file = {.keep_old = true};
	char text[UNITS_BUF];
	int ret = out_file_open(&c->file, c->output, &to_file, err);

	if (!ret)
		ret = snapshot_take(&how, err);
	if (ret && !err->code)
		ret = error_set_errno(err, -ret, "cannot write '%s'", c->output);
	if (!ret)
		ret = out_file_publish(&c->file, err);
	if (!ret && !c->quiet)
		builtin_say("perf kmem snapshot", "wrote %s with %u parts to %s",
			    units_bytes(text, sizeof(text), c->file.len), c->nr_parts, c->output);
	return ret;
}

/* ---- a series -------------------------------------------------------------------------------- */

static int keep_bytes(void *ctx, const uint8_t *data, size_t len)
{
	struct snapshot_command *c = ctx;

	return strbuf_add(&c->archive, data, len);
}

/* Append a snapshot. Returns 1, 0 if the file would become too large, or an error. */
static int append_one(struct snapshot_command *c, struct series_file *f, struct error *err)
{
	const struct snapshot_taking how = {
		.root = "", .part = &holders, .is_series = true, .write = keep_bytes, .ctx = c};
	int ret;

	strbuf_reset(&c->archive);
	ret = snapshot_take(&how, err);
	if (ret)
		return ret;
	if (c->max_bytes && f->len + c->archive.len > c->max_bytes)
		return 0;
	ret = series_file_append(f, c->archive.buf, c->archive.len);
	if (ret)
		return error_set_errno(err, -ret, "cannot write '%s'", c->output);
	c->nr++;
	return 1;
}

/* The signals that end a series, blocked; those that are ignored (nohup) stay so. */
static void block_signals(sigset_t *ret_stops, sigset_t *ret_old)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

	sigemptyset(ret_stops);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct sigaction action;

		if (!sigaction(stops[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(ret_stops, stops[i]);
	}
	sigprocmask(SIG_BLOCK, ret_stops, ret_old);
}

/* Returns false if a signal came. */
static bool wait_until(uint64_t at_ns, const sigset_t *stops)
{
	for (;;) {
		const uint64_t now = now_ns(), left = at_ns > now ? at_ns - now : 0;
		const struct timespec time = {(time_t)(left / NS_PER_SEC),
					      (long)(left % NS_PER_SEC)};

		if (sigtimedwait(stops, NULL, &time) >= 0)
			return false;
		if (errno == EAGAIN && now_ns() >= at_ns)
			return true;
	}
}

/* Snapshots at whole intervals from the start; intervals that passed meanwhile are left out. */
static int append_all(struct snapshot_command *c, struct series_file *f, const sigset_t *stops,
		      struct error *err)
{
	const uint64_t start = now_ns(), end = c->for_ns ? start + c->for_ns : UINT64_MAX;
	uint64_t next = start;
	int ret;

	do {
		ret = append_one(c, f, err);
		if (ret <= 0)
			return ret;
		next += ((now_ns() - next) / c->every_ns + 1) * c->every_ns;
	} while (next <= end && wait_until(next, stops));
	return 0;
}

static int take_series(struct snapshot_command *c, struct error *err)
{
	char text[UNITS_BUF];
	struct series_file f;
	sigset_t stops, old;
	int ret = series_file_open(&f, c->output, err);

	if (ret)
		return ret;
	if (f.cut)
		log_warn("'%s': removed %" PRIu64 " bytes of an incomplete snapshot at its end",
			 c->output, f.cut);
	if (!c->quiet)
		builtin_say("perf kmem snapshot", "%s series %s%s; Ctrl-C ends it",
			    f.len ? "continuing the" : "writing a", f.len ? "" : "to ", c->output);
	block_signals(&stops, &old);
	ret = append_all(c, &f, &stops, err);
	if (!c->quiet)
		builtin_say("perf kmem snapshot", "wrote %" PRIu64 " snapshots to %s (%s)", c->nr,
			    c->output, units_bytes(text, sizeof(text), f.len));
	sigprocmask(SIG_SETMASK, &old, NULL);
	series_file_close(&f);
	return ret;
}

static int check_options(const struct snapshot_command *c, struct error *err)
{
	if (!c->every_ns && (c->for_ns || c->max_bytes))
		return error_set(err, EINVAL, "--for and --max-size are for a series (--every)");
	if (c->every_ns && out_file_is_stdout(c->output))
		return error_set(err, EINVAL, "a series needs a file: name one with -o");
	return 0;
}

static int run_snapshot(int argc, const char **argv, void *config)
{
	struct snapshot_command c = {
		.output = "kmem.snapshot", .file = OUT_FILE_INIT, .archive = STRBUF_INIT};
	struct error err = ERROR_INIT;
	int status = builtin_options(&options, &c, &argc, argv, 0);

	(void)config;
	if (status >= 0)
		return status;
	if (argc)
		return builtin_takes_none(&options, argv[0]);
	if (check_options(&c, &err)) {
		builtin_error(options.command, &err);
		return EXIT_USAGE;
	}
	status = (c.every_ns ? take_series(&c, &err) : take_one(&c, &err))
			 ? builtin_error(options.command, &err)
			 : 0;
	strbuf_deinit(&c.archive);
	out_file_deinit(&c.file);
	return status;
}

const struct subcommand kmem_snapshot = {
	.name = "snapshot",
	.help = "keep what the kernel says about its memory now",
	.options = &options,
	.run = run_snapshot,
};
