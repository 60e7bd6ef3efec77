/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts an event of the BPF programs to a struct kmem_event, and names its tracepoint.
 */
#ifndef WATCH_CONVERT_H
#define WATCH_CONVERT_H

#include "util/bpf/wire.h"
#include "util/event/kmem_event.h"

/* "kmem:kmalloc"; NULL for task events and unused kinds. */
const char *live_kind_name(unsigned int bpf_kind);
/* KMEM_OTHER for task events. */
enum kmem_kind live_kind(unsigned int bpf_kind);

/* Add the event of a kind to the facts. NULL if out of memory. */
struct source_event *live_add_event(struct source_facts *f, unsigned int bpf_kind);

/* Convert a kmem event, whose kind is not KMEM_OTHER. Its cache is not looked up; only the flags
 * implied by the kind are set. */
void live_convert(const struct bpf_event *from, int cpu, struct kmem_event *ret_event);

#endif
