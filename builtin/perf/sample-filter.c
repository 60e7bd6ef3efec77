// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/sample-filter.h"

#include <errno.h>

#include "util/base/timespan.h"
#include "util/base/word_list.h"

static int opt_time(const struct option_use *use, struct error *err)
{
	struct sample_filter *f = use->into;

	if (timespan_parse(use->arg, &f->start_ns, &f->stop_ns))
		return error_set(err, EINVAL, "'%.200s' is not START,STOP in seconds", use->arg);
	return 0;
}

static int opt_cpus(const struct option_use *use, struct error *err)
{
	struct sample_filter *f = use->into;

	return cpulist_parse(&f->cpus, use->arg, err);
}

static int set_ids(const char **ids, const char *arg, const char *what, struct error *err)
{
	if (!word_list_is_numbers(arg))
		return error_set(err, EINVAL, "'%.200s' is not a list of %s ids", arg, what);
	*ids = arg;
	return 0;
}

static int opt_pids(const struct option_use *use, struct error *err)
{
	return set_ids(&((struct sample_filter *)use->into)->pids, use->arg, "process", err);
}

static int opt_tids(const struct option_use *use, struct error *err)
{
	return set_ids(&((struct sample_filter *)use->into)->tids, use->arg, "thread", err);
}

const struct option sample_filter_cpu_options[] = {
	OPT_CALLBACK('C', "cpu", "<list>", "on these CPUs, such as 0-3,8", opt_cpus),
	OPT_END(),
};

const struct option sample_filter_options[] = {
	OPT_CALLBACK(0, "time", "<start>,<stop>", "those in this time span, in seconds", opt_time),
	OPT_STRING('c', "comms", struct sample_filter, comms, "<comm,...>", "of these commands"),
	OPT_CALLBACK(0, "pid", "<pid,...>", "of these processes", opt_pids),
	OPT_CALLBACK(0, "tid", "<tid,...>", "of these threads", opt_tids),
	OPT_INCLUDE(sample_filter_cpu_options),
	OPT_END(),
};

void sample_filter_init(struct sample_filter *f)
{
	*f = (struct sample_filter){.stop_ns = UINT64_MAX};
}

void sample_filter_deinit(struct sample_filter *f)
{
	cpulist_deinit(&f->cpus);
}

bool sample_filter_takes_sample(const struct sample_filter *f, const struct sample *sample)
{
	return sample->time_ns >= f->start_ns && sample->time_ns <= f->stop_ns &&
	       (!f->cpus.nr || cpulist_has(&f->cpus, sample->cpu));
}

bool sample_filter_takes_thread(const struct sample_filter *f, const char *comm, uint32_t pid,
				uint32_t tid)
{
	return word_list_has(f->comms, comm) && word_list_has_number(f->pids, pid) &&
	       word_list_has_number(f->tids, tid);
}
