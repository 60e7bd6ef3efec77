/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample: one occurrence of an event as a tracer delivers it, its fields not yet decoded.
 *
 * The raw bytes were written by the tracepoint; the event's format describes their fields
 * (util/tracepoint). A sample points into its source's memory and owns nothing.
 */
#ifndef SOURCE_SAMPLE_H
#define SOURCE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct source_event;

/* User space at the moment of the sample, in the sample's byte order. */
struct sample_user {
	const uint8_t *regs;  /* u64 values, lowest first; NULL: none (a kernel thread) */
	const uint8_t *stack; /* from the stack pointer upwards; NULL: none */
	uint64_t mask;	      /* bits: registers (util/machine/user_regs.h) */
	uint32_t stack_size;  /* number of valid bytes */
	bool is_32bit;	      /* of a 32-bit process */
};

/* Members that few samples have are neighbours, so that they are cleared quickly. */
struct sample {
	struct source_event *event; /* its event; set by code that knows it */
	uint64_t time_ns;
	uint32_t pid;
	uint32_t tid;
	int32_t cpu;  /* -1: not recorded */
	bool swap;    /* callchain and raw are in the other byte order */
	bool in_user; /* user space was interrupted: ip is a user address */
	const uint8_t *raw;
	uint32_t raw_size; /* 0 without raw */
	uint64_t ip;	   /* interrupted address; 0: not recorded, or not requested */
	uint64_t period;   /* number of events that it stands for; 0: as ip */
	uint64_t cgroup;   /* id of the task's control group; 0: not recorded */
	uint64_t nr_callchain;
	const uint8_t *callchain; /* nr_callchain u64 entries (util/machine/callchain.h) */
	struct sample_user user;
};

#endif
