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
/* KMEM_OTHER for task events, and for events of an account that does not exist. */
enum kmem_kind live_kind(unsigned int bpf_kind);
/* The values common to all events of a kind: its kind, and neutral values. */
struct kmem_event live_neutral(unsigned int bpf_kind);

/* Add the event of a kind to the facts. NULL if out of memory. */
struct source_event *live_add_event(struct source_facts *f, unsigned int bpf_kind);

/* Convert an event, whose kind is not KMEM_OTHER. neutral: of its kind. Its cache is not looked
 * up; only the flags implied by the kind are set. */
void live_convert(const struct bpf_event *from, int cpu, const struct kmem_event *neutral,
		  struct kmem_event *ret_event);

#endif
