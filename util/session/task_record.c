// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/task_record.h"

#include <errno.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/format.h"
#include "util/session/feature.h"

bool task_record_wanted(const struct event_sink *sink, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_CGROUP:
		return sink->cgroup != NULL;
	case PERF_RECORD_EXIT:
		return sink->process != NULL;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return sink->map != NULL;
	default:
		return (sink->comm && sink->fork) || sink->process;
	}
}

/* u64 id, path */
static int hand_cgroup(const struct event_sink *sink, void *ctx, struct bytes b)
{
	uint64_t id = bytes_u64(&b);
	const char *path = bytes_cstr(&b);

	return path ? sink->cgroup(ctx, id, path) : 0;
}

/* u32 pid, u32 tid, name */
static int hand_comm(const struct event_sink *sink, void *ctx, struct bytes b, uint16_t misc)
{
	uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b);
	const char *name = bytes_cstr(&b);
	int ret = 0;

	if (name && sink->process && misc & PERF_RECORD_MISC_COMM_EXEC)
		ret = sink->process(ctx, PROCESS_EXEC, pid, 0);
	return ret || !name || !sink->comm ? ret : sink->comm(ctx, tid, name);
}

/*
 * u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time. The flag FORK_EXEC is set in records that the
 * recorder writes for tasks that exist already: they do not inherit their parents' maps at this
 * time.
 */
static int hand_fork(const struct event_sink *sink, void *ctx, struct bytes b, uint16_t misc)
{
	uint32_t pid = bytes_u32(&b), parent_pid = bytes_u32(&b);
	uint32_t tid = bytes_u32(&b), parent_tid = bytes_u32(&b);
	int ret = 0;

	if (b.failed)
		return 0;
	if (sink->process && pid != parent_pid)
		ret = sink->process(
			ctx, misc & PERF_RECORD_MISC_FORK_EXEC ? PROCESS_NEW : PROCESS_FORKED, pid,
			parent_pid);
	return ret || !sink->fork ? ret : sink->fork(ctx, parent_tid, tid);
}

/* Same layout as FORK. */
static int hand_exit(const struct event_sink *sink, void *ctx, struct bytes b)
{
	uint32_t pid = bytes_u32(&b), tid;

	bytes_take(&b, 4);
	tid = bytes_u32(&b);
	return b.failed || pid != tid ? 0 : sink->process(ctx, PROCESS_EXITED, pid, 0);
}

/*
 * Number of modules, and bytes of their names (paths, in stock's files). Further modules are
 * ignored, because compressed records could contain any number.
 */
#define MODULES_MAX	8192
#define MODULE_NAME_MAX 255

/*
 * name: "[ext4]", or in stock's files the path, whose file name may have '-' instead of '_' and
 * ends with ".ko" or ".ko.xz".
 */
static void module_name(const char *name, char ret[static MODULE_NAME_MAX + 1])
{
	const char *slash = strrchr(name, '/');
	size_t len = 0;

	name = slash ? slash + 1 : name + (*name == '[');
	while (len < MODULE_NAME_MAX && name[len] && name[len] != ']' && name[len] != '.') {
		ret[len] = name[len];
		if (ret[len] == '-')
			ret[len] = '_';
		len++;
	}
	ret[len] = '\0';
}

/* Its build-id is in a list by paths: in the file's header, or from this record. */
static int note_module(struct recording *r, const char *path, uint64_t start, uint64_t length)
{
	static const struct source_build_id none;
	const struct source_build_id *id = &none;
	struct source_facts *f = &r->facts;
	char name[MODULE_NAME_MAX + 1];

	if (f->nr_loaded >= MODULES_MAX || length > UINT64_MAX - start)
		return 0;
	for (size_t i = f->nr_build_ids; i-- > 0 && id == &none;)
		if (f->build_ids[i].of_kernel && !strcmp(f->build_ids[i].path, path))
			id = &f->build_ids[i];
	module_name(path, name);
	return source_facts_add_module(f, name, start, start + length, id->id, id->size);
}

/*
 * u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, then, in MMAP2, 24 bytes that identify the file,
 * u32 prot and u32 flags, then the path. The 24 bytes are u32 major, u32 minor, u64 inode, u64
 * generation; or u8 size, 3 unused bytes, and the build-id.
 */
static int hand_map(const struct event_sink *sink, void *ctx, struct bytes b, uint32_t type,
		    uint16_t misc)
{
	struct source_map map = {.pid = bytes_u32(&b), .tid = bytes_u32(&b)};

	map.start = bytes_u64(&b);
	map.length = bytes_u64(&b);
	map.file_offset = bytes_u64(&b);
	if (type == PERF_RECORD_MMAP2) {
		struct bytes identity = bytes_sub(&b, 24);

		if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			size_t size = bytes_u8(&identity);

			bytes_take(&identity, 3);
			map.build_id_size = size <= BUILD_ID_MAX ? size : 0;
			map.build_id = bytes_take(&identity, map.build_id_size);
		} else {
			map.major = bytes_u32(&identity);
			map.minor = bytes_u32(&identity);
			map.inode = bytes_u64(&identity);
		}
		map.prot = bytes_u32(&b);
		map.flags = bytes_u32(&b);
	}
	map.path = bytes_cstr(&b);
	return map.path ? sink->map(ctx, &map) : 0;
}

