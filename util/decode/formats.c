// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/source/facts.h"
#include "util/tracepoint/event_format.h"
#include "util/tracepoint/tracefs_formats.h"

static struct tracing_data none_of(const struct source_facts *facts, uint32_t page_size)
{
	return (struct tracing_data){
		.big_endian = facts->big_endian,
		.long_size = long_size_of_arch(facts->arch),
		.page_size = page_size,
	};
}

/* From a tracefs of the user, or from the running kernel's. */
static int read_formats(struct tracing_data *formats, const struct source_facts *facts,
			const char *dir, struct error *err)
{
	long page_size = sysconf(_SC_PAGESIZE);
	struct tracefs tracefs;
	int ret;

	if (!dir && !facts->osrelease)
		return error_set(err, ENODATA,
				 "its kernel is unknown (name a copy of that kernel's tracefs with "
				 "--tracefs)");
	if (!dir && !source_facts_are_of_running_kernel(facts))
		return error_set(err, ENODATA,
				 "it is of kernel '%s', not of the running one (name a copy of "
				 "that kernel's tracefs with --tracefs)",
				 facts->osrelease);
	*formats = none_of(facts, dir || page_size <= 0 ? 4096 : (uint32_t)page_size);
	ret = dir ? tracefs_at(&tracefs, dir, err) : tracefs_find(&tracefs, false, err);
	return ret ? ret : tracefs_formats_read(formats, &tracefs, "kmem", err);
}

/* "; it was never finished at offset 0x1f8" */
static void add_why(struct strbuf *sb, const struct source_facts *facts)
{
	if (facts->damage.what[0])
		strbuf_addf(sb, "; %s at offset 0x%" PRIx64, facts->damage.what,
			    facts->damage.first_pos);
	else
		strbuf_addf(sb, "; %s", facts->no_formats);
}

int formats_find(struct tracing_data *ret_formats, const struct source_facts *facts,
		 const char *tracefs_dir, struct error *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret;

	if (facts->page_size) {
		*ret_formats = none_of(facts, facts->page_size);
		return 0;
	}
	ret = read_formats(ret_formats, facts, tracefs_dir, err);
	if (!ret || ret == -ENOMEM || tracefs_dir)
		return ret;
	add_why(&why, facts);
	ret = error_prefix(err, "'%s' holds no tracing data (the formats of its events)%s",
			   facts->path, why.buf);
	strbuf_deinit(&why);
	return ret;
}

int event_names_add(struct source_event *ev, const struct tep_event *format)
{
	if (ev->name || !format)
		return 0;
	if (asprintf(&ev->name, "%s:%s", trace_event_system(format), trace_event_name(format)) <
	    0) {
		ev->name = NULL;
		return -ENOMEM;
	}
	printable_make(ev->name);
	return 0;
}

int event_names_from_formats(struct source_facts *facts, const struct trace *trace)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < facts->nr_events; i++) {
		struct source_event *ev = facts->events[i];

		if (ev->type == PERF_TYPE_TRACEPOINT)
			ret = event_names_add(ev, trace_event(trace, ev->config));
	}
	return ret;
}
