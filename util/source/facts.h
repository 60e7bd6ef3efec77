/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_facts: a source's description of itself.
 *
 * It contains the machine and its kernel, the time span, the events and their losses, and the
 * damage. Reports have no other information about the origin of their figures. A source fills it in
 * while it is read. The facts from before the events are available once it is open, others may come
 * with the events, and counts (`nr_*`) are complete at the end. The facts own their strings, which
 * are NULL if the source does not have them, and their events.
 */
#ifndef SOURCE_FACTS_H
#define SOURCE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/host/cpulist.h"
#include "util/host/running_kernel.h"
#include "util/host/slab_counts.h"

#define NUMA_NO_NODE (-1)

struct site_names;
struct source_table;

/* A kind of event in the source. Allocated with malloc(), and freed with the facts. */
struct source_event {
	uint32_t index;	 /* its index in facts->events */
	uint32_t type;	 /* PERF_TYPE_*, as for perf_event_open() */
	uint64_t config; /* config of that type; for a tracepoint, the id of its format */
	char *name;	 /* "kmem:kmalloc"; NULL: unknown */
	uint64_t period; /* one event in `period` was recorded; 1 if it changed, or is unknown */
	uint8_t kind;	 /* enum kmem_kind, for complete events and rows; 0: see format */
	bool has_callchain;
	bool has_user_stack; /* user callchains, or the data to unwind them */
	bool has_cgroup;     /* samples contain their control group */
	bool is_dummy;	     /* has no samples of its own */
	uint64_t nr_samples;
	uint64_t nr_lost;
	uint64_t nr_undelivered; /* neither delivered nor reported lost */
	uint64_t nr_bad;	 /* samples that could not be decoded */
};

/* Unreadable data, for the line that reports it. */
struct source_damage {
	uint64_t nr_skipped_records; /* damaged records */
	uint64_t nr_unknown_records; /* harmless ones: unknown types or ids */
	uint64_t nr_skipped_bytes;
	uint64_t first_pos; /* position of the first damage */
	bool truncated; /* the data ends in the middle, is unfinished, or was not read to the end */
	char what[256]; /* the first damage, for the user; "" if there is none */
};

/* The build-id of a recorded file, in the order of the recording. */
struct source_build_id {
	char *path;
	bool of_kernel;
	uint8_t id[BUILD_ID_MAX];
	size_t size;
};

/* A module and its code, as in /proc/modules. */
struct source_module {
	char *name;
	uint64_t start, end;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size; /* 0: unknown */
};

/* How far reading had got when the caller stopped it. */
struct source_stop {
	bool stopped;
	uint64_t bytes, bytes_total; /* of the input; total is 0 for a pipe */
};

struct source_span {
	uint64_t start_ns, stop_ns;
};

struct document_section;
struct gfp_texts;

struct source_facts {
	char *path;
	/* constant strings, for the user, as in struct event_source_ops */
	const char *format, *limits;
	bool is_default;       /* as in struct event_source_ops */
	const char *slab_by;   /* key of its rows of the slab allocator; NULL: callsite */
	char *missing;	       /* missing parts with reasons, for text output */
	const char *packing;   /* "gzip", "zstd"; NULL: not packed */
	uint64_t stored_bytes; /* size of the input as stored; for a pipe: bytes read so far */
	bool is_snapshot;      /* the state at one moment, instead of events over a time */
	bool frees_of_others;  /* has frees of objects whose allocations were left out */
	bool is_live;	       /* no recording: present events of this machine */
	bool live_unknown;     /* frees in its rows cannot be matched (struct source_figures) */
	bool pages_relative;   /* its page numbers are pfns plus an unknown constant */
	/*
	 * The kernel's: page P is in pageblock P >> pageblock_order. 0 if unknown; sources that
	 * list pages set it at the first page that is not in pageblock 0.
	 */
	uint32_t pageblock_order;
	bool big_endian;    /* byte order of the source */
	uint32_t page_size; /* bytes; 0: contained in the event formats, which exist then */

	struct source_event **events; /* pointers stay valid while events are added */
	size_t nr_events;
	uint64_t nr_samples;
	uint64_t nr_lost;      /* all events; LOST records do not always name theirs */
	bool only_seen_events; /* `events` are those that occurred; others may have been recorded */
	bool knows_lost_events; /* losses are known for each event (since 6.0), not only in total */
	uint64_t nr_disordered; /* events that came after later ones had been delivered */
	uint64_t nr_unknown_ids; /* skipped samples of unknown events */
	uint64_t formats_pos;	 /* offset of the event formats; 0: none */
	const char *no_formats;	 /* the reason, for the user: "it has none"; owned by the source */

