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

struct names_reader {
	const struct kthread_names *names;
	struct strbuf *out;
};

/* A ring_record_fn: handles a record of any type that the kernel writes. */
static int add_name(void *ctx, const struct perf_event_header *h)
{
	const size_t raw_at = sizeof(struct sample_head) + sizeof(uint32_t);
	const struct names_reader *r = ctx;
	const struct kthread_names *k = r->names;
	const uint8_t *record = (const uint8_t *)h;
	char comm[COMM_BYTES + 1] = "";
	struct sample_head head;
	struct sample_id id;
	uint32_t pid;

	if (h->type != PERF_RECORD_SAMPLE || h->size < raw_at + k->pid_at + sizeof(pid) ||
	    h->size < raw_at + k->comm_at + COMM_BYTES)
		return 0;
	memcpy(&head, record, sizeof(head));
	memcpy(&pid, record + raw_at + k->pid_at, sizeof(pid));
	memcpy(comm, record + raw_at + k->comm_at, COMM_BYTES);
	id = (struct sample_id){
		.pid = pid, .tid = pid, .time = head.time, .cpu = head.cpu, .id = k->id};
	return synthesize_comm(r->out, pid, pid, comm, &id);
}

int kthread_names_drain(struct kthread_names *k, struct strbuf *out)
{
	struct names_reader r = {k, out};
	int ret = 0;

	for (size_t i = 0; i < k->rings.nr && !ret; i++)
		ret = ring_buffer_for_each(&k->rings.v[i].rb, add_name, &r);
	return ret;
}
