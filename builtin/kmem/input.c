// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/input.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "builtin/recording-input.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/cli/progress.h"
#include "util/kmem/symbol_match.h"
#include "util/dump/take.h"
#include "util/usersym/user_hint.h"
#include "util/usersym/user_stacks.h"

const char kmem_input_default[] = "perf.data";

int kmem_input_add_kallsyms(struct kmem_input *in, const char *path, unsigned int max,
			    struct error *err)
{
	if (in->nr_kallsyms == max)
		return error_set(err, E2BIG, "more than %u symbol files", max);
	in->kallsyms[in->nr_kallsyms++] = path;
	return 0;
}

static int opt_kallsyms(const struct option_use *use, struct error *err)
{
	struct kmem_input *in = use->into;

	if (in->nr_kallsyms)
		return error_set(err, EINVAL, "a second one is for diff");
	return kmem_input_add_kallsyms(in, use->arg, 1, err);
}

static int opt_input_format(const struct option_use *use, struct error *err)
{
	struct kmem_input *in = use->into;

	in->format = use->arg;
	return event_source_check_word(use->arg, err);
}

const struct option kmem_reading_options[] = {
	OPT_CALLBACK(0, "input-format", "<format>",
		     "what the input is, instead of finding out; one of:" EVENT_SOURCE_NAMES,
		     opt_input_format),
	OPT_BOOL('f', "force", struct kmem_input, force, "read it even if it is someone else's"),
	OPT_STRING(0, "tracefs", struct kmem_input, tracefs_dir, "<dir>",
		   "a tracefs of the recorded kernel, or a copy of one: event formats for a "
		   "recording that has none"),
	OPT_INCLUDE_FOR(struct kmem_input, files, user_files_options),
	OPT_U64_BOUNDED('j', "jobs", struct kmem_input, jobs, "<n>",
			"threads to read with (as many as there are CPUs)", 1, 1024),
	OPT_BOOL(0, "version", struct kmem_input, show_version, "print only the version"),
	OPT_COUNT('v', "verbose", struct kmem_input, verbose, "print more"),
	OPT_BOOL('q', "quiet", struct kmem_input, quiet,
		 "only the report: no opening lines, no progress, no warnings"),
	OPT_END(),
};

const struct option kmem_input_options[] = {
	OPT_GROUP("The recording"),
	OPT_STRING('i', "input", struct kmem_input, path, "<file>",
		   "the recording to read (perf.data; - for a pipe)"),
	OPT_CALLBACK(0, "kallsyms", "<file>",
		     "kernel symbols, as /proc/kallsyms of the recorded boot has them",
		     opt_kallsyms),
	OPT_INCLUDE(kmem_reading_options),
	OPT_END(),
};

/* The symbol file of the n-th recording (one file is used for all). NULL if none. */
static const char *kallsyms_of(const struct kmem_input *in, unsigned int recording)
{
	unsigned int i = recording < in->nr_kallsyms ? recording : 0;

	return in->nr_kallsyms && *in->kallsyms[i] ? in->kallsyms[i] : NULL;
}

static void warn_stopped(const struct source_facts *r)
{
	char far[SOURCE_STOP_BUF];

	log_warn("'%s': stopped at %s, the last event at %.6f s; what comes later is not counted",
		 r->path, source_facts_stop_text(r, far, sizeof(far)), (double)r->last_ns / 1e9);
}

static void warn_filter(const struct kmem_pipeline *a)
{
	const bool allocations =
		a->decoding.nr_rows || accounts_any(a->chosen, ACCOUNTS_ALLOCATORS);
	struct strbuf why = STRBUF_INIT;

	if (a->decoding.has_filter &&
	    kmem_filter_explain(a->options.filter, &a->decoding.tally, &a->naming,
				allocations ? "allocation" : "event", &why))
		log_warn("%s", why.buf);
	strbuf_deinit(&why);
}

/* Warn about user-space files of another machine, or that were replaced since; -v: about all of
 * them. */
#define UNKNOWN_FILES_LISTED 3

static void warn_unknown_file(void *ctx, const char *why_not)
{
	(void)ctx;
	log_warn("%s: its functions are addresses", why_not);
}

