/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_plan: converts BPF events of a kind to the raw data of samples, in the tracepoint's
 * own format.
 *
 * The source of each field is determined once, by its name. A field without a known value is 0, as
 * are the flags of common_flags. The caller stores the task and the object, which differ in each
 * event, and the cache's name: the plan has their positions.
 */
#ifndef CAPTURE_BPF_PLAN_H
#define CAPTURE_BPF_PLAN_H

#include "util/base/error.h"
#include "util/bpf/wire.h"
#include "util/output/evlist.h"

#define BPF_PLAN_FIELDS 16
#define BPF_FIXED_MAX	256 /* bytes of raw data before the cache's name */

/* A value and its position in the raw data, in bytes. */
struct bpf_plan_field {
	uint8_t value;
	uint8_t size;
	uint16_t at;
};

/* A plan for events of a kind and samples of an evsel. */
struct bpf_plan {
	bool wanted;
	bool callchain;
	bool cgroup; /* its id follows the raw data */
	uint8_t nr_fields;
	uint8_t nr_u64, nr_u32; /* number of fields of 8 bytes, the first ones, and of 4 */
	uint8_t body_words;	/* size of the layout in struct bpf_event */
	uint16_t fixed_bytes;	/* size of the raw data before the name */
	uint16_t name_at; /* position of the __data_loc of the cache's name, or of comm; 0: none */
	uint32_t evsel;
	uint64_t id;
	uint64_t type; /* common_type */
	struct bpf_plan_field fields[BPF_PLAN_FIELDS];
	/* positions of values that differ in each event; 0 if there is none */
	uint16_t tid_at;    /* 4 bytes */
	uint16_t object_at; /* 8 bytes, or 4 */
	bool object_is_u64;
	bool has_likes; /* no other value differs in each event */
};

/* The kind of the event with this name, or BPF_KINDS. */
enum bpf_kind bpf_plan_kind(const char *system, const char *name);

/* The name of the kind's event, and its system. NULL if it has no samples. */
const char *bpf_plan_event(enum bpf_kind kind, const char **ret_system);

/* The evsel's id must be known. Errors: its format cannot be filled. */
int bpf_plan_init(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e, struct error *err);

/* Set the fields of the raw data that the event has values for. */
void bpf_plan_store(const struct bpf_plan *p, const struct bpf_event *ev, uint8_t *raw);

#endif
