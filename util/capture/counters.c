// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/counters.h"

#include <errno.h>
#include <unistd.h>

int counters_open(struct counters *c, const struct tracefs *t, const struct event_spec_list *events,
		  const struct open_target *target, bool on_exec, struct error *err)
{
	const struct evlist_config config = {.callchain = CALLCHAIN_NONE};
	int ret = evlist_init(&c->evlist, t, events, &config, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < c->evlist.nr; i++) {
		struct perf_event_attr *attr = &c->evlist.evsels[i].attr;

		*attr = (struct perf_event_attr){
			.type = PERF_TYPE_TRACEPOINT,
			.size = sizeof(*attr),
			.config = attr->config,
			.read_format =
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
			.disabled = 1,
			.inherit = target->nr_tids > 0,
			.enable_on_exec = on_exec,
		};
	}
	return evlist_open(&c->evlist, target, err);
}

void counters_deinit(struct counters *c)
{
	evlist_deinit(&c->evlist);
}

int counters_enable(struct counters *c, struct error *err)
{
	return evlist_enable(&c->evlist, err);
}

void counters_disable(struct counters *c)
{
	evlist_disable(&c->evlist);
}

int counters_read(const struct counters *c, struct counter_value *ret_values, struct error *err)
{
	for (size_t i = 0; i < c->evlist.nr; i++) {
		const struct evsel *e = &c->evlist.evsels[i];
		struct counter_value sum = {0};

		for (size_t j = 0; j < e->nr_fds; j++) {
			struct counter_value one;

			if (read(e->fds[j].fd, &one, sizeof(one)) != sizeof(one))
				return error_set(err, EIO, "cannot read the count of '%s:%s'",
						 e->system, e->name);
			sum.count += one.count;
			sum.enabled_ns += one.enabled_ns;
			sum.running_ns += one.running_ns;
		}
		ret_values[i] = sum;
	}
	return 0;
}
