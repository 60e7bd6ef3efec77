/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_plan: how a BPF event of a kind becomes the raw data of a sample, in the tracepoint's
 * own format.
 *
 * What a field of the format gets is decided by its name, once.  A field that no value is known for
 * is 0, as are the flags of common_flags.  Task and object, which no two events have in common, and
 * the cache's name are for the caller to store: the plan says where.
 */
#ifndef CAPTURE_BPF_PLAN_H
#define CAPTURE_BPF_PLAN_H

#include "util/base/error.h"
#include "util/bpf/wire.h"
#include "util/output/evlist.h"

#define BPF_PLAN_FIELDS 16
#define BPF_FIXED_MAX	256 /* bytes of raw data before the cache's name */

/* A value goes to byte `at` of the raw data. */
struct bpf_plan_field {
	uint8_t value;
	uint8_t size;
	uint16_t at;
};

/* How an event of a kind becomes a sample of an evsel. */
struct bpf_plan {
	bool wanted;
	bool callchain;
	bool cgroup; /* its id follows the raw data */
	uint8_t nr_fields;
	uint8_t nr_u64, nr_u32; /* of the fields the first, and those behind them */
	uint8_t body_words;	/* of the union in struct bpf_event */
	uint16_t fixed_bytes;	/* of raw data, before the name */
	uint16_t name_at;	/* where the __data_loc of the cache's name is; 0: nowhere */
	uint32_t evsel;
	uint64_t id;
	uint64_t type; /* common_type */
	struct bpf_plan_field fields[BPF_PLAN_FIELDS];
	/* what no two events have in common: where it is; 0: nowhere */
	uint16_t tid_at;    /* 4 bytes */
	uint16_t object_at; /* 8 bytes, or 4 */
	bool object_is_u64;
	bool has_likes; /* and nothing else is different in all of them */
};

/* The kind of the kmem event with this name; BPF_KINDS: there is none. */
enum bpf_kind bpf_plan_kind(const char *system, const char *name);

/* The evsel's id is known. Errors: it has a format that cannot be filled. */
int bpf_plan_init(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e, struct error *err);

/* The fields of raw data that have a value of the event. */
void bpf_plan_store(const struct bpf_plan *p, const struct bpf_event *ev, uint8_t *raw);

#endif
