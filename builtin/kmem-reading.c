// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: the person while a recording is read: progress on a terminal, a signal that ends it.
 */
#include "builtin/kmem.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "util/cli/progress.h"

/* The signal that asked to stop; 0: none. */
static volatile sig_atomic_t stop_signal;

static const int stop_signals[] = {SIGINT, SIGTERM};

#define NR_STOP_SIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

struct reading {
	struct progress progress;
	bool show;
	struct sigaction old[NR_STOP_SIGNALS];
};

/* The next one, of either, ends the program at once. */
static void on_stop_signal(int sig)
{
	stop_signal = sig;
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		signal(stop_signals[i], SIG_DFL);
}

/*
 * Without SA_RESTART, so that a read() that waits for a pipe ends.  What is ignored (nohup) stays
 * so, and when one has come, for an earlier recording, the next one ends the program.
 */
static void catch_signals(struct reading *r)
{
	struct sigaction action = {.sa_handler = on_stop_signal};

	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		sigaddset(&action.sa_mask, stop_signals[i]);
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++) {
		sigaction(stop_signals[i], NULL, &r->old[i]);
		if (r->old[i].sa_handler != SIG_IGN)
			sigaction(stop_signals[i], &action, NULL);
	}
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int tell(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	struct reading *r = ctx;

	if (r->show)
		progress_update(&r->progress, now_ns(), bytes, bytes_total, nr_samples);
	return stop_signal;
}

int kmem_cli_read(struct kmem_cli *cli, const char *path, struct event_source **ret_source,
		  struct kmem_analysis *a, struct error *err)
{
	struct reading r = {.show = !cli->quiet && isatty(STDERR_FILENO)};
	const struct source_options options = {.force = cli->force,
					       .jobs = (unsigned int)cli->jobs,
					       .progress = tell,
					       .progress_ctx = &r};
	struct kmem_options analysis = cli->analysis;
	struct event_source *source;
	int ret;

	analysis.jobs = (unsigned int)cli->jobs;
	if (stop_signal)
		return error_set(err, ECANCELED, "stopped before '%s' was read", path);
	progress_init(&r.progress, stderr, now_ns());
	catch_signals(&r);
	ret = event_source_open(path, &options, &source, err);
	if (!ret) {
		ret = kmem_analysis_run(a, source, &analysis, err);
		if (ret)
			event_source_free(source);
	}
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		sigaction(stop_signals[i], &r.old[i], NULL);
	progress_clear(&r.progress);
	cli->signal = stop_signal;
	if (!ret)
		*ret_source = source;
	return ret;
}
