/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data format: constants and fixed structs shared by readers and writers.
 *
 * A file consists of the header (104 bytes), the attrs' ids, the attr table, and the data section
 * with the records. After the data come a table with one struct perfdata_section for each set
 * feature bit, in ascending order, and the features' bytes. Offsets are from the file's start,
 * sizes in bytes, numbers in the byte order of the recording machine (the magic shows it).
 * data.size 0 marks an unfinished recording.
 *
 * These structs have the file layout without padding, so a pointer into a mapped file may be cast
 * once its alignment (8) and bounds have been checked. Fields of the kernel's own records are in
 * <linux/perf_event.h>; those that older headers lack are defined here. Sources: the kernel tree's
 * perf.data-file-format.txt and uapi/linux/perf_event.h.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

/* A number in the byte order of the recorded machine: little-endian files begin with the bytes
 * "PERFILE2" (the older ones with "PERFFILE"), big-endian ones with "2ELIFREP". */
#define PERFDATA_MAGIC	  0x32454c4946524550ULL
#define PERFDATA_MAGIC_V1 0x454c494646524550ULL

#define PERFDATA_HEADER_SIZE	  104 /* with the feature bits; 72 without (files before 2.6.33) */
#define PERFDATA_HEADER_SIZE_MIN  72
#define PERFDATA_PIPE_HEADER_SIZE 16
#define PERFDATA_FEATURE_BITS	  256

struct perfdata_section {
	uint64_t offset;
	uint64_t size;
};

struct perfdata_header {
	uint64_t magic;
	uint64_t size;	    /* size of this struct */
	uint64_t attr_size; /* size of one entry of the attr table: attr + ids section */
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types; /* unused since 2012, zero */
	uint64_t features[PERFDATA_FEATURE_BITS / 64];
};

_Static_assert(sizeof(struct perfdata_header) == PERFDATA_HEADER_SIZE, "file layout");

/* Feature bits; a feature's number is its bit. A string is u32 size, then `size` bytes, with NULs
 * at the end. */
enum perfdata_feature {
	HEADER_RESERVED = 0,
	HEADER_TRACING_DATA = 1,
	HEADER_BUILD_ID = 2,	/* struct perfdata_build_id records */
	HEADER_HOSTNAME = 3,	/* string */
	HEADER_OSRELEASE = 4,	/* string */
	HEADER_VERSION = 5,	/* string: version of the recording tool */
	HEADER_ARCH = 6,	/* string: uname -m */
	HEADER_NRCPUS = 7,	/* u32 available, u32 online */
	HEADER_CPUDESC = 8,	/* string */
	HEADER_CPUID = 9,	/* string */
	HEADER_TOTAL_MEM = 10,	/* u64 KiB */
	HEADER_CMDLINE = 11,	/* u32 count, strings */
	HEADER_EVENT_DESC = 12, /* u32 events, u32 attr size, (attr, u32 ids, name, u64 ids[]) */
	/*
	 * u32 n, string cpus[n] of packages; the same for cores; (u32 core, u32 package) for each
	 * available CPU; the lists of dies; u32 die for each CPU
	 */
	HEADER_CPU_TOPOLOGY = 13,
	/* u32 nodes, (u32 node, u64 total KiB, u64 free KiB, string cpus) */
	HEADER_NUMA_TOPOLOGY = 14,
	HEADER_BRANCH_STACK = 15,
	HEADER_PMU_MAPPINGS = 16,
	HEADER_GROUP_DESC = 17,
	HEADER_AUXTRACE = 18,
	HEADER_STAT = 19,
	HEADER_CACHE = 20,
	HEADER_SAMPLE_TIME = 21, /* u64 first, u64 last, ns; ours: start and stop of recording */
	HEADER_MEM_TOPOLOGY = 22,
	HEADER_CLOCKID = 23, /* u64 resolution in ns */
	HEADER_DIR_FORMAT = 24,
	HEADER_BPF_PROG_INFO = 25,
	HEADER_BPF_BTF = 26,
	HEADER_COMPRESSED = 27, /* struct perfdata_compressed */
	HEADER_CPU_PMU_CAPS = 28,
	HEADER_CLOCK_DATA = 29, /* struct perfdata_clock_data */
	HEADER_HYBRID_TOPOLOGY = 30,
	HEADER_PMU_CAPS = 31,
	HEADER_CPU_DOMAIN_INFO = 32,
	HEADER_E_MACHINE = 33,
	HEADER_CLN_SIZE = 34,
	HEADER_LAST_FEATURE, /* the first number unknown to the stock tool (7.2) */

