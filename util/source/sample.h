/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample: one occurrence of an event as a tracer delivers it, its fields not yet decoded.
 *
 * The raw bytes are what the tracepoint wrote; the event's format says where its fields are
 * (util/tracepoint).  A sample points into its source's memory and owns nothing.
 */
#ifndef SOURCE_SAMPLE_H
#define SOURCE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct source_event;

/* User space at the moment of the sample, in the sample's byte order. */
struct sample_user {
	const uint8_t *regs;  /* u64 each, lowest first; NULL: none, as in a kernel thread, and
			       * the other members say nothing */
	const uint8_t *stack; /* from the stack pointer on; NULL: none */
	uint64_t mask;	      /* which registers (util/machine/user_regs.h) */
	uint32_t stack_size;  /* bytes that are valid */
	bool is_32bit;	      /* of a process that is */
};

/* What most samples do not have is side by side, which makes it quick to clear. */
struct sample {
	struct source_event *event; /* the event it belongs to; set by whoever knows */
	uint64_t time_ns;
	uint32_t pid;
	uint32_t tid;
	int32_t cpu;  /* -1: not recorded */
	bool swap;    /* callchain and raw are in the other byte order */
	bool in_user; /* user space was interrupted: ip is an address of it */
	const uint8_t *raw;
	uint32_t raw_size;
	uint64_t ip;	 /* where it was taken; 0: not recorded, or not asked for */
	uint64_t period; /* it stands for so many; 0: as ip */
	uint64_t cgroup; /* id of the control group it was taken in; 0: not recorded */
	uint64_t nr_callchain;
	const uint8_t *callchain; /* nr_callchain u64 entries (util/machine/callchain.h) */
	struct sample_user user;
};

#endif