static void warn_unknown_files(const struct kmem_pipeline *a)
{
	const size_t limit = log_level() >= LOG_INFO ? SIZE_MAX : UNKNOWN_FILES_LISTED;
	size_t nr = a->naming.user
			    ? user_stacks_unknown(a->naming.user, limit, warn_unknown_file, NULL)
			    : 0;

	if (a->options.user_stacks && !a->naming.user)
		log_warn("'%s' has no user callchains: record with --user-stacks", a->facts->path);
	if (nr > limit)
		log_warn("%zu more programs and libraries have no names either (-v lists them)",
			 nr - limit);
	if (a->naming.user && a->naming.user->no_unwinder)
		log_warn("user stacks are not unwound: %s", a->naming.user->no_unwinder);
}

void kmem_input_hint(const struct kmem_pipeline *a)
{
	struct strbuf hint = STRBUF_INIT;

	if (a->naming.user && user_hint_add(a->naming.user, &hint))
		log_warn("%s", hint.buf);
	strbuf_deinit(&hint);
}

static void warn_bad_samples(const struct source_facts *r)
{
	const char *first = NULL;
	uint64_t nr = 0;
	size_t others = 0;

	for (size_t i = 0; i < r->nr_events; i++) {
		if (!r->events[i]->nr_bad)
			continue;
		nr += r->events[i]->nr_bad;
		others += first != NULL;
		first = first ? first : r->events[i]->name;
	}
	if (others)
		log_warn("'%s': %" PRIu64
			 " samples of %s and %zu other events could not be decoded",
			 r->path, nr, first, others);
	else if (nr)
		log_warn("'%s': %" PRIu64 " samples of %s could not be decoded", r->path, nr,
			 first);
}

static void warn_sample(const struct kmem_pipeline *a)
{
	uint64_t one_in = accounts_sample_one_in(&a->accounts);

	if (one_in > 1)
		log_warn("more than %" PRIu64
			 " objects or blocks of pages were live at a time: one in %" PRIu64
			 " was followed, and figures of live memory and frees are estimates "
			 "(--memory, --max-live)",
			 a->options.bounds.max_live, one_in);
}

/* Warn of parts that were left out because of limits that grow with the size of the recording. */
static void warn_limits(const struct kmem_pipeline *a)
{
	const struct user_stacks *user = a->naming.user;

	if (a->accounts.limit.reached && a->facts->is_live)
		log_warn("counted allocations as [others]: too many different ones for --memory");
	else if (a->accounts.limit.reached)
		log_warn("'%s': counted allocations as [others]: too many different ones for a "
			 "file of this size",
			 a->facts->path);
	if (a->decoding.completer.cut_stacks ||
	    (user && (user->nr_left_out || user->chains.nr_left_out)))
		log_warn("'%s': cut callchains: too many different ones for a file of this size",
			 a->facts->path);
}

void kmem_input_warn(const struct kmem_pipeline *a)
{
	const struct source_facts *r = a->facts;
	const struct source_damage *d = &r->damage;
	const struct source_span span = source_facts_span(r);
	bool callsites = kmem_options_nr_tables(&a->options) != 0;
	uint64_t undelivered = 0;

	if (r->stop.stopped)
		warn_stopped(r);
	recording_input_warn_damage(r, ", the report covers the readable part");
	warn_bad_samples(r);
	warn_sample(a);
	warn_limits(a);
	for (size_t i = 0; i < r->nr_events; i++)
		undelivered += r->events[i]->nr_undelivered;
	/* a few in a thousand are missing on any busy machine */
	if (undelivered > (undelivered + r->nr_samples) / 100)
		log_warn("'%s': %" PRIu64
			 " events (%.1f%%) were counted but never delivered, most of them frees by "
			 "softirqs over an idle CPU: what those freed is shown as live",
			 r->path, undelivered,
			 100.0 * (double)undelivered / (double)(undelivered + r->nr_samples));
	if (a->decoding.nr_rows && r->live_unknown && !a->options.ticks.interval)
		log_warn("the kernel counted by itself: which allocations were freed is not "
			 "known; Freed is what the functions free, and live, ping-pong and "
			 "lifetimes are shown as 0");
	else if (a->decoding.nr_rows && !r->live_unknown && !r->limits)
		log_warn("'%s' holds counts, not events: ping-pong, unseen frees and how long "
			 "objects lived are not known, and shown as 0",
			 r->path);
	if (source_facts_period(r) > 1)
		log_warn("'%s': one event in %" PRIu64
			 " was recorded (record -c): figures count only those, and most "
			 "frees of objects shown as live were not recorded",
			 r->path, source_facts_period(r));
	if (d->nr_unknown_records)
		log_info("%" PRIu64 " records of unknown types were skipped",
			 d->nr_unknown_records);
	warn_filter(a);
	if (kmem_symbol_file_is_useless(a))
		log_warn("'%s' names no address of '%s': it is of another kernel or boot",
			 a->options.kallsyms_path, r->path);
	if (a->naming.symbols.note[0])
		log_warn("%s", a->naming.symbols.note);
	if (!symbols_any(&a->naming.symbols) && callsites)
		log_warn("call sites are addresses: %s", a->naming.symbols.why_not);
	warn_unknown_files(a);
	if (r->nr_samples && !a->decoding.nr_in_window)
		log_warn("no event lies in the time span; the recording runs from %.6f to %.6f",
			 (double)span.start_ns / 1e9, (double)span.stop_ns / 1e9);
}