	/*
	 * Our own, in records of struct perfdata_early. Until 2026 it was a feature section, which
	 * makes perf inject crash: it looks up each number in a table that ends at its own last
	 * feature. Text, lines of "key: value", each present only if the recording machine provided
	 * it:
	 *	pageblock_order: 9
	 *	migratetypes: Unmovable Movable Reclaimable HighAtomic Isolate   (0, 1, 2 ...)
	 *	min_free_kbytes: 67584
	 *	possible-cpus: 8   (number of CPUs that have a copy of percpu memory)
	 *	wall_clock_ns: 1763779267000000000   (since 1970, when the file was begun)
	 *	kmalloc-caches: kmalloc dma-kmalloc kmalloc-rcl kmalloc-cg   (existing ones)
	 *	reclaimable-caches: dentry/inode_cache   (reclaim_account in /sys/kernel/slab)
	 *	cache-aliases: UNIX/UNIX-STREAM/signal_cache   (merged; one line per such cache)
	 *	filter: common_pid != 42 || common_flags & 24   (in the kernel, for all events)
	 *	offline: 1,3   (CPUs that went offline while recording: their events ended)
	 *	event: kmem:kmalloc count=1000 lost=3
	 *	event-filter: kmem:kmalloc bytes_alloc > 4096   (additional, for one event)
	 *	slab-counts: 1000 2000 all   (times of two readings of the kernel's own counts)
	 *	slab-count: 10 16 12 16 256 16 64 filp   (one line per cache, sorted by name)
	 * slab-counts ends with "all", or with "part" if only some tasks, CPUs or events were
	 * recorded. slab-count has the objects in use and all objects of each reading, bytes of an
	 * object, objects per slab, slab_count.hidden, and the name.
	 *
	 * The event lines have the kernel's own counts: count includes the lost events. The excess
	 * over samples + lost was counted but never delivered (seen on 6.18) or, if the line ends
	 * with unwritten=N, did not fit on the disk.
	 */
	HEADER_RECORDING_INFO = 200,
	HEADER_MODULES = 201, /* in such records, too; lines as in util/source/facts.h */
};

struct perfdata_compressed {
	uint32_t version; /* 1 */
	uint32_t type;	  /* PERFDATA_COMPRESS_ZSTD */
	uint32_t level;
	uint32_t ratio;
	uint32_t mmap_len; /* limit for the unpacked size of one COMPRESSED record */
};

#define PERFDATA_COMPRESS_ZSTD 1

struct perfdata_clock_data {
	uint32_t version;			 /* 1 */
	uint32_t clockid;			 /* clock of the events */
	uint64_t wall_clock_ns, clockid_time_ns; /* one moment on both clocks */
};

