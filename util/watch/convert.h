/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event of the programs in the kernel is as a struct kmem_event, and which tracepoint it
 * is of.
 */
#ifndef WATCH_CONVERT_H
#define WATCH_CONVERT_H

#include "util/bpf/wire.h"
#include "util/event/kmem_event.h"

/* "kmem:kmalloc"; NULL: of a task, or no kind at all. */
const char *live_kind_name(unsigned int bpf_kind);
/* KMEM_OTHER: of a task. */
enum kmem_kind live_kind(unsigned int bpf_kind);

/* Add the event of a kind to the facts. NULL: no memory. */
struct source_event *live_add_event(struct source_facts *f, unsigned int bpf_kind);

/* Of a kmem event, whose kind is not KMEM_OTHER. Of its cache only what the kind tells. */
void live_convert(const struct bpf_event *from, int cpu, struct kmem_event *ret_event);

#endif
