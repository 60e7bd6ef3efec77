// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/record.h"

#include "util/base/bytes.h"
#include "util/perfdata/format.h"

/* To add a type of record: one line here, and one in util/session if it is used there. */
static const struct record_type {
	const char *name;
	uint16_t min_size;
} types[] = {
	[PERF_RECORD_MMAP] = {"MMAP", 40},
	[PERF_RECORD_LOST] = {"LOST", 24},
	[PERF_RECORD_COMM] = {"COMM", 17},
	[PERF_RECORD_EXIT] = {"EXIT", 32},
	[PERF_RECORD_THROTTLE] = {"THROTTLE", 32},
	[PERF_RECORD_UNTHROTTLE] = {"UNTHROTTLE", 32},
	[PERF_RECORD_FORK] = {"FORK", 32},
	[PERF_RECORD_READ] = {"READ", 24},
	[PERF_RECORD_SAMPLE] = {"SAMPLE", 8},
	[PERF_RECORD_MMAP2] = {"MMAP2", 72},
	[PERF_RECORD_AUX] = {"AUX", 32},
	[PERF_RECORD_ITRACE_START] = {"ITRACE_START", 16},
	[PERF_RECORD_LOST_SAMPLES] = {"LOST_SAMPLES", 16},
	[PERF_RECORD_SWITCH] = {"SWITCH", 8},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {"SWITCH_CPU_WIDE", 16},
	[PERF_RECORD_NAMESPACES] = {"NAMESPACES", 24},
	[PERF_RECORD_KSYMBOL] = {"KSYMBOL", 24},
	[PERF_RECORD_BPF_EVENT] = {"BPF_EVENT", 24},
	[PERF_RECORD_CGROUP] = {"CGROUP", 17},
	[PERF_RECORD_TEXT_POKE] = {"TEXT_POKE", 20},
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = {"AUX_OUTPUT_HW_ID", 16},
	[PERFDATA_RECORD_CALLCHAIN_DEFERRED] = {"CALLCHAIN_DEFERRED", 24},
	[PERF_RECORD_HEADER_ATTR] = {"HEADER_ATTR", 8 + PERFDATA_ATTR_SIZE_VER0},
	[PERF_RECORD_HEADER_EVENT_TYPE] = {"HEADER_EVENT_TYPE", 8},
	[PERF_RECORD_HEADER_TRACING_DATA] = {"HEADER_TRACING_DATA", 12},
	[PERF_RECORD_HEADER_BUILD_ID] = {"HEADER_BUILD_ID", sizeof(struct perfdata_build_id)},
	[PERF_RECORD_FINISHED_ROUND] = {"FINISHED_ROUND", 8},
	[PERF_RECORD_ID_INDEX] = {"ID_INDEX", 16},
	[PERF_RECORD_AUXTRACE_INFO] = {"AUXTRACE_INFO", 16},
	[PERF_RECORD_AUXTRACE] = {"AUXTRACE", 16},
	[PERF_RECORD_AUXTRACE_ERROR] = {"AUXTRACE_ERROR", 16},
	[PERF_RECORD_THREAD_MAP] = {"THREAD_MAP", 16},
	[PERF_RECORD_CPU_MAP] = {"CPU_MAP", 10},
	[PERF_RECORD_STAT_CONFIG] = {"STAT_CONFIG", 16},
	[PERF_RECORD_STAT] = {"STAT", 16},
	[PERF_RECORD_STAT_ROUND] = {"STAT_ROUND", 16},
	[PERF_RECORD_EVENT_UPDATE] = {"EVENT_UPDATE", 24},
	[PERF_RECORD_TIME_CONV] = {"TIME_CONV", 32},
	[PERF_RECORD_HEADER_FEATURE] = {"HEADER_FEATURE", 16},
	[PERF_RECORD_COMPRESSED] = {"COMPRESSED", 8},
	[PERF_RECORD_FINISHED_INIT] = {"FINISHED_INIT", 8},
	[PERF_RECORD_COMPRESSED2] = {"COMPRESSED2", 16},
	[PERF_RECORD_BPF_METADATA] = {"BPF_METADATA", 8},
	[PERF_RECORD_SCHEDSTAT_CPU] = {"SCHEDSTAT_CPU", 8},
	[PERF_RECORD_SCHEDSTAT_DOMAIN] = {"SCHEDSTAT_DOMAIN", 8},
};

bool record_type_known(uint32_t type)
{
	return type < sizeof(types) / sizeof(types[0]) && types[type].name;
}

const char *record_type_name(uint32_t type)
{
	return record_type_known(type) ? types[type].name : "unknown";
}

/* 8 for unknown types. */
static uint16_t least_size(uint32_t type)
{
	return record_type_known(type) ? types[type].min_size : RECORD_HEADER_SIZE;
}

enum record_status record_peek_any(const uint8_t *data, uint64_t left, bool swap,
				   struct record *ret_record)
{
	struct record *r = ret_record;

	*r = (struct record){.data = data, .total = RECORD_HEADER_SIZE};
	if (left < RECORD_HEADER_SIZE)
		return RECORD_SHORT;
	r->type = load_u32(data, swap);
	r->misc = load_u16(data + 4, swap);
	r->size = load_u16(data + 6, swap);
	r->total = r->size;
	if (r->size < least_size(r->type))
		return RECORD_BAD;
	if (left < r->size)
		return RECORD_SHORT;
	if (r->type == PERF_RECORD_HEADER_TRACING_DATA)
		r->total += ((uint64_t)load_u32(data + 8, swap) + 7) & ~7ull;
	if (r->type == PERF_RECORD_AUXTRACE) {
		uint64_t follows = load_u64(data + 8, swap);

		if (follows > UINT64_MAX / 2)
			return RECORD_BAD;
		r->total += follows;
	}
	return left < r->total ? RECORD_SHORT : RECORD_OK;
}