/* Types of records written by tools, not by the kernel. */
enum perfdata_record_type {
	PERF_RECORD_USER_TYPE_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,	      /* attr, u64 ids[] */
	PERF_RECORD_HEADER_EVENT_TYPE = 65,   /* unused since 2012 */
	PERF_RECORD_HEADER_TRACING_DATA = 66, /* u32 size; `size` bytes follow the record */
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68, /* later records are not older than the round before it */
	PERF_RECORD_ID_INDEX = 69,
	PERF_RECORD_AUXTRACE_INFO = 70,
	PERF_RECORD_AUXTRACE = 71, /* u64 size; `size` bytes follow the record */
	PERF_RECORD_AUXTRACE_ERROR = 72,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_CPU_MAP = 74,
	PERF_RECORD_STAT_CONFIG = 75,
	PERF_RECORD_STAT = 76,
	PERF_RECORD_STAT_ROUND = 77,
	PERF_RECORD_EVENT_UPDATE = 78, /* u64 type, u64 id; ours: struct perfdata_early */
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80, /* u64 feature, its bytes: a feature in a pipe */
	PERF_RECORD_COMPRESSED = 81,	 /* a piece of the zstd stream of records */
	PERF_RECORD_FINISHED_INIT = 82,	 /* end of the synthesized records */
	PERF_RECORD_COMPRESSED2 = 83,	 /* u64 size, then as COMPRESSED, padded to 8 */
	PERF_RECORD_BPF_METADATA = 84,
	PERF_RECORD_SCHEDSTAT_CPU = 85,
	PERF_RECORD_SCHEDSTAT_DOMAIN = 86,
	PERF_RECORD_HEADER_MAX, /* the first number unknown to stock (7.2) */
};

/* One entry of HEADER_BUILD_ID, and the HEADER_BUILD_ID record; followed by a name. perf 7.2
 * rejects a pipe unless the record's size is a multiple of 8. */
struct perfdata_build_id {
	struct perf_event_header header; /* misc: PERF_RECORD_MISC_KERNEL/USER, .._BUILD_ID_SIZE */
	int32_t pid;			 /* -1: the host */
	uint8_t build_id[20];
	uint8_t size; /* size of build_id; valid with PERF_RECORD_MISC_BUILD_ID_SIZE, else 20 */
	uint8_t reserved[3];
};

#define PERF_RECORD_MISC_BUILD_ID_SIZE (1 << 15)

/*
 * Our own data, in the data section, because an unfinished file has no features, and a pipe has
 * none for facts known only at its end. Stock ignores an EVENT_UPDATE of an unknown type, and perf
 * inject copies it.
 *
 * Kind HEADER_TRACING_DATA: the first records, one stream of `total` bytes, cut anywhere. It is a
 * tracing data section, in a file without kernel symbols, and is ignored if the file has that
 * feature. Kind HEADER_RECORDING_INFO: whole lines in each record; those about the machine come
 * before the samples, the counts after them. Kind HEADER_MODULES: whole lines about modules that
 * were loaded or unloaded, before the rounds with newer samples.
 */
struct perfdata_early {
	struct perf_event_header header;
	uint64_t magic;	 /* PERFDATA_EARLY_MAGIC; for stock, the type of the update */
	uint64_t event;	 /* 0: stock requires an event's id, and 0 means the first one */
	uint32_t kind;	 /* HEADER_TRACING_DATA, HEADER_RECORDING_INFO or HEADER_MODULES */
	uint32_t offset; /* offset of these bytes in the stream */
	uint32_t total;	 /* bytes of the whole stream */
	uint32_t size;	 /* bytes in this record, without padding */
};

/* The same until 2026, without `event`, in records of type EVENT_TYPE, which perf inject drops. */
#define PERFDATA_EARLY_MAGIC 0x594c5241454d454bULL /* "KEMEARLY", little-endian */

/*
 * Lost events: LOST records count by ring buffer. LOST_SAMPLES records, written at the end from
 * read_format LOST (since 6.1, "perf: Add PERF_FORMAT_LOST"), count the same losses by event id.
 * Never add the two.
 */

/* Missing from the linux/perf_event.h of Debian 12 (6.1). */
#ifndef PERF_RECORD_MISC_LOST_SAMPLES_BPF
#define PERF_RECORD_MISC_LOST_SAMPLES_BPF (1 << 15)
#endif
#define PERFDATA_RECORD_CALLCHAIN_DEFERRED 22	      /* since 6.19 */
#define PERFDATA_SAMPLE_BRANCH_COUNTERS	   (1u << 19) /* since 6.8 */
#define PERFDATA_ATTR_SIZE_VER0		   64

#endif
