// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/evlist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/machine/user_regs.h"
#include "util/tracepoint/tracefs_formats.h"
#include "util/tracepoint/tracing_data.h"

/* Passed through tracefs_for_each_event(). */
struct adding {
	struct evlist *evlist;
	const struct tracefs *tracefs;
	const struct evlist_config *config;
	const struct event_spec *spec;
};

static unsigned int frames_of(const struct event_spec *spec, const struct evlist_config *config)
{
	if (config->max_stack || config->callchain != CALLCHAIN_NONE)
		return config->max_stack;
	return spec->max_stack;
}

/* The kernel follows user frames, or the reader unwinds registers and stack. */
static void configure_callchain(struct perf_event_attr *attr, enum callchain_mode callchain,
				const struct evlist_config *config)
{
	bool copies = callchain == CALLCHAIN_USER && config->user_stack_bytes;

	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = callchain == CALLCHAIN_KERNEL || copies;
	if (!copies)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGS_HERE;
	attr->sample_stack_user = config->user_stack_bytes;
}

static void configure(struct evsel *e, uint64_t id, const struct event_spec *spec,
		      const struct evlist_config *config)
{
	enum callchain_mode callchain = spec->callchain;

	e->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(e->attr),
		.config = id,
		.sample_period = config->period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.disabled = 1,
		.inherit = config->inherit,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = config->wakeup_bytes,
		.write_backward = config->overwrite,
	};
	if (config->cgroups)
		e->attr.sample_type |= PERF_SAMPLE_CGROUP;
	/* PERIOD is omitted deliberately: it is always attr.sample_period, as readers assume. */
	if (callchain == CALLCHAIN_DEFAULT)
		callchain = config->callchain;
	if (callchain == CALLCHAIN_KERNEL || callchain == CALLCHAIN_USER) {
		configure_callchain(&e->attr, callchain, config);
		e->attr.sample_max_stack = (uint16_t)frames_of(spec, config);
	}
}

static int add_event(void *ctx, const char *system, const char *name, struct error *err)
{
	struct adding *a = ctx;
	struct evlist *l = a->evlist;
	struct evsel *evsels, *e;
	uint64_t id;
	int ret;

	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->evsels[i].name, name) && !strcmp(l->evsels[i].system, system))
			return 0;
	ret = tracefs_event_id(a->tracefs, system, name, &id, err);
	if (ret)
		return ret;
	evsels = reallocarray(l->evsels, l->nr + 1, sizeof(*evsels));
	if (!evsels)
		return error_nomem(err);
	l->evsels = evsels;
	e = &evsels[l->nr++];
	*e = (struct evsel){.format = STRBUF_INIT};
	e->system = strdup(system);
	e->name = strdup(name);
	e->failed_only = a->spec->failed_only;
	if (a->spec->filter)
		e->filter = strdup(a->spec->filter);
	if (!e->system || !e->name || (a->spec->filter && !e->filter))
		return error_nomem(err);
	ret = tracefs_event_format(a->tracefs, system, name, &e->format, err);
	if (ret)
		return ret;
	if (!tracefs_format_field(e->format.buf, "call_site", &e->call_site_offset,
				  &e->call_site_size))
		e->call_site_size = 0;
	configure(e, id, a->spec, a->config);
	return 0;
}

static int add_spec(struct adding *a, const struct event_spec *spec, struct error *err)
{
	struct error lacking = ERROR_INIT;
	struct error *why = spec->optional ? &lacking : err;
	int ret;

	a->spec = spec;
	if (!strpbrk(spec->system, "*?[") && !strpbrk(spec->name, "*?["))
		ret = add_event(a, spec->system, spec->name, why);
	else
		ret = tracefs_for_each_event(a->tracefs, spec->system, spec->name, add_event, a,
					     why);
	if (!ret || !spec->optional)
		return ret;
	return ret == -ENOENT ? 0 : error_set(err, -ret, "%s", lacking.msg);
}

int evlist_init(struct evlist *l, const struct tracefs *t, const struct event_spec_list *specs,
		const struct evlist_config *config, struct error *err)
{
	struct adding a = {.evlist = l, .tracefs = t, .config = config};
	struct perf_event_attr *first;

	*l = (struct evlist)EVLIST_INIT;
	for (size_t i = 0; i < specs->nr; i++) {
		int ret = add_spec(&a, &specs->specs[i], err);

		if (ret) {
			evlist_deinit(l);
			return ret;
		}
	}
	if (!l->nr)
		return error_set(err, EINVAL, "no event to record: name some with -e SYSTEM:NAME");
	first = &l->evsels[0].attr;
	first->comm = 1;
	first->comm_exec = 1;
	first->task = 1;
	first->ksymbol = 1;
	first->cgroup = config->cgroups;
	if (evlist_user_callchains(l)) {
		first->mmap = 1;
		first->mmap2 = 1;
		first->build_id = 1;
		/* stock uses these to find unwind tables, which are not code */
		first->mmap_data = config->user_stack_bytes != 0;
	}
	return 0;
}

void evlist_deinit(struct evlist *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];

		for (size_t j = 0; j < e->nr_fds; j++)
			if (e->fds[j].fd >= 0)
				close(e->fds[j].fd);
		free(e->fds);
		free(e->system);
		free(e->name);
		free(e->filter);
		strbuf_deinit(&e->format);
	}
	free(l->evsels);
	*l = (struct evlist)EVLIST_INIT;
}

