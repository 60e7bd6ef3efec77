/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trace_dat: what a file of trace-cmd says before its events, and where they are.
 *
 * Version 6 has its parts one after the other; version 7 has sections, which may be compressed, and
 * options that say where each is.  A file has one ring buffer or several (tracefs instances), each
 * with pages for every CPU.  Every offset and size is checked against the file, so that one that is
 * cut or damaged gives what is there: `damage` says what is not.  Of a version 7 that ends before
 * the option that describes a buffer, the pages are found nevertheless.
 *
 * This does not use libtracecmd: 3.1.6 refuses a file that is cut anywhere in its data, as one is
 * whose disk was full (tracecmd_init_data() fails: "File possibly truncated"), prints its errors by
 * itself, and reads pages with a kbuffer that believes them (ring_page.h).
 *
 * The bytes are the caller's (a map of the file) and must outlive it.  Facts: trace-cmd's
 * Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and v7.5.txt, and files that it wrote.
 */
#ifndef FTRACE_TRACE_DAT_H
#define FTRACE_TRACE_DAT_H

#include "util/base/bytes.h"
#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/ftrace/unpack_block.h"
#include "util/tracepoint/tracing_data.h"

#define TRACE_DAT_MAGIC "\x17\x08\x44tracing"

/* A machine has fewer, and a session of tracing fewer instances. */
#define TRACE_DAT_CPUS_MAX    65536
#define TRACE_DAT_BUFFERS_MAX 1024

struct trace_dat_buffer {
	char *name; /* of the tracefs instance; "": the top one */
	uint32_t page_size;
};

/* The pages of one CPU in one buffer. */
struct trace_dat_cpu {
	uint32_t buffer; /* its index */
	int32_t cpu;
	uint64_t pos, size; /* in the file, inside of it */
	bool packed;
};

struct trace_dat {
	const uint8_t *data;
	uint64_t size;
	unsigned int version;
	bool swap;
	enum block_packing packing;
	struct tracing_data formats; /* with the kernel's symbols */
	char *stack_format;	     /* the text of ftrace:kernel_stack; NULL: none */
	struct bytes cmdlines;	     /* lines "PID NAME" */
	char *uname;		     /* "Linux HOST RELEASE MACHINE"; NULL: not told */
	char *clock;		     /* "local", "mono"; NULL: not told */
	uint32_t nr_cpus;	     /* of the machine; 0: not told */
	uint64_t nr_overrun;	     /* events that the kernel says were lost, of all CPUs */
	struct trace_dat_buffer *buffers;
	size_t nr_buffers;
	struct trace_dat_cpu *cpus;
	size_t nr_cpu_buffers; /* of those */
	struct {
		char what[160]; /* the first; "": none */
		uint64_t pos;
		bool truncated;
	} damage;
	/* unpacked sections, which the formats and names point into */
	uint8_t **unpacked;
	size_t nr_unpacked;
};

bool trace_dat_is(const uint8_t *head, size_t size);

/*
 * Errors: it ends or makes no sense before the formats of its events, has another version or an
 * unknown compression, or holds the text of a latency tracer.  trace_dat_deinit() may be called
 * even then.
 */
int trace_dat_parse(struct trace_dat *t, const uint8_t *data, uint64_t size, struct error *err);
void trace_dat_deinit(struct trace_dat *t);

#endif