	char *hostname, *osrelease, *version, *arch, *cmdline;
	char *machine_id, *boot_id; /* struct machine_id; NULL: unknown */
	uint32_t nr_cpus_available, nr_cpus_online;
	uint32_t nr_cpus_possible; /* each has a copy of percpu memory; 0: unknown */
	struct cpulist offline;	   /* CPUs that went offline while recording */
	uint64_t total_mem_kib;
	int32_t *cpu_node; /* NUMA node of each CPU; NUMA_NO_NODE: unknown */
	size_t nr_cpu_node;
	uint32_t nr_nodes;
	/*
	 * For a source that lists memory: names of keys that it has for allocations
	 * (util/event/key_list.h), separated by blanks. NULL: the keys of events.
	 */
	const char *keys;
	/* it lists live memory, and has no frees */
	bool frees_unknown;
	bool requests_unknown; /* requested sizes: they repeat the allocated ones */
	/* names of call sites without addresses; owned by the source; NULL: none */
	const struct site_names *site_names;
	/* names of gfp masks (util/event/gfp.h) as its kernel printed them; owned by the
	 * source; NULL: none */
	const struct gfp_texts *gfp_texts;
	uint8_t kernel_build_id[BUILD_ID_MAX];
	size_t kernel_build_id_size;	   /* 0: unknown */
	struct source_build_id *build_ids; /* of mapped files, if recorded */
	size_t nr_build_ids;
	struct source_module *loaded; /* modules, in the order in which they were loaded */
	size_t nr_loaded;
	uint64_t kernel_text_address; /* address of the kernel's reference symbol (_text or _stext)
				       */
	uint64_t kernel_start, kernel_end; /* where the kernel was mapped; 0, 0: unknown */
	char kernel_text_symbol[32];	   /* its name; "" if unknown */
	char *migratetypes;   /* names in the kernel's order, separated by blanks; NULL: unknown */
	char *kmalloc_caches; /* existing families "kmalloc kmalloc-cg ..."; NULL: unknown */
	char *reclaimable_caches; /* SLAB_RECLAIM_ACCOUNT: names separated by '/'; NULL: unknown */
	/*
	 * Modules that were loaded ('+') or unloaded ('-') while recording, in time order: entries
	 * "+ NS NAME", each followed by kallsyms lines of the module's functions, if they are
	 * known. For a module that existed before, these follow its "-". A source adds whole
	 * entries, before the events that come after them.
	 */
	struct strbuf modules;
	struct strbuf cache_aliases; /* one line per cache with all its names, separated by '/' */
	/* the kernel's own counts; a live source reads them again and again */
	struct slab_counts slab_counts;

	struct source_table *tables; /* in addition to its events (source_table.h) */
	size_t nr_tables;

	uint64_t wall_clock_ns; /* start of the recording, since 1970; 0: unknown */
	struct {
		uint64_t wall_ns, event_ns; /* one moment on both clocks; 0, 0: unknown */
	} clock;
	uint64_t first_ns, last_ns;		  /* times of the samples read; 0, 0: none */
	uint64_t stated_start_ns, stated_stop_ns; /* as stated by the source; 0, 0: not stated */
	struct source_damage damage;
	struct source_stop stop;
};

void source_facts_init(struct source_facts *f);
void source_facts_deinit(struct source_facts *f);

/* Add an event allocated with malloc(), which the facts then own. Errors: -ENOMEM. */
int source_facts_add_event(struct source_facts *f, struct source_event *ev);

/* Add a build-id of at most BUILD_ID_MAX bytes. Errors: -ENOMEM. */
int source_facts_add_build_id(struct source_facts *f, const char *path, bool of_kernel,
			      const uint8_t *id, size_t size);

/* Add a module, with a build-id of at most BUILD_ID_MAX bytes. Errors: -ENOMEM. */
int source_facts_add_module(struct source_facts *f, const char *name, uint64_t start, uint64_t end,
			    const uint8_t *build_id, size_t build_id_size);

/* Note damage at an offset of the source. Only the first one is described. */
void source_facts_damage(struct source_facts *f, uint64_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Count an event: a sample, a complete event or a row. */
static inline void source_facts_count(struct source_facts *f, struct source_event *ev,
				      uint64_t time_ns)
{
	if (!f->nr_samples++ || time_ns < f->first_ns)
		f->first_ns = time_ns;
	if (time_ns > f->last_ns)
		f->last_ns = time_ns;
	ev->nr_samples++;
}

/* Append "shop, Linux 6.12.1, x86_64", without what is unknown. */
void source_facts_add_host(const struct source_facts *f, struct strbuf *sb);

/* Add the machine's name, architecture, kernel and ids, the same in the JSON of every report; null
 * if unknown. */
void source_facts_add_figures(const struct source_facts *f, struct document_section *in);

/* Start of the recording, since 1970; 0 if unknown. */
uint64_t source_facts_wall_clock_ns(const struct source_facts *f);

/* 0 to 100. */
double source_facts_lost_percent(const struct source_facts *f);

/* The largest period of all tracepoints. */
uint64_t source_facts_period(const struct source_facts *f);

/*
 * The recorded time: as stated by the source, else from the first to the last sample read. While
 * samples are still to come, it covers those known so far.
 */
struct source_span source_facts_span(const struct source_facts *f);

/* Writes how far reading had got when it was stopped: "43.1 % (1.2 MiB)", or "1.2 MiB". Returns
 * buf. */
#define SOURCE_STOP_BUF 64
const char *source_facts_stop_text(const struct source_facts *f, char *buf, size_t size);

/* Whether it is of the running kernel, whose symbols and formats apply to it then. */
bool source_facts_are_of_running_kernel(const struct source_facts *f);

static inline int32_t source_facts_cpu_node(const struct source_facts *f, int32_t cpu)
{
	return cpu < 0 || (size_t)cpu >= f->nr_cpu_node ? NUMA_NO_NODE : f->cpu_node[cpu];
}

/* Whether the kernel's release is at least major.minor; true for releases that cannot be parsed. */
bool source_facts_kernel_at_least(const struct source_facts *f, unsigned int major,
				  unsigned int minor);

#endif
