// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/live_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/host/cpulist.h"
#include "util/host/tasks.h"
#include "util/session/task_record.h"

#define ONLINE_CPUS "/sys/devices/system/cpu/online"

/* A process start takes 2 KiB; hundreds of them fit between two drains. */
#define BUFFER_BYTES (512u << 10)

static int open_cpu(struct mapping_cpu *c, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, /* the last word of every record */
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1, /* of processes that exec */
		.comm_exec = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	c->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return c->fd < 0 ? -errno : ring_buffer_init(&c->rb, c->fd, BUFFER_BYTES, false);
}

int live_maps_open(struct live_maps *m, struct error *err)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	int ret = cpulist_read_file(&online, ONLINE_CPUS, err);

	*m = (struct live_maps){.nr_cpus = 0};
	if (ret)
		return ret;
	m->cpus = calloc(online.nr ? online.nr : 1, sizeof(*m->cpus));
	if (!m->cpus)
		return error_nomem(err);
	for (size_t i = 0; i < online.nr && !ret; i++)
		ret = open_cpu(&m->cpus[m->nr_cpus++], online.cpus[i]);
	return ret ? error_set_errno(err, -ret,
				     "cannot follow the mappings of processes, which user stacks "
				     "need")
		   : 0;
}

void live_maps_close(struct live_maps *m)
{
	for (size_t i = 0; i < m->nr_cpus; i++) {
		ring_buffer_deinit(&m->cpus[i].rb);
		if (m->cpus[i].fd >= 0)
			close(m->cpus[i].fd);
	}
	for (size_t i = m->head; i < m->nr; i++)
		free(m->records[i].record);
	free(m->cpus);
	free(m->records);
	*m = (struct live_maps){.nr_cpus = 0};
}

/* ---- mappings from before -------------------------------------------------------------------- */

struct existing {
	const struct event_sink *sink;
	void *ctx;
};

/* A task_map_fn. */
static int hand_map(void *ctx, uint32_t pid, const struct task_map *map)
{
	const struct existing *e = ctx;
	const struct source_map m = {
		.pid = pid,
		.tid = pid,
		.start = map->start,
		.length = map->end - map->start,
		.file_offset = map->file_offset,
		.path = *map->path ? map->path : "//anon",
		.prot = PROT_READ | PROT_EXEC,
		.flags = map->perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
		.major = map->major,
		.minor = map->minor,
		.inode = map->inode,
	};

	return map->perms[2] == 'x' ? e->sink->map(e->ctx, &m) : 0;
}

/* A process_fn. */
static int hand_process(void *ctx, uint32_t pid)
{
	const struct existing *e = ctx;
	int ret = e->sink->process ? e->sink->process(e->ctx, PROCESS_NEW, pid, 0) : 0;

	return ret ? ret : task_maps_for_each(pid, hand_map, ctx);
}

int live_maps_existing(const struct event_sink *sink, void *ctx)
{
	struct existing e = {sink, ctx};

	return sink->map ? processes_for_each(hand_process, &e) : 0;
}

/* ---- later ones ------------------------------------------------------------------------------ */

static bool is_wanted(const struct perf_event_header *h)
{
	return h->size >= sizeof(*h) + sizeof(uint64_t) &&
	       (h->type == PERF_RECORD_MMAP2 ||
		(h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC));
}

/* A ring_record_fn. */
static int keep(void *ctx, const struct perf_event_header *h)
{
	struct live_maps *m = ctx;
	struct mapping_record *v, new;

	if (h->type == PERF_RECORD_LOST && !m->warned_lost) {
		m->warned_lost = true;
		log_warn("some mappings of processes were not seen: user stacks in them have no "
			 "names");
	}
	if (!is_wanted(h))
		return 0;
	v = array_room(m->records, m->nr, &m->cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	m->records = v;
	new.record = malloc(h->size);
	if (!new.record)
		return -ENOMEM;
	memcpy(new.record, h, h->size);
	memcpy(&new.time_ns, (const uint8_t *)h + h->size - sizeof(new.time_ns),
	       sizeof(new.time_ns));
	m->records[m->nr++] = new;
	return 0;
}

/* The exec of a process comes before its maps, also at the same time. */
static int by_time(const void *a, const void *b)
{
	const struct mapping_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? 1 : -1;
	return (x->record->type == PERF_RECORD_MMAP2) - (y->record->type == PERF_RECORD_MMAP2);
}

int live_maps_drain(struct live_maps *m)
{
	size_t before;
	int ret = 0;

	m->nr -= m->head;
	if (m->head && m->nr)
		memmove(m->records, m->records + m->head, m->nr * sizeof(*m->records));
	m->head = 0;
	before = m->nr;
	for (size_t i = 0; i < m->nr_cpus && !ret; i++)
		ret = ring_buffer_for_each(&m->cpus[i].rb, keep, m);
	if (m->nr > before)
		qsort(m->records, m->nr, sizeof(*m->records), by_time);
	return ret;
}

int live_maps_until(struct live_maps *m, uint64_t time_ns, const struct event_sink *sink, void *ctx)
{
	int ret = 0;

	while (!ret && live_maps_time(m) < time_ns) {
		struct perf_event_header *h = m->records[m->head++].record;

		if (task_record_wanted(sink, h->type))
			ret = task_record_hand((const uint8_t *)h, false, sink, ctx);
		free(h);
	}
	return ret;
}
