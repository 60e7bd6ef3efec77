/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trace_dat: the metadata of a trace-cmd file, and the places of its events.
 *
 * Version 6 has its parts one after the other. Version 7 has sections, which may be compressed, and
 * options with the place of each section. A file has one ring buffer or several (tracefs
 * instances), each with pages for every CPU. Every offset and size is checked against the file, so
 * the existing parts of a truncated or damaged file can be read; `damage` describes the missing
 * ones. If a version 7 file ends before the option that describes a buffer, the pages are found
 * nevertheless.
 *
 * This does not use libtracecmd. 3.1.6 refuses a file that is truncated anywhere in its data, for
 * example because the disk was full (tracecmd_init_data() fails: "File possibly truncated"). It
 * prints its errors itself, and reads pages with a kbuffer that trusts their sizes (ring_page.h).
 *
 * The caller owns the bytes (a map of the file), which must outlive it. Facts: trace-cmd's
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

/* More than machines have CPUs, or tracing sessions have instances. */
#define TRACE_DAT_CPUS_MAX    65536
#define TRACE_DAT_BUFFERS_MAX 1024

struct trace_dat_buffer {
	char *name; /* name of the tracefs instance; "" for the top one */
	uint32_t page_size;
};

/* The pages of one CPU in one buffer. */
struct trace_dat_cpu {
	uint32_t buffer; /* index of the buffer */
	int32_t cpu;
	uint64_t pos, size; /* within the file; no two overlap */
	bool packed;
};

struct trace_dat {
	const uint8_t *data;
	uint64_t size;
	uint64_t held_max; /* limit for the unpacked bytes of its sections */
	unsigned int version;
	bool swap;
	enum block_packing packing;
	struct tracing_data formats; /* including the kernel's symbols */
	char *stack_format;	     /* text of ftrace:kernel_stack; NULL: none */
	struct bytes cmdlines;	     /* lines "PID NAME" */
	char *uname;		     /* "Linux HOST RELEASE MACHINE"; NULL if unknown */
	char *clock;		     /* "local", "mono"; NULL if unknown */
	uint32_t nr_cpus;	     /* CPUs of the machine; 0 if unknown */
	uint64_t nr_overrun;	     /* number of lost events according to the kernel, all CPUs */
	struct trace_dat_buffer *buffers;
	size_t nr_buffers;
	struct trace_dat_cpu *cpus;
	size_t nr_cpu_buffers; /* entries of cpus */
	struct {
		char what[160]; /* the first damage; "": none */
		uint64_t pos;
		bool truncated;
	} damage;
	/* unpacked sections; the formats and names point into them */
	uint8_t **unpacked;
	size_t nr_unpacked;
	uint64_t unpacked_bytes;
	uint32_t sections_read; /* bits: numbers of the options */
};

/* Options and sections, by trace-cmd's numbers. */
enum {
	OPTION_DONE = 0, /* version 7: place of the next options */
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUCOUNT = 8,
	/* sections of version 7; their options contain their places */
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22,
};

bool trace_dat_is(const uint8_t *head, size_t size);
void trace_dat_deinit(struct trace_dat *t);

/* ---- for the readers of its versions ---- */

/* Note damage, if it is the first. */
void trace_dat_damage(struct trace_dat *t, uint64_t pos, bool truncated, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The bytes of the file from a position on, and the position of such bytes. */
struct bytes trace_dat_bytes(const struct trace_dat *t, uint64_t pos);
uint64_t trace_dat_pos(const struct trace_dat *t, const struct bytes *b);

/* Read the parts that all versions have. Errors: -ENOMEM. */
int trace_dat_read_ftrace(struct trace_dat *t, struct bytes *b);
void trace_dat_read_kallsyms(struct trace_dat *t, struct bytes *b);
void trace_dat_read_cmdlines(struct trace_dat *t, struct bytes *b);

/* Returns the buffer's index. Errors: -ENOMEM; -E2BIG if there are more than
 * TRACE_DAT_BUFFERS_MAX. */
int trace_dat_add_buffer(struct trace_dat *t, const char *name, uint32_t page_size);
/* Add a CPU's pages to the buffer added last, as far as they are in the file. Errors: -ENOMEM. */
int trace_dat_add_cpu(struct trace_dat *t, uint32_t cpu, uint64_t pos, uint64_t size, bool packed);
/* Omit pages that overlap another CPU's. Called once all CPUs are added. Errors: -ENOMEM. */
int trace_dat_drop_overlaps(struct trace_dat *t);
/* Store the text of an option, which may lack a NUL. Errors: -ENOMEM. */
int trace_dat_set_text(char **text, const char *from, size_t size);
/* Read an option that all versions have. Errors: -ENOMEM. */
int trace_dat_take_option(struct trace_dat *t, unsigned int id, const char *text, size_t size);

/* Set the error that the file ends before its events, and return it. */
int trace_dat_error_short(const struct trace_dat *t, struct error *err);

#endif
