// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/kthread_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/base/cleanup.h"
#include "util/output/synthesize.h"

#define EVENT	     "task:task_newtask"
#define OF_KTHREADD  "common_pid == 2"
#define BUFFER_BYTES 65536
#define COMM_BYTES   16 /* the kernel's TASK_COMM_LEN */
#define RECORD_MAX   512

static int make_evlist(struct kthread_names *k, const struct tracefs *t, struct error *err)
{
	const struct evlist_config config = {.period = 1};
	struct event_spec_list specs = EVENT_SPEC_LIST_INIT;
	uint32_t pid_bytes, comm_bytes;
	struct evsel *e;
	int ret = event_spec_list_parse(&specs, EVENT, err);

	if (!ret)
		ret = evlist_init(&k->evlist, t, &specs, &config, err);
	event_spec_list_deinit(&specs);
	if (ret)
		return ret;
	e = k->evlist.evsels;
	if (!tracefs_format_field(e->format.buf, "pid", &k->pid_at, &pid_bytes) ||
	    !tracefs_format_field(e->format.buf, "comm[16]", &k->comm_at, &comm_bytes) ||
	    pid_bytes != sizeof(uint32_t) || comm_bytes != COMM_BYTES)
		return error_set(err, ENOTSUP, "'" EVENT "' has unexpected fields");
	/* as in struct sample_head; other events already record the tasks */
	e->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	e->attr.comm = e->attr.task = e->attr.mmap = e->attr.mmap2 = 0;
	return 0;
}

static int set_filter(const struct evsel *e, struct error *err)
{
	for (size_t i = 0; i < e->nr_fds; i++)
		if (ioctl(e->fds[i].fd, PERF_EVENT_IOC_SET_FILTER, OF_KTHREADD))
			return error_set_errno(err, errno, "cannot filter '" EVENT "'");
	return 0;
}

int kthread_names_init(struct kthread_names *k, const struct tracefs *t, const struct cpulist *cpus,
		       uint64_t id, struct error *err)
{
	const struct open_target target = {.cpus = cpus, .cgroup_fd = -1};
	int ret;

	*k = (struct kthread_names){.id = id};
	ret = make_evlist(k, t, err);
	if (!ret)
		ret = evlist_open(&k->evlist, &target, err);
	if (!ret)
		ret = set_filter(k->evlist.evsels, err);
	if (!ret)
		ret = rings_init(&k->rings, &k->evlist, cpus, BUFFER_BYTES, true, false, err);
	if (!ret)
		ret = evlist_enable(&k->evlist, err);
	if (ret)
		kthread_names_deinit(k);
	return ret;
}

void kthread_names_deinit(struct kthread_names *k)
{
	rings_deinit(&k->rings);
	evlist_deinit(&k->evlist);
	*k = (struct kthread_names){0};
}

/* Handle one record, of any type that the kernel writes. */
static int add_name(const struct kthread_names *k, const uint8_t *record, size_t size,
		    struct strbuf *out)
{
	const size_t raw_at = sizeof(struct sample_head) + sizeof(uint32_t);
	char comm[COMM_BYTES + 1] = "";
	struct sample_head head;
	struct sample_id id;
	uint32_t pid;

	if (size < raw_at + k->pid_at + sizeof(pid) || size < raw_at + k->comm_at + COMM_BYTES)
		return 0;
	memcpy(&head, record, sizeof(head));
	if (head.header.type != PERF_RECORD_SAMPLE)
		return 0;
	memcpy(&pid, record + raw_at + k->pid_at, sizeof(pid));
	memcpy(comm, record + raw_at + k->comm_at, COMM_BYTES);
	id = (struct sample_id){
		.pid = pid, .tid = pid, .time = head.time, .cpu = head.cpu, .id = k->id};
	return synthesize_comm(out, pid, pid, comm, &id);
}

static void copy_from(const struct iovec pieces[2], size_t at, uint8_t *to, size_t size)
{
	for (size_t i = 0; i < size; i++, at++)
		to[i] = at < pieces[0].iov_len
				? ((const uint8_t *)pieces[0].iov_base)[at]
				: ((const uint8_t *)pieces[1].iov_base)[at - pieces[0].iov_len];
}

static int drain_ring(const struct kthread_names *k, struct ring_buffer *rb, struct strbuf *out)
{
	struct iovec pieces[2] = {{NULL, 0}, {NULL, 0}};
	uint8_t record[RECORD_MAX];
	struct perf_event_header h;
	int nr, ret = 0;
	uint64_t len = ring_buffer_take(rb, pieces, &nr), at = 0;

	for (; len - at >= sizeof(h) && !ret; at += h.size) {
		copy_from(pieces, at, (uint8_t *)&h, sizeof(h));
		if (h.size < sizeof(h) || h.size > len - at)
			break;
		if (h.size > sizeof(record))
			continue;
		copy_from(pieces, at, record, h.size);
		ret = add_name(k, record, h.size, out);
	}
	ring_buffer_release(rb, len);
	return ret;
}

int kthread_names_drain(struct kthread_names *k, struct strbuf *out)
{
	int ret = 0;

	for (size_t i = 0; i < k->rings.nr && !ret; i++)
		ret = drain_ring(k, &k->rings.v[i].rb, out);
	return ret;
}
