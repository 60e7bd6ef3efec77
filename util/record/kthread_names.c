// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/kthread_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/record/synthesize.h"

#define KTHREADD   2
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* PERF_RECORD_FORK, with the sample_id of our events */
struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
	struct sample_id id;
};

struct kthread_birth {
	uint32_t pid, tid;
	struct sample_id id;
};

void kthread_names_deinit(struct kthread_names *k)
{
	free(k->v);
	*k = (struct kthread_names){0};
}

int kthread_names_look(struct kthread_names *k, const void *record, size_t size)
{
	struct fork_record f;
	struct kthread_birth *v;

	if (size != sizeof(f))
		return 0;
	memcpy(&f, record, sizeof(f));
	if (f.header.type != PERF_RECORD_FORK || f.ppid != KTHREADD)
		return 0;
	v = array_room(k->v, k->nr, &k->cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	k->v = v;
	v[k->nr++] = (struct kthread_birth){f.pid, f.tid, f.id};
	return 0;
}

/* "pid (name) state ppid pgrp session tty tpgid flags ...": the name; NULL: no kernel thread's. */
static char *name_in(char *stat)
{
	char *name = strchr(stat, '('), *end = strrchr(stat, ')');
	unsigned int flags;

	/* in another pid namespace, process 2 may be anything */
	if (!name || !end || end < name ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 || !(flags & PF_KTHREAD))
		return NULL;
	*end = '\0';
	return name + 1;
}

static int add_name(const struct kthread_birth *birth, struct strbuf *out)
{
	_cleanup_(strbuf_deinit) struct strbuf stat = STRBUF_INIT;
	char path[64];
	char *name;

	snprintf(path, sizeof(path), "/proc/%u/stat", birth->pid);
	if (strbuf_read_file(&stat, path) || !stat.len)
		return stat.failed ? -ENOMEM : 0;
	name = name_in(stat.buf);
	return name ? synthesize_comm(out, birth->pid, birth->tid, name, &birth->id) : 0;
}

int kthread_names_add(struct kthread_names *k, struct strbuf *out)
{
	int ret = 0;

	for (size_t i = 0; i < k->nr && !ret; i++)
		ret = add_name(&k->v[i], out);
	k->nr = 0;
	return ret;
}
