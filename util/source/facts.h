/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_facts: what a source of events says about itself.
 *
 * The machine and its kernel, the time span, the events and how many of each were lost, what could
 * not be read.  This is all that reports know about the origin of their figures.  A source fills it
 * in while it is read: what comes before the events is available once it is open, the rest may come
 * with them, and counts (`nr_*`) are complete at the end.  The facts own their strings, which are
 * NULL if the source does not have them, and their events.
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

struct site_names;
struct source_table;

/* A kind of event in the source; its memory is malloc()ed and freed with the facts. */
struct source_event {
	uint32_t index;	 /* its index in facts->events */
	uint32_t type;	 /* PERF_TYPE_*, as for perf_event_open() */
	uint64_t config; /* of that type; for a tracepoint, the id of its format */
	char *name;	 /* "kmem:kmalloc"; NULL: unknown */
	uint64_t period; /* one event in this many was recorded; 1 if that changed, or is unknown */
	uint8_t kind;	 /* enum kmem_kind, for complete events and rows; 0: determined by its
			  * format */
	bool has_callchain;
	bool has_user_stack; /* user callchains, or what they are unwound from */
	bool has_cgroup;     /* samples say in which control group they were taken */
	bool is_dummy;	     /* has no samples of its own */
	uint64_t nr_samples;
	uint64_t nr_lost;
	uint64_t nr_undelivered; /* counted by the kernel beyond those, though none are reported
				  * lost */
	uint64_t nr_bad;	 /* samples that could not be decoded */
};

/* What could not be read, for the line that reports it. */
struct source_damage {
	uint64_t nr_skipped_records; /* bad ones that were skipped */
	uint64_t nr_unknown_records; /* of unknown types or with unknown ids: harmless */
	uint64_t nr_skipped_bytes;
	uint64_t first_pos; /* of the first damage */
	bool truncated;	    /* the data ends in the middle, the file was never finished, or reading
			     * was stopped */
	char what[256];	    /* the first damage, for the user; "" if there is none */
};

/* The build-id of a file that the recording names; facts list them in its order. */
struct source_build_id {
	char *path;
	bool of_kernel;
	uint8_t id[BUILD_ID_MAX];
	size_t size;
};

/* How far reading had got when the caller ended it. */
struct source_stop {
	bool stopped;
	uint64_t bytes, bytes_total; /* of the input; total 0: a pipe */
};

struct source_span {
	uint64_t start_ns, stop_ns;
};

struct gfp_texts;

struct source_facts {
	char *path;
	/* constant strings, set when it is opened: for the user, as in struct event_source_ops */
	const char *format, *limits;
	bool is_usual;	     /* likewise */
	const char *slab_by; /* the key that its rows of the slab allocator have; NULL: callsite */
	char *missing;	     /* which parts it lacks, and why: for people */
	const char *packing; /* "gzip", "zstd"; NULL: it was not packed */
	uint64_t stored_bytes; /* size of the input, packed or not; of a pipe: read so far */
	bool at_once;	       /* what there was at one moment, instead of events over a time */
	bool is_live;	       /* no recording: what happens on this machine meanwhile */
	bool live_unknown;     /* its rows count frees, but not of what (struct source_figures) */
	bool pages_relative;   /* its page numbers are pfns plus the same unknown number */
	/*
	 * Of the kernel: page P is in pageblock P >> pageblock_order.  0: not known; of a source of
	 * pages it becomes known with the first one that is not in pageblock 0.
	 */
	uint32_t pageblock_order;
	bool big_endian;    /* byte order of the source */
	uint32_t page_size; /* bytes; 0: stated in the event formats, which exist then */

	struct source_event **events; /* pointers stay valid while events are added */
	size_t nr_events;
	uint64_t nr_samples;
	uint64_t nr_lost;	 /* of all events; LOST records give the sum, but not always which
				  * events */
	bool knows_lost_events;	 /* which events were lost is known (since 6.0), not only how
				  * many */
	uint64_t nr_disordered;	 /* events that came when later ones had been handed over already */
	uint64_t nr_unknown_ids; /* samples of events that the source does not describe: skipped */
	uint64_t formats_pos;	 /* offset of the event formats; 0: none */
	const char *no_formats;	 /* where it would have them, for the user; a constant string */