/* The text of a format with another name and id. */
static void rename_format(struct strbuf *to, const char *from, const char *name, uint64_t type)
{
	const char *fields = strstr(from, "format:");

	strbuf_addf(to, "name: %s\nID: %" PRIu64 "\n%s", name, type, fields ? fields : from);
}

int evlist_add_like(struct evlist *l, size_t index, const char *system, const char *name,
		    uint64_t type)
{
	struct evsel *evsels = reallocarray(l->evsels, l->nr + 1, sizeof(*evsels)), *e;

	if (!evsels)
		return -ENOMEM;
	l->evsels = evsels;
	e = &evsels[l->nr++];
	*e = evsels[index];
	e->format = (struct strbuf)STRBUF_INIT;
	e->filter = NULL;
	e->fds = NULL;
	e->nr_fds = 0;
	e->system = strdup(system);
	e->name = strdup(name);
	e->attr.config = type;
	/* the first event alone tracks tasks */
	e->attr.comm = e->attr.comm_exec = e->attr.task = e->attr.ksymbol = e->attr.cgroup = 0;
	e->attr.mmap = e->attr.mmap2 = e->attr.build_id = e->attr.mmap_data = 0;
	rename_format(&e->format, evsels[index].format.buf, name, type);
	return e->system && e->name && !e->format.failed ? 0 : -ENOMEM;
}

/* The end of the last field. */
static uint32_t end_of_fields(const char *format)
{
	uint32_t end = 0, at, size;

	for (const char *f = strstr(format, "field:"); f; f = strstr(f + 1, "field:"))
		if (sscanf(f, "field:%*[^;]; offset:%u; size:%u;", &at, &size) == 2 &&
		    at + size > end)
			end = at + size;
	return (end + 3) & ~3u;
}

int evsel_add_string(struct evsel *e, const char *field)
{
	const char *fields = e->format.buf, *rest = strstr(fields, "\nprint fmt:");
	struct strbuf text = STRBUF_INIT;
	uint32_t at, size;

	if (tracefs_format_field(fields, field, &at, &size))
		return 0;
	strbuf_add(&text, fields, rest ? (size_t)(rest - fields) : e->format.len);
	strbuf_addf(&text, "\tfield:__data_loc char[] %s;\toffset:%u;\tsize:4;\tsigned:0;\n", field,
		    end_of_fields(fields));
	strbuf_addstr(&text, rest ? rest : "");
	strbuf_deinit(&e->format);
	e->format = text;
	return text.failed ? -ENOMEM : 0;
}

int evlist_use_own_ids(struct evlist *l, int32_t clockid, struct error *err)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];

		e->fds = calloc(1, sizeof(*e->fds));
		if (!e->fds)
			return error_nomem(err);
		e->nr_fds = 1;
		e->fds[0] = (struct evsel_fd){.fd = -1, .cpu = -1, .id = i + 1};
		e->attr.use_clockid = 1;
		e->attr.clockid = clockid;
	}
	/* the kernel does not report these here */
	l->evsels[0].attr.ksymbol = 0;
	l->evsels[0].attr.comm_exec = evlist_user_callchains(l);
	return 0;
}

void evlist_count_file(struct evlist *l, const uint64_t *samples, bool last, bool failed,
		       struct event_counts *ret_counts)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];
		const uint64_t lost = e->lost - e->lost_told, known = samples[i] + lost;
		const uint64_t count = last ? e->count - e->count_told : known;

		ret_counts[i] = (struct event_counts){count, lost,
						      failed && count > known ? count - known : 0};
		e->count_told += count;
	}
}

void evlist_told(struct evlist *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];

		e->lost_told = e->lost;
		for (size_t j = 0; j < e->nr_fds; j++)
			e->fds[j].lost_told = e->fds[j].lost;
	}
}

bool evlist_user_callchains(const struct evlist *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->evsels[i].attr.sample_type & PERF_SAMPLE_STACK_USER ||
		    ((l->evsels[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN) &&
		     !l->evsels[i].attr.exclude_callchain_user))
			return true;
	return false;
}

int evlist_tracing_data(const struct evlist *l, const struct tracefs *tracefs,
			const struct strbuf *kallsyms, struct strbuf *out, struct error *err)
{
	_cleanup_free_ struct trace_format *formats = calloc(l->nr ? l->nr : 1, sizeof(*formats));
	_cleanup_(strbuf_deinit) struct strbuf header_page = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf header_event = STRBUF_INIT;
	struct tracing_data t = {
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.formats = formats,
		.nr_formats = l->nr,
		.kallsyms = {kallsyms->buf, kallsyms->len},
	};
	int ret;

	if (!formats)
		return error_nomem(err);
	ret = tracefs_header_file(tracefs, "header_page", &header_page, err);
	if (!ret)
		ret = tracefs_header_file(tracefs, "header_event", &header_event, err);
	if (ret)
		return ret;
	/* of the kernel, also if this program has 32 bits and the kernel 64 */
	t.long_size = long_size_of_header_page(header_page.buf);
	if (!t.long_size)
		t.long_size = sizeof(long);
	t.header_page = (struct trace_text){header_page.buf, header_page.len};
	t.header_event = (struct trace_text){header_event.buf, header_event.len};
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];

		formats[i] = (struct trace_format){e->system, {e->format.buf, e->format.len}};
	}
	return tracing_data_write(out, &t) ? error_nomem(err) : 0;
}
