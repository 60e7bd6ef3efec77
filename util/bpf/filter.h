/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters of wanted.bpf.h, for any object that includes it: tasks, a cgroup, and a process
 * whose events are dropped.
 */
#ifndef BPF_FILTER_H
#define BPF_FILTER_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/bpf/options.h"

struct bpf_link;
struct bpf_object;

/* The programs that follow tasks, while they are attached. */
struct bpf_filter {
	struct bpf_link *new_link, *free_link;
};

bool bpf_filter_has_tasks(const struct bpf_capture_options *o);

/* Called before the object is loaded: set the size of its maps, and select its programs. */
int bpf_filter_prepare(struct bpf_object *object, const struct bpf_capture_options *o);

/*
 * Called before its programs are attached: fill the maps. Tasks are followed from here on; all
 * threads of a process are found, including those that it creates meanwhile. -ESRCH: no such
 * process.
 */
int bpf_filter_fill(struct bpf_filter *f, struct bpf_object *object,
		    const struct bpf_capture_options *o, struct error *err);
void bpf_filter_deinit(struct bpf_filter *f);

#endif