	char *hostname, *osrelease, *version, *arch, *cmdline;
	uint32_t nr_cpus_available, nr_cpus_online;
	struct cpulist offline; /* went offline during the recording, and have no events since */
	uint64_t total_mem_kib;
	int32_t *cpu_node; /* NUMA node of each CPU, NUMA_NO_NODE: unknown */
	size_t nr_cpu_node;
	uint32_t nr_nodes;
	/*
	 * Names of keys (util/event/key_list.h), separated by blanks: what is known about the
	 * allocations of a source that looks at memory; NULL: what events tell.
	 */
	const char *keys;
	/* it lists what is live, and cannot tell what was freed */
	bool frees_unknown;
	/* its call sites, for which it has names instead of addresses; the source's; NULL: none */
	const struct site_names *site_names;
	/* names of gfp masks (util/event/gfp_texts.h) as its kernel printed them; the source's;
	 * NULL: it tells none */
	const struct gfp_texts *gfp_texts;
	uint8_t kernel_build_id[BUILD_ID_MAX];
	size_t kernel_build_id_size;	   /* 0: unknown */
	struct source_build_id *build_ids; /* of the files that were mapped, if it tells them */
	size_t nr_build_ids;
	uint64_t kernel_text; /* address of the kernel's reference symbol (_text or _stext) */
	uint64_t kernel_start, kernel_end; /* where it was mapped; 0, 0: unknown */
	char kernel_text_symbol[32];	   /* its name; "" if unknown */
	char *migratetypes;   /* names in the kernel's order, separated by blanks; NULL: unknown */
	char *kmalloc_caches; /* the families "kmalloc kmalloc-cg ..." that exist; NULL: unknown */
	char *reclaimable_caches; /* SLAB_RECLAIM_ACCOUNT: names separated by '/'; NULL: unknown */
	/*
	 * Modules that were loaded ('+') or unloaded ('-') meanwhile, in the order of time: lines
	 * "+ NS NAME", each followed by kallsyms lines of its functions, if they are known.  Those
	 * of a module that was there before follow its "-".  A source adds whole entries, ahead of
	 * the events that come after them.
	 */
	struct strbuf modules;
	struct strbuf cache_aliases; /* lines with the names of one cache each, separated by '/' */

	struct source_table *tables; /* beside its events (source_table.h) */
	size_t nr_tables;

	uint64_t wall_clock_ns; /* since 1970, when the recording was begun; 0: unknown */
	struct {
		uint64_t wall_ns, event_ns; /* the same moment on both clocks; 0, 0: unknown */
	} clock;
	uint64_t first_ns, last_ns;	      /* of the samples, as read; 0, 0 if there were none */
	uint64_t told_start_ns, told_stop_ns; /* as stated by the source; 0, 0: not stated */
	struct source_damage damage;
	struct source_stop stop;
};

void source_facts_init(struct source_facts *f);
void source_facts_deinit(struct source_facts *f);

/* Add an event, which must be malloc()ed and is owned by the facts from now on. Errors: -ENOMEM. */
int source_facts_add_event(struct source_facts *f, struct source_event *ev);

/* Add a build-id of at most BUILD_ID_MAX bytes. Errors: -ENOMEM. */
int source_facts_add_build_id(struct source_facts *f, const char *path, bool of_kernel,
			      const uint8_t *id, size_t size);

/* Note damage at an offset of the source: the first in words. */
void source_facts_damage(struct source_facts *f, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

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

/* When the recording was begun, since 1970; 0: unknown. */
uint64_t source_facts_wall_clock_ns(const struct source_facts *f);

/* 0 to 100. */
double source_facts_lost_percent(const struct source_facts *f);

/* The largest period of all tracepoints. */
uint64_t source_facts_period(const struct source_facts *f);

/*
 * The time that was recorded: as stated by the source, else from the first to the last sample
 * read.  While samples are still to come, this is what is known so far.
 */
struct source_span source_facts_span(const struct source_facts *f);

/* How far reading had got when it was stopped: "43.1 % (1.2 MiB)", or "1.2 MiB". Returns buf. */
#define SOURCE_STOP_BUF 64
const char *source_facts_stop_text(const struct source_facts *f, char *buf, size_t size);

/* Is it of the running kernel? Then that kernel's symbols and formats apply to it. */
bool source_facts_are_of_running_kernel(const struct source_facts *f);

int32_t source_facts_cpu_node(const struct source_facts *f, int32_t cpu);

/* Is the kernel's release at least major.minor? Releases that do not parse are. */
bool source_facts_kernel_at_least(const struct source_facts *f, unsigned int major,
				  unsigned int minor);

#endif
