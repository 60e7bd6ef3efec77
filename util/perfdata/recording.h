/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recording: what a perf.data says about itself: the machine, the events, the losses.
 *
 * Filled by the session while it reads; in a pipe most of it arrives in the stream.
 * Strings are owned by the recording, NULL when the file does not tell.
 */
#ifndef PERFDATA_RECORDING_H
#define PERFDATA_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/intern.h"
#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/host/cpulist.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/sample.h"

#define BUILD_ID_MAX 20
#define NUMA_NO_NODE (-1)

/* One event (stock: evsel) of the recording; several ids, one for each CPU or thread, lead to it.
 */
struct recorded_event {
	struct event_attr attr;
	struct sample_layout layout;
	uint32_t index; /* its place in recording->events */
	char *name;	/* "kmem:kmalloc"; NULL while unknown */
	uint64_t nr_samples;
	uint64_t nr_lost_records; /* from LOST records: losses noticed while this event wrote */
	uint64_t nr_lost_samples; /* from LOST_SAMPLES records: its own losses, exact */
	uint64_t nr_unwritten;	  /* delivered to a recorder that could not write them */
	uint64_t nr_counted;	  /* by the kernel itself, lost ones included; 0: not told */
	uint64_t nr_bad;	  /* samples that could not be decoded */
};

/* What could not be read, for the one line that says so. */
struct read_damage {
	uint64_t nr_skipped_records; /* bad ones stepped over */
	uint64_t nr_unknown_records; /* of types or with ids not known: harmless */
	uint64_t nr_skipped_bytes;
	uint64_t first_pos; /* of the first damage */
	bool truncated;	    /* the data ends in the middle, the file was never finished, or the
			       reading was stopped */
	char what[256];	    /* the first damage, for a person; "" when there is none */
};

/* How far the reading came when the caller ended it: see reader_options.progress. */
struct read_stop {
	bool stopped;
	uint64_t bytes, bytes_total; /* of the input; total 0: a pipe */
};

struct recording {
	char *path;
	bool swap;	 /* byte order is not this machine's */
	bool big_endian; /* byte order of the recording */
	bool pipe;
	char part[24];	     /* file of a directory that is being read: "data.3"; "" */
	uint64_t part_start; /* position of its first byte */

	struct recorded_event **events; /* pointers stay valid while events are added */
	size_t nr_events;
	struct event_names {
		struct intern strings;
		uint32_t *first; /* the first event of each name */
	} * event_names;	 /* NULL: not made, see recording_event_by_name() */
	bool knows_lost_events; /* an event lost samples, and LOST_SAMPLES said which (since 6.0) */
	struct table ids;	/* u64 id -> u32 number of the event */
	uint64_t nr_unknown_ids; /* samples with an id that no event has: skipped */

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
	uint32_t compressed_mmap_len;
	uint64_t tracing_pos; /* offset of the tracing data; 0: none */
	char *migratetypes;   /* names in the kernel's order, blank between; NULL: not told */
	char *kmalloc_caches; /* "kmalloc kmalloc-cg ...": families of them; NULL: not told */
	struct strbuf cache_aliases; /* lines of names of one cache, '/' between */

	uint64_t wall_clock_ns; /* since 1970, when the recording was begun; 0: not told */
	struct {
		uint64_t wall_ns, event_ns; /* one moment by both clocks; 0, 0: not told */
	} clock;
	uint64_t first_ns, last_ns; /* of the samples, as read; 0, 0 when there were none */
	uint64_t told_start_ns, told_stop_ns; /* as the file says; 0, 0: it does not */
	uint64_t nr_samples;
	struct read_damage damage;
	struct read_stop stop;
};

void recording_init(struct recording *r);
void recording_deinit(struct recording *r);

/* Add an event; its ids follow with recording_add_id(). NULL: no memory. */
struct recorded_event *recording_add_event(struct recording *r, const struct event_attr *attr);
int recording_add_id(struct recording *r, uint64_t id, uint32_t event);

/*
 * The first event with the name, or NULL; *ret_event.  The names that there are at the first call
 * count, until they are forgotten. Errors: -ENOMEM.
 */
int recording_event_by_name(struct recording *r, const char *name, size_t len,
			    struct recorded_event **ret_event);
void recording_forget_names(struct recording *r);

/* The event with the id, or NULL. */
struct recorded_event *recording_event_by_id(const struct recording *r, uint64_t id);

/* When the recording was begun, since 1970; 0: it does not tell. */
uint64_t recording_wall_clock_ns(const struct recording *r);

/* Samples that the event lost: LOST_SAMPLES where the recording has them, else LOST. */
uint64_t recording_event_lost(const struct recording *r, const struct recorded_event *ev);
uint64_t recording_lost(const struct recording *r);
/* Which events were lost (since 6.0), and not only how many. */
static inline bool recording_knows_lost_events(const struct recording *r)
{
	return r->knows_lost_events;
}
/* One event of so many was recorded (record -c); 1 where that changed with the rate, or is not
 * told. */
uint64_t recorded_event_period(const struct recorded_event *ev);
/* The largest of all. */
uint64_t recording_period(const struct recording *r);

/*
 * What the kernel counted beyond samples and losses: never delivered, though not reported lost. In
 * samples: of events between two samples nothing is missing.
 */
uint64_t recorded_event_undelivered(const struct recording *r, const struct recorded_event *ev);
/* 0 to 100. */
double recording_lost_percent(const struct recording *r);

/*
 * From when to when was recorded: as the file tells, else from the first to the last sample that
 * was read.  While samples are still to come this is what is known until then.
 */
struct recorded_span {
	uint64_t start_ns, stop_ns;
};
struct recorded_span recording_span(const struct recording *r);

/* How far the reading came that was stopped: "43.1 % (1.2 MiB)", or "1.2 MiB". Returns buf. */
#define RECORDING_STOP_BUF 64
const char *recording_stop_text(const struct recording *r, char *buf, size_t size);

/* Software "dummy" events carry no samples of their own. */
bool recorded_event_is_dummy(const struct recorded_event *ev);

int32_t recording_cpu_node(const struct recording *r, int32_t cpu);

/* Remember the first damage in words and count; later ones only count. */
void recording_damage(struct recording *r, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