/* The signal that requested a stop; 0 if none. */
static volatile sig_atomic_t stop_signal;

static const int stop_signals[] = {SIGINT, SIGTERM};

#define NR_STOP_SIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

struct reading {
	struct progress progress;
	bool show;
	struct sigaction old[NR_STOP_SIGNALS];
};

/* The next signal, of either kind, ends the program at once. */
static void on_stop_signal(int sig)
{
	stop_signal = sig;
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		signal(stop_signals[i], SIG_DFL);
}

/*
 * Without SA_RESTART, so that a blocking read() of a pipe returns. Ignored signals (nohup) stay
 * ignored. If a signal has already come, for an earlier recording, the next one ends the program.
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

static int report_progress(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	struct reading *r = ctx;

	if (r->show)
		progress_update(&r->progress, now_ns(), bytes, bytes_total, nr_samples);
	return stop_signal;
}

/* Advice for a missing recording. */
static const char *hint(const struct kmem_input *in, const char *path, char *buf, size_t size)
{
	const char *needs = snapshot_text_needs(path);

	if (needs)
		snprintf(buf, size, "this kernel has none: %s", needs);
	else
		snprintf(buf, size, "make one with 'perf kmem record'%s",
			 path == kmem_input_default
				 ? ", name another with -i, or watch this machine: --duration 10s"
			 : path == in->path ? ", or name another with -i"
					    : "");
	return buf;
}

/* Kinds of rows to ask a snapshot for: its areas of vmalloc space only if they are wanted. */
static uint32_t kinds_of(const struct kmem_options *options)
{
	uint32_t kinds = 0;

	if (!options->wanted[ACCOUNT_vmalloc])
		return 0;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (options->wanted[i] && account_table[i]->allocator)
			kinds |= KIND_BIT(account_table[i]->allocator->alloc);
	return kinds;
}

static int read_source(struct kmem_input *in, struct reading *r, const char *path,
		       const struct kmem_options *options, struct event_source **ret_source,
		       struct kmem_pipeline *a, struct error *err)
{
	char missing[128];
	const struct source_options how = {.format = in->format,
					   .if_missing = hint(in, path, missing, sizeof(missing)),
					   .force = in->force,
					   .jobs = (unsigned int)in->jobs,
					   .progress = report_progress,
					   .progress_ctx = r,
					   .kinds = kinds_of(options)};
	struct event_source *source;
	int ret = event_source_open(path, &how, &source, err);

	if (ret)
		return ret;
	ret = kmem_pipeline_run(a, source, options, err);
	if (ret)
		event_source_free(source);
	else
		*ret_source = source;
	return ret;
}

void kmem_input_apply(const struct kmem_input *in, unsigned int recording,
		      struct kmem_options *options)
{
	options->jobs = (unsigned int)in->jobs;
	options->tracefs_dir = in->tracefs_dir;
	options->search = &in->files.search;
	options->kallsyms_path = kallsyms_of(in, recording);
}

int kmem_input_read(struct kmem_input *in, const char *path, unsigned int recording,
		    const struct kmem_options *options, struct event_source **ret_source,
		    struct kmem_pipeline *a, struct error *err)
{
	struct reading r = {.show = !in->quiet && isatty(STDERR_FILENO) &&
				    !options->ticks.interval};
	struct kmem_options o = *options;
	int ret;

	kmem_input_apply(in, recording, &o);
	if (stop_signal)
		return error_set(err, ECANCELED, "stopped before '%s' was read", path);
	progress_init(&r.progress, stderr, now_ns());
	catch_signals(&r);
	ret = read_source(in, &r, path, &o, ret_source, a, err);
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		sigaction(stop_signals[i], &r.old[i], NULL);
	progress_clear(&r.progress);
	in->signal = stop_signal;
	if (ret)
		return ret;
	kmem_input_warn(a);
	in->partial |= a->facts->damage.what[0] != '\0';
	return 0;
}
