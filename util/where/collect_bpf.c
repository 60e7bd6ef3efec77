// SPDX-License-Identifier: GPL-2.0-or-later
/* Written with the system call, so that it is in programs built without libbpf, too. */
#include "util/where/collect_bpf.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/where/collect_tasks.h"
#include "util/where/holders.h"
#include "util/where/scan.h"

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The bytes that the kernel states for the object (map_mem_usage since 6.4, earlier an estimate);
 * 0 if it has none. */
static int64_t memlock(int object)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	static const char key[] = "\nmemlock:";
	const char *at;
	int64_t bytes;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", object);
	if (strbuf_read_file(&text, path))
		return 0;
	at = strstr(text.buf, key);
	if (!at)
		return 0;
	at += strlen(key);
	return scan_number(&at, &bytes) ? bytes : 0;
}

/* bpftool's words for the common types; the number of any other. */
static const char *map_type(uint32_t type, char buf[32])
{
	static const char *const names[] = {
		[BPF_MAP_TYPE_HASH] = "hash",
		[BPF_MAP_TYPE_ARRAY] = "array",
		[BPF_MAP_TYPE_PROG_ARRAY] = "prog_array",
		[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = "perf_event_array",
		[BPF_MAP_TYPE_PERCPU_HASH] = "percpu_hash",
		[BPF_MAP_TYPE_PERCPU_ARRAY] = "percpu_array",
		[BPF_MAP_TYPE_STACK_TRACE] = "stack_trace",
		[BPF_MAP_TYPE_LRU_HASH] = "lru_hash",
		[BPF_MAP_TYPE_LRU_PERCPU_HASH] = "lru_percpu_hash",
		[BPF_MAP_TYPE_LPM_TRIE] = "lpm_trie",
		[BPF_MAP_TYPE_SOCKHASH] = "sockhash",
		[BPF_MAP_TYPE_RINGBUF] = "ringbuf",
	};

	if (type < sizeof(names) / sizeof(names[0]) && names[type])
		return names[type];
	snprintf(buf, 32, "map of type %u", type);
	return buf;
}

/* The name of a map, or of a program. */
static void name_object(int object, bool is_prog, char *name, size_t size)
{
	union bpf_attr attr;
	char type[32];
	union {
		struct bpf_map_info map;
		struct bpf_prog_info prog;
	} info;

	memset(&attr, 0, sizeof(attr));
	memset(&info, 0, sizeof(info));
	attr.info.bpf_fd = (uint32_t)object;
	attr.info.info_len = is_prog ? sizeof(info.prog) : sizeof(info.map);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		snprintf(name, size, "unknown");
	else if (is_prog)
		snprintf(name, size, "%.*s", (int)sizeof(info.prog.name), info.prog.name);
	else
		snprintf(name, size, "%s%s%.*s", map_type(info.map.type, type),
			 *info.map.name ? " " : "", (int)sizeof(info.map.name), info.map.name);
}

static void add_object(uint32_t id, bool is_prog, const struct table *owners, struct strbuf *sb)
{
	const uint64_t key = bpf_owner_key(is_prog, id);
	const struct bpf_owner *owner = table_find(owners, &key);
	struct holder h = {.kind = is_prog ? HOLDER_bpf_prog : HOLDER_bpf_map};
	_cleanup_close_ int object = -1;
	union bpf_attr attr;
	char name[128];

	memset(&attr, 0, sizeof(attr));
	attr.map_id = id; /* the same member for a program */
	object = bpf(is_prog ? BPF_PROG_GET_FD_BY_ID : BPF_MAP_GET_FD_BY_ID, &attr);
	if (object < 0)
		return;
	name_object(object, is_prog, name, sizeof(name));
	h.v[HOLDER_NR_bytes] = memlock(object);
	h.v[HOLDER_NR_id] = id;
	h.v[HOLDER_NR_pid] = owner ? (int64_t)owner->pid : 0;
	h.name = name;
	holder_write(sb, &h);
}

static void add_objects(bool is_prog, uint64_t deadline_ns, const struct table *owners,
			struct strbuf *sb)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	while (now_ns() < deadline_ns &&
	       !bpf(is_prog ? BPF_PROG_GET_NEXT_ID : BPF_MAP_GET_NEXT_ID, &attr)) {
		add_object(attr.next_id, is_prog, owners, sb);
		attr.start_id = attr.next_id;
	}
}

void collect_bpf(uint64_t deadline_ns, const struct table *owners, struct strbuf *sb)
{
	add_objects(false, deadline_ns, owners, sb);
	add_objects(true, deadline_ns, owners, sb);
}
