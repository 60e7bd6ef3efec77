/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_facts: what a source of events says about itself.
 *
 * The machine and its kernel, the span of time, the events and how many of each were lost, what
 * could not be read.  It is all that reports know of where their figures come from.  A source fills
 * it while it is read: what stands ahead of the events is there when it is opened, the rest may
 * come with them, and what is counted (`nr_*`) is complete at the end.  The facts own their
 * strings, NULL where the source does not tell, and their events.
 */
#ifndef SOURCE_FACTS_H
#define SOURCE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/host/cpulist.h"
#include "util/host/running_kernel.h"

#define NUMA_NO_NODE (-1)

/* A kind of event that the source has; its memory is malloc()ed and goes with the facts. */
struct source_event {
	uint32_t index;	 /* its place in facts->events */
	uint32_t type;	 /* PERF_TYPE_*, as perf_event_open() knows them */
	uint64_t config; /* of that type; of a tracepoint the id of its format */
	char *name;	 /* "kmem:kmalloc"; NULL while unknown */
	uint64_t period; /* one event of so many was recorded; 1 where that changed, or is not told
			  */
	uint8_t kind;	 /* enum kmem_kind, of complete events and rows; 0: its format tells */
	bool has_callchain;
	bool is_dummy; /* carries no samples of its own */
	uint64_t nr_samples;
	uint64_t nr_lost;
	uint64_t nr_undelivered; /* the kernel counted so many more, though it reports none lost */
	uint64_t nr_bad;	 /* samples that could not be decoded */
};

/* What could not be read, for the one line that says so. */
struct source_damage {
	uint64_t nr_skipped_records; /* bad ones stepped over */
	uint64_t nr_unknown_records; /* of types or with ids not known: harmless */
	uint64_t nr_skipped_bytes;
	uint64_t first_pos; /* of the first damage */
	bool truncated;	    /* the data ends in the middle, the file was never finished, or the
			       reading was stopped */
	char what[256];	    /* the first damage, for a person; "" when there is none */
};

/* How far the reading came when the caller ended it. */
struct source_stop {
	bool stopped;
	uint64_t bytes, bytes_total; /* of the input; total 0: a pipe */
};

struct source_span {
	uint64_t start_ns, stop_ns;
};

struct source_facts {
	char *path;
	bool big_endian;    /* byte order of the source */
	uint32_t page_size; /* bytes; 0: the event formats tell it, and there are some */

	struct source_event **events; /* pointers stay valid while events are added */
	size_t nr_events;
	uint64_t nr_samples;
	uint64_t nr_lost;	 /* of all events; LOST records tell the sum, not always whose */
	bool knows_lost_events;	 /* which events were lost (since 6.0), and not only how many */
	uint64_t nr_unknown_ids; /* samples of events that the source does not describe: skipped */
	uint64_t formats_pos;	 /* offset of the event formats; 0: none */
	const char *no_formats;	 /* where it would have them, for people; a constant string */

	char *hostname, *osrelease, *version, *arch, *cmdline;
	uint32_t nr_cpus_available, nr_cpus_online;
	struct cpulist offline; /* went so while they were recorded, and are not told of since */
	uint64_t total_mem_kib;
	int32_t *cpu_node; /* NUMA node of each CPU, NUMA_NO_NODE: not told */
	size_t nr_cpu_node;
	uint32_t nr_nodes;
	uint8_t kernel_build_id[BUILD_ID_MAX];
	size_t kernel_build_id_size; /* 0: not told */
	uint64_t kernel_text; /* address of the kernel's reference symbol (_text or _stext) */
	char kernel_text_symbol[32]; /* its name; "" when not told */
	char *migratetypes;   /* names in the kernel's order, blank between; NULL: not told */
	char *kmalloc_caches; /* "kmalloc kmalloc-cg ...": families of them; NULL: not told */
	struct strbuf cache_aliases; /* lines of names of one cache, '/' between */

	uint64_t wall_clock_ns; /* since 1970, when the recording was begun; 0: not told */
	struct {
		uint64_t wall_ns, event_ns; /* one moment by both clocks; 0, 0: not told */
	} clock;
	uint64_t first_ns, last_ns; /* of the samples, as read; 0, 0 when there were none */
	uint64_t told_start_ns, told_stop_ns; /* as the source says; 0, 0: it does not */
	struct source_damage damage;
	struct source_stop stop;
};

void source_facts_init(struct source_facts *f);
void source_facts_deinit(struct source_facts *f);

/* Add an event, which must be malloc()ed and is the facts' from now on. Errors: -ENOMEM. */
int source_facts_add_event(struct source_facts *f, struct source_event *ev);

/* An event of this kind came: a sample, a complete event or a row. */
static inline void source_facts_count(struct source_facts *f, struct source_event *ev,
				      uint64_t time_ns)
{
	if (!f->nr_samples++ || time_ns < f->first_ns)
		f->first_ns = time_ns;
	if (time_ns > f->last_ns)
		f->last_ns = time_ns;
	ev->nr_samples++;
}

/* When the recording was begun, since 1970; 0: it does not tell. */
uint64_t source_facts_wall_clock_ns(const struct source_facts *f);

/* 0 to 100. */
double source_facts_lost_percent(const struct source_facts *f);

/* The largest period of all tracepoints. */
uint64_t source_facts_period(const struct source_facts *f);

/*
 * From when to when was recorded: as the source tells, else from the first to the last sample that
 * was read.  While samples are still to come this is what is known until then.
 */
struct source_span source_facts_span(const struct source_facts *f);

/* How far the reading came that was stopped: "43.1 % (1.2 MiB)", or "1.2 MiB". Returns buf. */
#define SOURCE_STOP_BUF 64
const char *source_facts_stop_text(const struct source_facts *f, char *buf, size_t size);

/* Is it of the kernel that runs now? Then that kernel's symbols and formats are its own. */
bool source_facts_are_of_running_kernel(const struct source_facts *f);

int32_t source_facts_cpu_node(const struct source_facts *f, int32_t cpu);

/* The kernel's release is at least major.minor; so are releases that do not parse. */
bool source_facts_kernel_at_least(const struct source_facts *f, unsigned int major,
				  unsigned int minor);

#endif