int task_record_hand(const uint8_t *data, bool swap, const struct event_sink *sink, void *ctx)
{
	struct bytes b = bytes_make(data + 8, load_u16(data + 6, swap) - 8u, swap);
	uint32_t type = load_u32(data, swap);
	uint16_t misc = load_u16(data + 4, swap);

	switch (type) {
	case PERF_RECORD_CGROUP:
		return hand_cgroup(sink, ctx, b);
	case PERF_RECORD_COMM:
		return hand_comm(sink, ctx, b, misc);
	case PERF_RECORD_FORK:
		return hand_fork(sink, ctx, b, misc);
	case PERF_RECORD_EXIT:
		return hand_exit(sink, ctx, b);
	default:
		return hand_map(sink, ctx, b, type, misc);
	}
}

/* u64 id, u64 lost */
static int note_lost(struct recording *r, const struct record *rec)
{
	const uint64_t id = load_u64(rec->data + 8, r->swap);
	const uint64_t lost = load_u64(rec->data + 16, r->swap);
	struct recorded_event *ev = recording_event_by_id(r, id);

	if (!ev && id && r->facts.nr_events)
		ev = recording_event(r, 0);
	if (ev)
		ev->nr_lost_records += lost;
	else
		r->nr_lost_of_any += lost;
	return 0;
}

/* symbol: the kernel's name, followed by that of the symbol whose address is pgoff. */
static void note_kernel(struct recording *r, const char *symbol, uint64_t address, uint64_t length,
			uint64_t pgoff)
{
	if (strlen(symbol) >= sizeof(r->facts.kernel_text_symbol))
		return;
	memcpy(r->facts.kernel_text_symbol, symbol, strlen(symbol) + 1);
	r->facts.kernel_text_address = pgoff;
	r->facts.kernel_start = address;
	r->facts.kernel_end = length <= UINT64_MAX - address ? address + length : UINT64_MAX;
}

/*
 * u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, filename. Before the name, MMAP2 has 24 bytes
 * with u8 size, 3 unused bytes and the build-id, then u32 prot and u32 flags.
 */
static int note_mmap(struct recording *r, const struct record *rec)
{
	const bool has_id =
		rec->type == PERF_RECORD_MMAP2 && rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct bytes b = bytes_make(rec->data + 16, rec->size - 16, r->swap), identity;
	uint64_t address, length, pgoff;
	const char *name;
	bool is_kernel;
	size_t size;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return 0;
	address = bytes_u64(&b);
	length = bytes_u64(&b);
	pgoff = bytes_u64(&b);
	identity = bytes_sub(&b, rec->type == PERF_RECORD_MMAP2 ? 24 : 0);
	if (rec->type == PERF_RECORD_MMAP2)
		bytes_take(&b, 8);
	name = bytes_cstr(&b);
	if (!name)
		return 0;
	is_kernel = !strncmp(name, RECORDING_KERNEL, sizeof(RECORDING_KERNEL) - 1);
	if (is_kernel && name[sizeof(RECORDING_KERNEL) - 1])
		note_kernel(r, name + sizeof(RECORDING_KERNEL) - 1, address, length, pgoff);
	if (strlen(name) > MODULE_NAME_MAX)
		return 0;
	size = bytes_u8(&identity);
	bytes_take(&identity, 3);
	if (has_id && r->facts.nr_build_ids <= MODULES_MAX && size <= BUILD_ID_MAX &&
	    recording_add_build_id(r, is_kernel ? RECORDING_KERNEL : name, true, identity.pos,
				   size))
		return -ENOMEM;
	return is_kernel ? 0 : note_module(r, name, address, length);
}

/* Pipes only: an event and its ids. */
static int note_attr(struct recording *r, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	struct event_attr attr;

	if (!r->pipe)
		return 0;
	if (r->facts.nr_events >= UINT16_MAX || attr_parse(&b, 0, r->facts.big_endian, &attr, NULL))
		return -EBADMSG;
	if (!recording_add_event(r, &attr))
		return -ENOMEM;
	while (bytes_left(&b) >= 8) {
		int ret = recording_add_id(r, bytes_u64(&b), (uint32_t)r->facts.nr_events - 1);

		if (ret)
			return ret;
	}
	return 0;
}

/* Pipes only: u64 feature, then its bytes. */
static int note_feature(struct recording *r, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	uint64_t bit = bytes_u64(&b);

	if (bit >= PERFDATA_FEATURE_BITS)
		return 0;
	return feature_read(r, (unsigned int)bit, b);
}

static int note_build_id(struct recording *r, const struct record *rec)
{
	return feature_read(r, HEADER_BUILD_ID, bytes_make(rec->data, rec->size, r->swap));
}

/* Handlers by record type; records without one are skipped. */
static int (*const handlers[])(struct recording *r, const struct record *rec) = {
	[PERF_RECORD_MMAP] = note_mmap,
	[PERF_RECORD_LOST] = note_lost,
	[PERF_RECORD_MMAP2] = note_mmap,
	[PERF_RECORD_HEADER_ATTR] = note_attr,
	[PERF_RECORD_HEADER_BUILD_ID] = note_build_id,
	[PERF_RECORD_HEADER_FEATURE] = note_feature,
};

int about_record_note(struct recording *r, const struct record *rec)
{
	if (rec->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[rec->type])
		return handlers[rec->type](r, rec);
	return 0;
}
