// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/task_record.h"

#include "util/base/bytes.h"
#include "util/perfdata/format.h"

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
 * u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time.  What the recorder writes about the tasks that
 * were there already has the flag FORK_EXEC: they have not just got the maps of their parents.
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

/* as FORK */
static int hand_exit(const struct event_sink *sink, void *ctx, struct bytes b)
{
	uint32_t pid = bytes_u32(&b), tid;

	bytes_take(&b, 4);
	tid = bytes_u32(&b);
	return b.failed || pid != tid ? 0 : sink->process(ctx, PROCESS_EXITED, pid, 0);
}

/*
 * u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, then MMAP2 has 24 bytes that say which file it
 * is, u32 prot and u32 flags, then the path.  These 24 are u32 major, u32 minor, u64 inode, u64
 * generation; or u8 size, 3 bytes of nothing, the build-id.
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
