/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_attr: the fields of a recorded perf_event_attr that reading needs.
 *
 * On disk the struct has the size that it had in the recording kernel (64 bytes in 2.6.32, 136 in
 * 6.12). The known prefix is decoded, the rest is skipped. All fields are in this machine's byte
 * order here. The flag bits follow the type in include/uapi/linux/perf_event.h. On a big-endian
 * machine the compiler puts the first bit field in the most significant bit, which attr_parse()
 * undoes.
 */
#ifndef PERFDATA_ATTR_H
#define PERFDATA_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/bytes.h"
#include "util/base/error.h"

#define ATTR_SIZE_VER0 64u

struct event_attr {
	uint32_t type;
	uint32_t size; /* on disk, bytes */
	uint64_t config;
	uint64_t sample_period;
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t flags;	      /* bit n: the n-th bit field of the attr */
	uint32_t wakeup;      /* events, or bytes if the flag "watermark" is set */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user; /* bytes */
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint16_t sample_max_stack; /* frames; 0: the kernel's limit */
};

/* Bits of `flags`. */
enum {
	ATTR_INHERIT = 1,
	ATTR_FREQ = 10,
	ATTR_SAMPLE_ID_ALL = 18,
	ATTR_EXCLUDE_CALLCHAIN_USER = 22,
	ATTR_USE_CLOCKID = 25,
};

static inline bool attr_flag(const struct event_attr *attr, unsigned int bit)
{
	return attr->flags >> bit & 1;
}

/*
 * Decode the attr at b->pos and move past it. stride: its size in bytes; 0: use its own size field
 * (pipe records). big_endian: byte order of the recording. Errors: -EINVAL if the bytes end too
 * early.
 */
int attr_parse(struct bytes *b, uint64_t stride, bool big_endian, struct event_attr *ret_attr,
	       struct error *err);

#endif
