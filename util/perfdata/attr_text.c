// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/attr_text.h"

#include <inttypes.h>

/* Names of bits and flags, in the order of the bits. NULL: named elsewhere. */
static const char *const sample_types[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};
static const char *const read_formats[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};
#define PRECISE_IP 15 /* a number of two bits, this one and the next */
static const char *const flags[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL,
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void add_bits(struct strbuf *sb, const char *what, uint64_t bits, const char *const *names,
		     size_t nr)
{
	const char *separator = "";

	if (!bits)
		return;
	strbuf_addf(sb, ", %s: ", what);
	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1))
			continue;
		strbuf_addf(sb, "%s%s", separator, names[i]);
		separator = "|";
	}
	if (bits >> nr)
		strbuf_addf(sb, "%s0x%" PRIx64, separator, bits >> nr << nr);
}

static void add_number(struct strbuf *sb, const char *what, uint64_t number)
{
	if (number)
		strbuf_addf(sb, ", %s: %" PRIu64, what, number);
}

static void add_flags(struct strbuf *sb, uint64_t bits)
{
	for (size_t i = 0; i < LENGTH(flags); i++) {
		if (i == PRECISE_IP)
			add_number(sb, "precise_ip", bits >> i & 3);
		else if (flags[i])
			add_number(sb, flags[i], bits >> i & 1);
	}
	if (bits >> LENGTH(flags))
		strbuf_addf(sb, ", flags: 0x%" PRIx64, bits >> LENGTH(flags) << LENGTH(flags));
}

void attr_text_add(struct strbuf *sb, const struct event_attr *attr)
{
	strbuf_addf(sb, "type: %" PRIu32 ", size: %" PRIu32, attr->type, attr->size);
	if (attr->config)
		strbuf_addf(sb, ", config: 0x%" PRIx64, attr->config);
	add_number(sb, "{ sample_period, sample_freq }", attr->sample_period);
	add_bits(sb, "sample_type", attr->sample_type, sample_types, LENGTH(sample_types));
	add_bits(sb, "read_format", attr->read_format, read_formats, LENGTH(read_formats));
	add_flags(sb, attr->flags);
	add_number(sb, "{ wakeup_events, wakeup_watermark }", attr->wakeup);
	if (attr->branch_sample_type)
		strbuf_addf(sb, ", branch_sample_type: 0x%" PRIx64, attr->branch_sample_type);
	if (attr->sample_regs_user)
		strbuf_addf(sb, ", sample_regs_user: 0x%" PRIx64, attr->sample_regs_user);
	add_number(sb, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		strbuf_addf(sb, ", clockid: %" PRId32, attr->clockid);
	if (attr->sample_regs_intr)
		strbuf_addf(sb, ", sample_regs_intr: 0x%" PRIx64, attr->sample_regs_intr);
	add_number(sb, "sample_max_stack", attr->sample_max_stack);
}
